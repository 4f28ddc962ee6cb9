//! What people do with their schedules.

use super::*;
use crate::world::World;
use domain::{ScheduleState, UserRole};
use engine::{Error, NewPerson, ScheduleChange};
use testkit::model::Reply;

async fn refused(world: &World, new: NewSchedule) -> String {
    match world.engine().create_schedule(world.user, new, None).await {
        Err(Error::Invalid { code: "bad_schedule", detail }) => detail,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_cannot_be_is_refused() {
    let world = World::new().await;
    let cron = |pattern: &str| When::Cron { pattern: pattern.to_owned(), zone: None };
    let when = |when: When| NewSchedule { when, ..here(&world, "Look.") };
    assert!(refused(&world, when(cron("0 0 31 2 *"))).await.ends_with("this never comes."));
    assert!(refused(&world, when(cron("* * * * * *"))).await.contains("too often"));
    assert!(refused(&world, when(cron(&"*".repeat(10_240)))).await.contains("too long"));
    assert!(refused(&world, here(&world, " \n ")).await.starts_with("note:"));
    assert!(refused(&world, here(&world, &"x".repeat(8_001))).await.starts_with("note:"));
    assert!(refused(&world, here(&world, "Send\u{202e}it")).await.contains("direction of text"));
    assert!(
        refused(&world, NewSchedule { max_runs: Some(0), ..here(&world, "Look.") })
            .await
            .starts_with("max_runs:")
    );
    assert!(
        refused(&world, NewSchedule { session_id: None, ..here(&world, "Look.") })
            .await
            .starts_with("session_id:")
    );
    let nowhere = NewSchedule { agent_id: None, ..elsewhere(&world, "Look.", RunPlace::Fresh) };
    assert!(refused(&world, nowhere).await.starts_with("agent_id:"));
    assert_eq!(world.engine().schedules(world.user, Page::first(9)).await.unwrap().total, 0);
}

#[tokio::test]
async fn what_is_shown_before_is_what_comes() {
    let world = World::with(|setup| setup.time_zone = Some("Europe/Athens".to_owned())).await;
    world.model.respond(|_| Reply::text("Done."));
    let when = When::Cron { pattern: "30 8 * * 1-5".to_owned(), zone: None };
    let shown = world.engine().preview_schedule(world.user, &when).await.unwrap();
    assert!(shown.description.ends_with("(Europe/Athens)"), "{}", shown.description);
    let made = create(&world, NewSchedule { when, ..elsewhere(&world, "Look.", RunPlace::Fresh) }).await;
    let mut came = Vec::new();
    for time in &shown.times {
        let next = schedule(&world, &made).await.next_at.unwrap();
        assert_eq!(next, *time);
        pass(&world, next.as_millis() - world.engine().now().as_millis()).await;
        came.push(ended(&world, &made).await.due_at);
    }
    assert_eq!((came.len(), came), (5, shown.times));
}

#[tokio::test]
async fn it_is_paused_resumed_changed_and_deleted_by_its_person() {
    let world = World::new().await;
    world.model.respond(|_| Reply::text("Done."));
    let made = create(&world, elsewhere(&world, "Look.", RunPlace::Fresh)).await;
    let (engine, user, id) = (world.engine(), world.user, made.id);
    let stranger =
        NewPerson { name: "Eve".to_owned(), role: UserRole::Member, password: None, time_zone: None };
    let eve = engine.people().create_person(stranger).await.unwrap().id;
    let change = ScheduleChange { note: Some("Mine.".to_owned()), ..ScheduleChange::default() };
    for refused in [
        engine.schedule(eve, id).await.map(drop),
        engine.change_schedule(eve, id, change.clone()).await.map(drop),
        engine.pause_schedule(eve, id).await.map(drop),
        engine.resume_schedule(eve, id).await.map(drop),
        engine.schedule_runs(eve, id, Page::first(5)).await.map(drop),
        engine.delete_schedule(eve, id).await,
        engine.create_schedule(eve, here(&world, "Mine."), None).await.map(drop).map_err(
            |error| match error {
                Error::Invalid { code: "bad_schedule", .. } => Error::NotFound("schedule"),
                other => other,
            },
        ),
    ] {
        assert!(matches!(refused, Err(Error::NotFound("schedule"))), "{refused:?}");
    }

    let paused = engine.pause_schedule(user, id).await.unwrap();
    assert_eq!((paused.state, paused.next_at), (ScheduleState::Paused, None));
    pass(&world, 3 * HOUR).await;
    assert_eq!(runs(&world, &made).await, []);
    let resumed = engine.resume_schedule(user, id).await.unwrap();
    assert_eq!(resumed.next_at, Some(at(4 * HOUR)), "what was due meanwhile is left out");
    let change = ScheduleChange { max_runs: Some(1), ..ScheduleChange::default() };
    let changed = engine.change_schedule(user, id, change).await.unwrap();
    assert_eq!((changed.revision, changed.plan.note.as_str(), changed.plan.max_runs), (2, "Look.", Some(1)));
    pass(&world, HOUR).await;
    ended(&world, &made).await;
    assert_eq!(schedule(&world, &made).await.state, ScheduleState::Ended);
    let over = engine.resume_schedule(user, id).await;
    assert!(matches!(over, Err(Error::Conflict { code: "schedule_over", .. })), "{over:?}");
    engine.delete_schedule(user, id).await.unwrap();
    assert!(matches!(engine.schedule(user, id).await, Err(Error::NotFound("schedule"))));
    let next = create(&world, here(&world, "Other.")).await;
    assert_eq!(next.number, 2, "a number is given once");
}

#[tokio::test]
async fn a_person_has_only_so_many_that_come() {
    let world = World::with(|setup| setup.settings.schedules.per_person = 2).await;
    let first = create(&world, here(&world, "First.")).await;
    create(&world, here(&world, "Second.")).await;
    let (engine, user) = (world.engine(), world.user);
    let third = engine.create_schedule(user, here(&world, "Third."), None).await;
    assert!(matches!(third, Err(Error::Conflict { code: "too_many_schedules", .. })), "{third:?}");
    engine.pause_schedule(user, first.id).await.unwrap();
    create(&world, here(&world, "Third.")).await;
    let resumed = engine.resume_schedule(user, first.id).await;
    assert!(matches!(resumed, Err(Error::Conflict { code: "too_many_schedules", .. })), "{resumed:?}");
}

#[tokio::test]
async fn a_repeated_key_makes_one_schedule() {
    let world = World::new().await;
    let make = |note: &str| {
        let (engine, user, new) =
            (world.engine().clone(), world.user, elsewhere(&world, note, RunPlace::Own));
        async move { engine.create_schedule(user, new, Some("k".to_owned())).await }
    };
    let (one, two) = (make("Look.").await.unwrap(), make("Look.").await.unwrap());
    assert_eq!(one, two);
    assert!(matches!(make("Other.").await, Err(Error::IdempotencyMismatch)));
    assert_eq!(world.engine().schedules(world.user, Page::first(9)).await.unwrap().total, 1);
}
