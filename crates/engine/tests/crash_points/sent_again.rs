//! A message that comes twice, while the turn that it made the first time is abandoned.

use crate::{
    answers, keyed,
    world::{World, node, shown},
};
use fail::FailScenario;
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use testkit::model::Reply;
use tokio::sync::{Notify, mpsc};

/// A client that was cut off sends its message to another node, which is about to find that it has it already. Until then a
/// new turn of the session is announced there; that must not hide the abandoned one from its takeover.
#[tokio::test]
async fn a_message_that_is_sent_again_does_not_hide_its_abandoned_turn() {
    let scenario = FailScenario::setup();
    let lease = Duration::from_millis(50);
    let mut world = World::with(|setup| setup.settings.turn.lease = lease).await;
    world.model.script(Reply::text("Never.").gate(Arc::new(Notify::new())));
    let message = keyed(&world, "rest");
    let accepted = world.send(message.clone()).await.unwrap();
    world.model.wait_for(1).await;
    let second = world.house(node(2)).await;
    let (tell, mut told) = mpsc::channel(1);
    let (release, released) = std::sync::mpsc::channel::<()>();
    let released = Mutex::new(released);
    fail::cfg_callback("accept_before_commit", move || {
        tell.try_send(()).unwrap();
        let _ = released.lock().unwrap().recv();
    })
    .unwrap();
    let engine = second.engine.clone();
    let again = second.handle().spawn(async move { engine.accept(message).await });
    told.recv().await.unwrap();
    world.house.kill().await;
    answers(&world);
    world.clock.advance(1_000);
    world.house = second;
    assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended completed");
    fail::remove("accept_before_commit");
    release.send(()).unwrap();
    assert_eq!(again.await.unwrap().unwrap().turn_id, accepted.turn_id);
    world.check(&["rest"]).await;
    scenario.teardown();
}
