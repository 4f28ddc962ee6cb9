//! The same message twice is one message.

use crate::world::{World, shown};
use engine::{Error, NewMessage, NewSession};
use std::sync::Arc;
use testkit::model::Reply;
use tokio::sync::Notify;

impl World {
    fn keyed(&self, text: &str, key: &str) -> NewMessage {
        NewMessage { idempotency_key: Some(key.to_owned()), ..self.message(text) }
    }
}

#[tokio::test]
async fn the_same_key_with_the_same_words_finds_the_same_turn() {
    let world = World::new().await;
    world.model.script(Reply::text("Hello."));
    let first = world.send(world.keyed("Hello", "k")).await.unwrap();
    let events = world.ended(first).await;
    let again = world.send(world.keyed("Hello", "k")).await.unwrap();
    assert!(again.repeated && !first.repeated);
    assert_eq!((again.turn_id, again.input_id, again.after), (first.turn_id, first.input_id, first.after));
    assert_eq!(
        shown(&world.ended(again).await),
        shown(&events),
        "it is shown that turn from its first event"
    );
    world.check(&["Hello"]).await;
}

#[tokio::test]
async fn twenty_at_once_are_one_turn() {
    let world = World::new().await;
    let gate = Arc::new(Notify::new());
    world.model.script(Reply::text("Once.").gate(gate.clone()));
    let sent = futures_util::future::join_all((0..20).map(|_| world.send(world.keyed("Hello", "k")))).await;
    let sent: Vec<_> = sent.into_iter().map(Result::unwrap).collect();
    assert_eq!(sent.iter().filter(|accepted| !accepted.repeated).count(), 1);
    assert!(sent.iter().all(|accepted| accepted.turn_id == sent[0].turn_id));
    gate.notify_one();
    world.ended(sent[0]).await;
    assert_eq!(world.model.requests().len(), 1);
    world.check(&["Hello"]).await;
}

#[tokio::test]
async fn the_same_key_with_other_words_is_refused() {
    let world = World::new().await;
    world.model.script(Reply::text("Hello."));
    let first = world.send(world.keyed("Hello", "k")).await.unwrap();
    let refused = world.send(world.keyed("Good bye", "k")).await;
    assert!(matches!(refused, Err(Error::IdempotencyMismatch)), "{refused:?}");
    world.ended(first).await;
    world.check(&["Hello"]).await;
}

#[tokio::test]
async fn a_key_belongs_to_its_session() {
    let world = World::new().await;
    world.model.respond(|_| Reply::text("Hello."));
    let first = world.send(world.keyed("Hello", "k")).await.unwrap();
    let other = NewSession::with(world.agent);
    let other = world.engine().create_session(world.user, other).await.unwrap();
    let message = NewMessage { session_id: other.id, ..world.keyed("Something else", "k") };
    let second = world.send(message).await.unwrap();
    assert!(!second.repeated);
    assert_ne!(first.turn_id, second.turn_id);
    world.ended(first).await;
}

#[tokio::test]
async fn a_key_is_known_after_a_crash_and_while_its_turn_waits() {
    let mut world = World::new().await;
    world.model.script(Reply::text("Never.").gate(Arc::new(Notify::new())));
    let first = world.send(world.keyed("first", "1")).await.unwrap();
    let second = world.send(world.keyed("second", "2")).await.unwrap();
    world.model.wait_for(1).await;
    world.model.respond(|_| Reply::text("Hello."));
    world.crash().await;
    for (text, key, before) in [("first", "1", first), ("second", "2", second)] {
        let again = world.send(world.keyed(text, key)).await.unwrap();
        assert!(again.repeated);
        assert_eq!(again.turn_id, before.turn_id);
    }
    world.ended(second).await;
    world.check(&["first", "second"]).await;
}

#[tokio::test]
async fn a_client_that_hangs_up_at_once_loses_nothing() {
    let world = World::new().await;
    world.model.respond(|_| Reply::text("Hello."));
    let mut reader = world.follow_from(0).await;
    let (engine, message) = (world.engine().clone(), world.keyed("Hello", "k"));
    let (sent, told) = tokio::sync::oneshot::channel();
    world.house.handle().spawn(async move {
        let mut accepting = Box::pin(engine.accept(message));
        // One look, so that it has begun, and then nobody waits for it any more.
        let first_look = futures_util::FutureExt::now_or_never(&mut accepting).is_some();
        drop(accepting);
        sent.send(first_look).unwrap();
    });
    assert!(!told.await.unwrap(), "it was over before the client could hang up");
    crate::world::until_type(&mut reader, "turn_ended").await;
    let again = world.send(world.keyed("Hello", "k")).await.unwrap();
    assert!(again.repeated);
    world.check(&["Hello"]).await;
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_before_anything_is_stored() {
    let world = World::new().await;
    let long_key = "k".repeat(256);
    let code = |outcome: engine::Result<engine::Accepted>| match outcome {
        Err(Error::Invalid { code, .. }) => code,
        Err(Error::TooLarge(_)) => "too_large",
        Err(Error::NotFound(what)) => what,
        other => panic!("{other:?}"),
    };
    assert_eq!(code(world.send(world.message("")).await), "empty_message");
    assert_eq!(code(world.send(world.message(" \n")).await), "empty_message");
    assert_eq!(code(world.send(world.message(&"x".repeat((1 << 20) + 1))).await), "too_large");
    assert_eq!(code(world.send(world.keyed("Hello", "")).await), "bad_idempotency_key");
    assert_eq!(code(world.send(world.keyed("Hello", &long_key)).await), "bad_idempotency_key");
    let nowhere = domain::SessionId::from_uuid(uuid::Uuid::from_u128(5));
    let message = NewMessage { session_id: nowhere, ..world.message("Hello") };
    assert_eq!(code(world.send(message).await), "session");
    assert_eq!(world.log().await, []);
}

#[tokio::test]
async fn the_same_session_with_the_same_key_is_one_session() {
    let world = World::new().await;
    let make = |name: Option<&str>, key: &str| {
        let new = NewSession { name: name.map(str::to_owned), ..NewSession::with(world.agent) };
        world.engine().create_session_once(world.user, new, Some(key.to_owned()))
    };
    let (first, again) = tokio::join!(make(Some("Soup"), "k"), make(Some("Soup"), "k"));
    let first = first.unwrap();
    assert_eq!(first.id, again.unwrap().id);
    let other = make(Some("Salad"), "k").await;
    assert!(matches!(other, Err(Error::IdempotencyMismatch)), "{other:?}");
    assert_ne!(make(Some("Soup"), "another").await.unwrap().id, first.id);
    assert!(matches!(make(None, &"x".repeat(256)).await, Err(Error::Invalid { .. })));
}
