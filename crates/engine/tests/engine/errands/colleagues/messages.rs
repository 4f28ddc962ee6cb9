//! Messages to another agent whose answer the sender does not wait for.

use super::{Kitchen, call, is, script};
use crate::world::{shown, until_type};
use domain::{Role, Session};
use serde_json::json;
use std::sync::Arc;
use testkit::model::Reply;
use tokio::sync::Notify;

async fn said(kitchen: &Kitchen, session: &Session) -> Vec<(Role, String)> {
    let page = store::messages::MessagePage { before_seq: None, after_seq: None, limit: 100 };
    let messages = kitchen.world.engine().messages(kitchen.world.user, session.id, page).await.unwrap();
    messages.items.into_iter().map(|message| (message.role, message.content)).collect()
}

/// HERO-94
#[tokio::test]
async fn a_message_goes_out_and_its_sender_goes_on() {
    let kitchen = Kitchen::new().await;
    let world = &kitchen.world;
    let gate = Arc::new(Notify::new());
    let arguments = json!({ "agent": "cook", "message": "Dinner at eight" });
    script(world, "send_agent_message", arguments, "Very well.", Some(gate.clone()));
    let lines = shown(&world.run("Tell the cook").await);
    assert_eq!(lines.last().unwrap(), "turn_ended completed", "although the cook has not read it");
    let child = kitchen.child().await;
    let result = kitchen.result().await;
    assert_eq!((&result["queued"], &result["session_id"]), (&json!(true), &json!(child.id)));
    assert_eq!(result["message"], "Message sent to agent cook.");
    gate.notify_one();
    kitchen.at_rest().await;
    let words = said(&kitchen, &child).await;
    assert_eq!(
        words,
        [(Role::User, "Dinner at eight".to_owned()), (Role::Assistant, "Very well.".to_owned())]
    );
    world.check(&["Tell the cook"]).await;
}

#[tokio::test]
async fn an_answer_by_message_comes_back_to_where_it_was_asked() {
    let kitchen = Kitchen::new().await;
    let world = &kitchen.world;
    world.model.respond(|request| {
        let first = request.results_since_user().is_empty();
        match (is(request, "You cook."), first) {
            (true, true) => {
                call("send_agent_message", json!({ "agent": "butler", "message": "Soup is ready" }))
            }
            (true, false) => Reply::text("Told him."),
            (false, true) if request.last_user().contains("Soup is ready") => Reply::text("I have heard."),
            (false, true) => {
                call("send_agent_message", json!({ "agent": "cook", "message": "Soup, please" }))
            }
            (false, false) => Reply::text("Asked."),
        }
    });
    world.run("Soup").await;
    kitchen.at_rest().await;
    world.check(&["Soup", "Soup is ready"]).await;
    assert_eq!(world.messages().await.last().unwrap().content, "I have heard.");
    let from_cook = |told: String| told.starts_with("[From the agent \"cook\". It does not wait;");
    assert!(world.model.requests().iter().any(|request| from_cook(request.last_user())));
}

/// HERO-92
#[tokio::test]
async fn in_the_text_an_agent_is_written_to_the_same_way() {
    let kitchen = Kitchen::with(|setup| setup.markup = domain::MarkupSettings::default()).await;
    let world = &kitchen.world;
    world.model.respond(|request| {
        if is(request, "You cook.") {
            return Reply::text("Very well.");
        }
        let told = request.last_user();
        match told.as_str() {
            "Go" => Reply::text(
                "@agent(tell, {agent: \"cook\", text: \"Eight o'clock\"})\n@agent(note, {buy: \"salt\"})\n",
            ),
            _ if told.contains("note") && told.contains("[From the agent") => Reply::text("Noted."),
            _ => Reply::text("Done."),
        }
    });
    world.run("Go").await;
    kitchen.at_rest().await;
    let words = said(&kitchen, &kitchen.child().await).await;
    assert_eq!(words[0], (Role::User, "Eight o'clock".to_owned()));
    // Without a name it is a note to oneself, which is the next turn of the same session.
    world.check(&["Go", "note {\"buy\":\"salt\"}"]).await;
    assert_eq!(world.messages().await.last().unwrap().content, "Noted.");
}

#[tokio::test]
async fn without_the_capability_nobody_is_written_to() {
    let kitchen = Kitchen::with(|setup| setup.markup = domain::MarkupSettings::default()).await;
    let world = &kitchen.world;
    let fields = engine::AgentFields { capabilities: engine::Change::Set(Vec::new()), ..Default::default() };
    super::change_agent(world, fields).await;
    world.model.queue([Reply::text("@agent(tell, {agent: \"cook\", text: \"x\"})\n"), Reply::text("Well.")]);
    world.run("Go").await;
    let told = world.model.last_request().unwrap().last_user();
    assert!(
        told.contains("denied:") && told.contains("it does not have the capability `colleagues`"),
        "{told}"
    );
    assert_eq!(kitchen.children(world.session).await.len(), 0);
}

#[tokio::test]
async fn the_agents_that_can_be_asked_are_listed() {
    let kitchen = Kitchen::new().await;
    let world = &kitchen.world;
    script(world, "list_agents", json!({}), "", None);
    world.run("Who is there?").await;
    let result = kitchen.result().await;
    let names: Vec<_> =
        result["agents"].as_array().unwrap().iter().map(|agent| agent["name"].clone()).collect();
    assert_eq!(names, ["main", "cook"]);
}

#[tokio::test]
async fn a_message_waits_while_its_reader_is_at_work() {
    let kitchen = Kitchen::new().await;
    let world = &kitchen.world;
    let gate = Arc::new(Notify::new());
    let held = gate.clone();
    world.model.respond(move |request| {
        match (is(request, "You cook."), request.results_since_user().len()) {
            (true, _) => Reply::text("Yes.").gate(held.clone()),
            (false, 0) => Reply::calls([
                ("send_agent_message", json!({ "agent": "cook", "message": "One" })),
                ("delegate", json!({ "agent": "cook", "task": "Two" })),
            ]),
            _ => Reply::text("Done."),
        }
    });
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("Go").await;
    until_type(&mut reader, "errand_started").await;
    world.model.wait_for(2).await;
    gate.notify_one();
    world.model.wait_for(3).await;
    gate.notify_one();
    world.ended(accepted).await;
    kitchen.at_rest().await;
    let children = kitchen.children(world.session).await;
    let mut told = Vec::new();
    for child in &children {
        told.extend(said(&kitchen, child).await.into_iter().filter(|(role, _)| *role == Role::User));
    }
    told.sort_by(|one, other| one.1.cmp(&other.1));
    assert_eq!(told, [(Role::User, "One".to_owned()), (Role::User, "Two".to_owned())]);
}
