//! Following everything a person has.

use crate::world::World;
use domain::SessionStatus;
use engine::{Error, UserEvent, What};
use std::time::Duration;
use testkit::model::Reply;
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn every_event_comes_once_whatever_is_in_memory() {
    let world = World::new().await;
    world.model.respond(|_| Reply::text("Hello"));
    let (glances, mut reader) = world.engine().follow_user(world.user).await.unwrap();
    assert_eq!(glances.len(), 1);
    // More than a session keeps in memory, so that most of it is read from the log.
    for _ in 0..20 {
        let accepted = world.post("Hi").await;
        world.ended(accepted).await;
    }
    let last = world.engine().session(world.user, world.session).await.unwrap().last_seq;
    assert!(last > 128);
    for seq in 1..=last {
        match timeout(PATIENCE, reader.next()).await.unwrap().unwrap() {
            UserEvent::Event(frame) => assert_eq!(frame.seq(), seq),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(reader.take_ready(), None);
}

#[tokio::test]
async fn hints_follow_the_session() {
    let world = World::new().await;
    world.model.respond(|_| Reply::text("Hello"));
    let (_, mut hints) = world.engine().overview(world.user).await.unwrap();
    let accepted = world.post("Hi").await;
    world.ended(accepted).await;
    let mut statuses = Vec::new();
    loop {
        let hint = timeout(PATIENCE, hints.next()).await.unwrap().unwrap();
        statuses.push(hint.glance.status);
        if matches!(hint.what, What::Event { event_type: "turn_ended", .. }) {
            break;
        }
    }
    statuses.dedup();
    assert_eq!(statuses, [SessionStatus::Idle, SessionStatus::Working, SessionStatus::Idle]);
}

#[tokio::test]
async fn who_falls_too_far_behind_is_told() {
    let world = World::new().await;
    let (_, mut reader) = world.engine().follow_user(world.user).await.unwrap();
    for number in 0..1_025 {
        let name = engine::Change::Set(format!("name {number}"));
        let change = engine::SessionChange { name, ..engine::SessionChange::default() };
        world.engine().change_session(&world.me(), world.session, change).await.unwrap();
    }
    assert!(matches!(reader.next().await, Err(Error::TooSlow)));
}
