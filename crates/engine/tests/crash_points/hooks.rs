//! A hook that had run before a crash runs again, and nothing of it is used twice.

use crate::{Trap, world::World};
use domain::{CapabilityRef, PromptNode};
use engine::{AgentFields, Change, Start};
use fail::FailScenario;
use testkit::model::Reply;

/// TIDGI-36
#[tokio::test]
async fn a_hook_runs_again_and_nothing_is_doubled() {
    let scenario = FailScenario::setup();
    let mut world = World::new().await;
    let capabilities = Change::Set(["workshop", "hooked"].map(CapabilityRef::from).to_vec());
    let fields = AgentFields { capabilities, ..AgentFields::default() };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
    world.hooks.script().adds = Some(PromptNode::new("reminder", "Mind the milk."));
    world.model.respond(|_| Reply::text("Done."));
    let trap = Trap::set("turn_before_commit", 1);
    let reader = world.follow(Start::Now).await.unwrap();
    let accepted = world.post("Look").await;
    trap.sprung().await;
    trap.disarm();
    drop(reader);
    let before = world.hooks.heard();
    assert!(before.iter().any(|heard| heard == "response_complete Done."), "{before:?}");
    world.crash().await;
    world.ended(accepted).await;
    let count = |what: &str| world.hooks.heard().iter().filter(|heard| *heard == what).count();
    for again in ["process_prompts step 1", "response_complete Done."] {
        assert_eq!(count(again), 2, "{again}: {:?}", world.hooks.heard());
    }
    world.check(&["Look"]).await;
    assert_eq!(world.messages().await.len(), 2);
    let body = world.model.last_request().unwrap().raw;
    assert_eq!(body.matches("Mind the milk.").count(), 1, "{body}");
    scenario.teardown();
}
