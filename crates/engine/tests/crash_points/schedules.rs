//! A due time that is fired, and a run that ends, are there once wherever they are cut off.

use crate::{
    Trap,
    world::{World, postgres, rest},
};
use domain::{RunOutcome, RunPlace, Schedule, ScheduleRun, When};
use engine::NewSchedule;
use fail::FailScenario;
use store::Page;
use testkit::model::Reply;

const HOUR: i64 = 3_600_000;

async fn hourly(world: &World) -> Schedule {
    let new = NewSchedule {
        when: When::Every { seconds: 3_600, anchor: world.engine().now() },
        note: "Look.".to_owned(),
        place: RunPlace::Fresh,
        session_id: None,
        agent_id: Some(world.agent),
        missed: None,
        max_runs: None,
        typed: true,
    };
    world.engine().create_schedule(world.user, new, None).await.unwrap()
}

async fn runs(world: &World, schedule: &Schedule) -> Vec<ScheduleRun> {
    world.engine().schedule_runs(world.user, schedule.id, Page::first(9)).await.unwrap().items
}

/// Fires what is due, until all of it is: at a start the job that looks by itself may be faster.
async fn fire(world: &World) -> engine::Result<usize> {
    world.house.on(|engine| async move { engine.fire_due().await }).await
}

#[tokio::test]
async fn a_due_time_is_one_run_wherever_it_is_cut_off() {
    let scenario = FailScenario::setup();
    let databases = if postgres().await.is_some() { vec![false, true] } else { vec![false] };
    for is_postgres in databases {
        for point in ["fire_before_commit", "fire_after_commit", "turn_before_commit", "turn_after_commit"] {
            let mut world = World::on(is_postgres, |_| {}).await;
            world.model.respond(|_| Reply::text("Done."));
            let schedule = hourly(&world).await;
            let trap = Trap::set(point, 1);
            world.clock.advance(HOUR);
            // Where it is cut off itself, this is no success.
            drop(fire(&world).await);
            trap.sprung().await;
            trap.disarm();
            world.crash().await;
            fire(&world).await.unwrap();
            let run = runs(&world, &schedule).await.remove(0);
            let (session, turn) = (run.session_id.unwrap(), run.turn_id.unwrap());
            rest(world.engine().follow_turn(world.user, session, turn, 0).await.unwrap()).await;
            let runs = runs(&world, &schedule).await;
            let outcomes: Vec<RunOutcome> = runs.iter().map(|run| run.outcome).collect();
            assert_eq!(outcomes, [RunOutcome::Completed], "{point}, on PostgreSQL: {is_postgres}");
            let counted = "SELECT (SELECT COUNT(*) FROM turns), (SELECT COUNT(*) FROM sessions)";
            let counted: (u64, u64) = world.store.read(move |tx| tx.one(counted, Vec::new())).await.unwrap();
            assert_eq!(counted, (1, 2), "{point}, on PostgreSQL: {is_postgres}");
            let found = world.engine().schedule(world.user, schedule.id).await.unwrap();
            assert_eq!((found.runs, found.failures), (1, 0), "{point}, on PostgreSQL: {is_postgres}");
        }
    }
    scenario.teardown();
}
