//! A call that changes a file, cut off between that and its result: it happens once, and the result says so.

use crate::{Trap, world::World};
use domain::CapabilityRef;
use engine::{AgentFields, Change};
use fail::FailScenario;
use serde_json::json;
use testkit::model::Reply;

async fn with_files() -> World {
    let world = World::new().await;
    let fields = AgentFields {
        capabilities: Change::Set(vec![CapabilityRef::from("session_file_system")]),
        ..AgentFields::default()
    };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
    world
}

/// EVERRUNS-24
#[tokio::test]
async fn a_file_is_written_once_and_truthfully() {
    let scenario = FailScenario::setup();
    for point in
        ["tool_before_run", "file_before_commit", "file_after_commit", "tool_after_run", "turn_before_commit"]
    {
        let mut world = with_files().await;
        world.model.respond(|request| match request.results_since_user().len() {
            0 => Reply::text("").then_calls([("write_file", json!({ "path": "/a/b", "content": "hello" }))]),
            _ => Reply::text("Done."),
        });
        // The turn's own commits are passed before the tool's: it is the one with the result that is cut off.
        let trap = Trap::set(point, if point == "turn_before_commit" { 2 } else { 1 });
        let accepted = world.post("write").await;
        trap.sprung().await;
        trap.disarm();
        world.crash().await;
        world.ended(accepted).await;
        let told = world.model.last_request().unwrap().results_since_user();
        assert!(told[0].contains(r#""created":true"#), "{point}: {told:?}");
        let path = "/a/b".parse().unwrap();
        let found = world.engine().file(world.user, world.session, path).await.unwrap();
        assert_eq!(found.content, b"hello");
        world.check(&["write"]).await;
    }
    scenario.teardown();
}

#[tokio::test]
async fn a_file_is_deleted_once_and_truthfully() {
    let scenario = FailScenario::setup();
    for point in ["tool_before_run", "file_before_commit", "file_after_commit", "tool_after_run"] {
        let mut world = with_files().await;
        let path: domain::FilePath = "/x".parse().unwrap();
        world.engine().write_file(world.user, world.session, path.clone(), b"x", None).await.unwrap();
        world.model.respond(|request| match request.results_since_user().len() {
            0 => Reply::text("").then_calls([("delete_file", json!({ "path": "/x" }))]),
            _ => Reply::text("Done."),
        });
        let trap = Trap::set(point, 1);
        let accepted = world.post("delete").await;
        trap.sprung().await;
        trap.disarm();
        world.crash().await;
        world.ended(accepted).await;
        let told = world.model.last_request().unwrap().results_since_user();
        assert!(told[0].contains(r#""deleted":true"#), "{point}: {told:?}");
        assert_eq!(world.engine().file_info(world.user, world.session, path).await.unwrap(), None);
    }
    scenario.teardown();
}
