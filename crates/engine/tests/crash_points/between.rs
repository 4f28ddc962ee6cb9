//! The moment between the commit that makes a turn this node's and the announcement of its worker.

use crate::{
    answers,
    world::{World, shown},
};
use domain::EventBody;
use fail::FailScenario;
use std::{sync::Mutex, time::Duration};
use testkit::model::Reply;
use tokio::sync::mpsc;

/// The takeover job of the same node looks for abandoned turns just then. It waits until the turn has its worker.
#[tokio::test]
async fn a_turn_that_is_about_to_run_is_not_taken_up() {
    let scenario = FailScenario::setup();
    let lease = Duration::from_millis(50);
    let world = World::with(|setup| setup.settings.turn.lease = lease).await;
    world.model.script(Reply::status(401));
    let accepted = world.post("rest").await;
    world.ended(accepted).await;
    answers(&world);
    let (tell, mut told) = mpsc::channel(1);
    let (release, released) = std::sync::mpsc::channel::<()>();
    let released = Mutex::new(released);
    fail::cfg_callback("retry_after_commit", move || {
        tell.try_send(()).unwrap();
        let _ = released.lock().unwrap().recv();
    })
    .unwrap();
    let (engine, user, session) = (world.engine().clone(), world.user, world.session);
    let again = world.house.handle().spawn(async move { engine.retry(user, session).await });
    told.recv().await.unwrap();
    // The takeover has asked for turns without a worker, and found this one.
    let asked = world.house.store.counts().statements;
    while world.house.store.counts().statements == asked {
        tokio::time::sleep(lease).await;
    }
    fail::remove("retry_after_commit");
    release.send(()).unwrap();
    again.await.unwrap().unwrap();
    assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended completed");
    let attempt = |event: domain::Event| match event.body {
        EventBody::TurnStarted { attempt, .. } => Some(attempt),
        _ => None,
    };
    let attempts: Vec<u32> = world.log().await.into_iter().filter_map(attempt).collect();
    assert_eq!(attempts, [1, 2], "no second worker began with it");
    assert_eq!(world.model.requests().len(), 2, "the model is asked once more, and not twice");
    world.check(&["rest"]).await;
    scenario.teardown();
}
