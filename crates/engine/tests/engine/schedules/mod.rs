//! What agents do at their times: due once, one outcome each, never with more rights than when it was made.

mod agents;
mod firing;
mod managing;
mod reminders;
mod rights;

use crate::world::{World, rest};
use domain::{MissedRuns, RunOutcome, RunPlace, Schedule, ScheduleRun, Timestamp, When};
use engine::NewSchedule;
use store::Page;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

/// When the clock of a test begins.
fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(1_794_729_600_123 + millis)
}

fn hourly() -> When {
    When::Every { seconds: 3_600, anchor: at(HOUR) }
}

/// In the conversation of the test, each hour.
fn here(world: &World, note: &str) -> NewSchedule {
    NewSchedule {
        when: hourly(),
        kind: domain::ScheduleKind::Run,
        note: note.to_owned(),
        place: RunPlace::Here,
        session_id: Some(world.session),
        agent_id: None,
        missed: None,
        max_runs: None,
        typed: false,
    }
}

fn elsewhere(world: &World, note: &str, place: RunPlace) -> NewSchedule {
    NewSchedule { place, session_id: None, agent_id: Some(world.agent), ..here(world, note) }
}

async fn create(world: &World, new: NewSchedule) -> Schedule {
    world.engine().create_schedule(world.user, new, None).await.unwrap()
}

/// The clock goes on, and what is due is fired: by this, or by the job that looks by itself.
async fn pass(world: &World, millis: i64) {
    world.clock.advance(millis);
    fire(world).await;
}

async fn fire(world: &World) {
    world.house.on(|engine| async move { engine.fire_due().await }).await.unwrap();
}

async fn schedule(world: &World, schedule: &Schedule) -> Schedule {
    world.engine().schedule(world.user, schedule.id).await.unwrap()
}

/// What came of its due times, the oldest first.
async fn runs(world: &World, schedule: &Schedule) -> Vec<ScheduleRun> {
    let page = world.engine().schedule_runs(world.user, schedule.id, Page::first(100)).await.unwrap();
    page.items.into_iter().rev().collect()
}

/// The newest run, when its turn has ended.
async fn ended(world: &World, schedule: &Schedule) -> ScheduleRun {
    let run = runs(world, schedule).await.pop().expect("nothing was fired");
    let (session, turn) = (run.session_id.unwrap(), run.turn_id.unwrap());
    let reader = world.engine().follow_turn(world.user, session, turn, 0).await.unwrap();
    rest(reader).await;
    runs(world, schedule).await.pop().unwrap()
}

fn outcomes(runs: &[ScheduleRun]) -> Vec<RunOutcome> {
    runs.iter().map(|run| run.outcome).collect()
}
