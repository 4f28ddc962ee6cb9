//! A due time that is fired, and a run that ends, are there once wherever they are cut off.

use crate::{
    Trap,
    cut_off::told,
    world::{World, postgres, rest},
};
use domain::{
    CapabilityRef, Permission, RuleScope, RunOutcome, RunPlace, Schedule, ScheduleRun, Subject, When,
};
use engine::{AgentFields, Change, NewRule, NewSchedule};
use fail::FailScenario;
use serde_json::json;
use store::Page;
use testkit::model::Reply;

const HOUR: i64 = 3_600_000;

async fn hourly(world: &World) -> Schedule {
    let new = NewSchedule {
        when: When::Every { seconds: 3_600, anchor: world.engine().now() },
        kind: domain::ScheduleKind::Run,
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

const ROAD: [&str; 4] =
    ["tool_before_run", "schedule_before_commit", "schedule_after_commit", "tool_after_run"];

/// An agent that may plan without asking.
async fn with_schedules(is_postgres: bool) -> World {
    let world = World::on(is_postgres, |_| {}).await;
    let fields = AgentFields {
        capabilities: Change::Set(vec![CapabilityRef::from("schedules")]),
        ..AgentFields::default()
    };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
    let rule = NewRule {
        subject: Subject::Session(world.session),
        tool: "manage_cron".to_owned(),
        action: Permission::Allow,
        scope: RuleScope::Always,
        arguments: None,
        expires_at: None,
        house: false,
    };
    world.engine().create_rule(&world.me(), rule).await.unwrap();
    world
}

#[tokio::test]
async fn a_call_makes_changes_and_deletes_a_schedule_once_and_says_so() {
    let scenario = FailScenario::setup();
    let databases = if postgres().await.is_some() { vec![false, true] } else { vec![false] };
    for is_postgres in databases {
        for point in ROAD {
            let mut world = with_schedules(is_postgres).await;
            let new = json!({ "action": "create", "every_seconds": 3_600, "note": "Look.", "where": "own" });
            let said = told(&mut world, point, ("manage_cron", new)).await;
            assert!(said.starts_with("Cron entry 1 created."), "{point}: {said}");
            let said = told(
                &mut world,
                point,
                ("manage_cron", json!({ "action": "update", "id": 1, "note": "See." })),
            )
            .await;
            assert!(said.starts_with("Cron entry 1 updated."), "{point}: {said}");
            let made = world.engine().schedules(world.user, Page::first(9)).await.unwrap().items;
            let made: Vec<_> =
                made.iter().map(|one| (one.number, one.revision, one.plan.note.as_str())).collect();
            assert_eq!(made, [(1, 2, "See.")], "{point}, on PostgreSQL: {is_postgres}");
            let sessions = "SELECT COUNT(*) FROM sessions";
            let sessions: u64 = world.store.read(move |tx| tx.one(sessions, Vec::new())).await.unwrap();
            assert_eq!(sessions, 2, "{point}: its conversation is made once");
            let said = told(&mut world, point, ("manage_cron", json!({ "action": "delete", "id": 1 }))).await;
            assert_eq!(said, "Cron entry 1 deleted.", "{point}");
            let next = hourly(&world).await;
            assert_eq!(next.number, 2, "{point}: a number is used once, and none is lost");
        }
    }
    scenario.teardown();
}

#[tokio::test]
async fn a_reminder_is_shown_once_wherever_it_is_cut_off() {
    let scenario = FailScenario::setup();
    let databases = if postgres().await.is_some() { vec![false, true] } else { vec![false] };
    for is_postgres in databases {
        for point in ["reminder_before_commit", "reminder_after_commit"] {
            let mut world = World::on(is_postgres, |_| {}).await;
            let new = NewSchedule {
                when: When::Every { seconds: 3_600, anchor: world.engine().now() },
                kind: domain::ScheduleKind::Reminder,
                note: "Call mum".to_owned(),
                place: RunPlace::Here,
                session_id: Some(world.session),
                agent_id: None,
                missed: None,
                max_runs: None,
                typed: true,
            };
            let schedule = world.engine().create_schedule(world.user, new, None).await.unwrap();
            let trap = Trap::set(point, 1);
            world.clock.advance(HOUR);
            // Where it is cut off itself, this is no success.
            drop(fire(&world).await);
            trap.sprung().await;
            trap.disarm();
            world.crash().await;
            fire(&world).await.unwrap();
            let shown: Vec<String> =
                world.messages().await.into_iter().map(|message| message.content).collect();
            assert_eq!(shown, ["Call mum"], "{point}, on PostgreSQL: {is_postgres}");
            let outcomes: Vec<RunOutcome> =
                runs(&world, &schedule).await.iter().map(|run| run.outcome).collect();
            assert_eq!(outcomes, [RunOutcome::Completed], "{point}, on PostgreSQL: {is_postgres}");
        }
    }
    scenario.teardown();
}
