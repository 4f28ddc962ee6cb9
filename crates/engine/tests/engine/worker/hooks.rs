//! Hooks: when they are run, what they may ask for, and what becomes of those that go wrong.

use crate::world::{PATIENCE, World, Wrong, shown, until_type};
use domain::{CapabilityRef, EnvelopeBody, EventBody, Limits, PromptNode, PromptTree, Role};
use engine::{AgentFields, Change, PreviewQuestion};
use serde_json::json;
use std::time::Duration;
use testkit::model::Reply;

/// A world whose agent has the capability `hooked`.
async fn world() -> World {
    patient(PATIENCE).await
}

async fn patient(hook_time: Duration) -> World {
    let world = World::with(|setup| {
        setup.settings.prompt.hook_time = hook_time;
        setup.limits = Limits { steps: 4, ..Limits::default() };
    })
    .await;
    change(
        &world,
        AgentFields {
            capabilities: Change::Set(["workshop", "hooked"].map(CapabilityRef::from).to_vec()),
            ..AgentFields::default()
        },
    )
    .await;
    world
}

async fn change(world: &World, fields: AgentFields) {
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
}

fn complaints(events: &[domain::Envelope]) -> Vec<String> {
    let complaint = |envelope: &domain::Envelope| match &envelope.body {
        EnvelopeBody::Durable(EventBody::Error(error)) => Some(format!("{}: {}", error.code, error.message)),
        _ => None,
    };
    events.iter().filter_map(complaint).collect()
}

/// TIDGI-30
#[tokio::test]
async fn the_moments_of_a_turn_come_in_their_order() {
    let world = world().await;
    let tree: PromptTree = serde_json::from_value(json!({
        "response": [{ "id": "shown" }, { "id": "off", "enabled": false }],
        "modifiers": [{ "id": "m", "kind": "full_replacement", "target_id": "shown", "source": "llm_response" }],
    }))
    .unwrap();
    change(&world, AgentFields { prompt_tree: Change::Set(tree), ..AgentFields::default() }).await;
    world.model.queue([Reply::calls([("look", json!({}))]), Reply::pieces(["Two", " pieces."])]);
    let mut reader = world.follow_from(0).await;
    world.post("Look").await;
    until_type(&mut reader, "turn_ended").await;
    let heard = loop {
        // The last status is told after its commit, which readers may see first.
        let heard = world.hooks.heard();
        if heard.last().is_some_and(|last| last.contains("Completed")) {
            break heard;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(
        heard,
        [
            "agent_status_changed Working",
            "user_message_received Look",
            "process_prompts step 1",
            "finalize_prompts",
            "response_complete",
            "post_process",
            "tool_executed look Ok",
            "process_prompts step 2",
            "finalize_prompts",
            "response_update Two",
            "response_update  pieces.",
            "response_complete Two pieces.",
            "post_process Two pieces.",
            "agent_status_changed Completed",
        ]
    );
}

/// TIDGI-31
#[tokio::test]
async fn a_hook_gets_the_rounds_it_asks_for_within_the_limit_of_steps() {
    let world = world().await;
    world.hooks.script().rounds = 2;
    world.model.queue([Reply::text("One."), Reply::text("Two."), Reply::text("Three.")]);
    let events = world.run("Begin").await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
    assert_eq!(world.model.requests().len(), 3);
    let last = world.model.last_request().unwrap();
    assert_eq!(last.last_user(), "[Go on.]", "there is something to answer");

    world.hooks.script().rounds = 100;
    world.model.respond(|_| Reply::text("And on."));
    let events = world.run("For ever?").await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended limit limit_steps");
    assert_eq!(world.model.requests().len(), 3 + 4, "as many steps as the turn has");
}

/// TIDGI-32
#[tokio::test]
async fn a_hook_that_goes_wrong_is_told_of_and_ends_nothing() {
    for (wrong, words) in [
        (Wrong::Fails, "it does not like this"),
        (Wrong::Panics, "it failed"),
        (Wrong::NeverReturns, "longer than 0.05 seconds"),
    ] {
        let time = if matches!(wrong, Wrong::NeverReturns) { Duration::from_millis(50) } else { PATIENCE };
        let world = patient(time).await;
        let all = [
            "user_message_received",
            "agent_status_changed",
            "process_prompts",
            "finalize_prompts",
            "response_update",
            "response_complete",
            "tool_executed",
            "post_process",
        ];
        world.hooks.script().wrong.extend(all.map(|moment| (moment, wrong)));
        world.model.queue([Reply::calls([("look", json!({}))]), Reply::pieces(["A", "B"])]);
        let events = world.run("Look").await;
        assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
        let told = complaints(&events);
        for moment in all {
            let about: Vec<_> = told.iter().filter(|told| told.contains(moment)).collect();
            assert_eq!(about.len(), 1, "{moment} is told of once: {told:?}");
            assert!(about[0].starts_with("hook_failed: ") && about[0].contains(words), "{about:?}");
        }
        world.check(&["Look"]).await;
    }
}

/// TIDGI-33
#[tokio::test]
async fn a_node_of_a_hook_is_in_the_prompt_and_in_the_preview_with_its_source() {
    let world = world().await;
    let node = PromptNode::new("note", "Mind the step.").said_by(Role::System);
    world.hooks.script().adds = Some(PromptNode::new("holder", "").with_children(vec![node]));
    world.model.script(Reply::text("Yes."));
    world.run("Hello").await;
    let request = world.model.last_request().unwrap();
    let system = request.messages()[0]["content"].as_str().unwrap();
    assert!(system.ends_with("You are the butler.\n\nMind the step."), "{system}");
    assert_eq!(request.last_user(), "Hello", "the current turn comes last, whatever a hook adds");
    let question = PreviewQuestion { text: "Hello".to_owned(), ..PreviewQuestion::default() };
    let preview = world.engine().preview_prompt(world.user, world.agent, question).await.unwrap();
    let holder = preview.nodes.iter().find(|node| node.id == "holder").unwrap();
    assert_eq!(holder.children[0].source, ["capabilities", "hooked"]);
    assert!(holder.children[0].tokens > 0);
}

/// TIDGI-32
#[tokio::test]
async fn a_tree_that_a_hook_made_too_large_is_not_taken() {
    let world = world().await;
    let mut deep = PromptNode::new("deep", "deep");
    for _ in 0..200 {
        deep = PromptNode::new("deeper", "").with_children(vec![deep]);
    }
    world.hooks.script().adds = Some(deep);
    world.model.script(Reply::text("Yes."));
    let events = world.run("Hello").await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
    assert!(complaints(&events)[0].contains("too large"), "{:?}", complaints(&events));
}

/// TIDGI-51
#[tokio::test]
async fn a_result_of_limited_duration_leaves_together_with_its_call() {
    let world = world().await;
    world.hooks.script().duration = Some(1);
    world.model.queue([Reply::calls([("look", json!({}))]), Reply::text("Seen."), Reply::text("Yes.")]);
    world.run("Look").await;
    world.run("Again?").await;
    let roles = |number: usize| -> Vec<String> {
        let requests = world.model.requests();
        requests[number].messages().iter().map(|m| m["role"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(roles(1), ["system", "user", "assistant", "tool"], "the next call sees both");
    assert_eq!(roles(2), ["system", "user", "assistant", "user"], "the one after it neither");
    let kept: Vec<_> = world.messages().await.into_iter().filter(|m| m.role == Role::Tool).collect();
    assert_eq!(kept[0].meta.duration, Some(1), "people still see it");
}
