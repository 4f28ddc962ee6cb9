//! An approval tells clients where its call works, as the tool itself says; nothing of that is stored.

use crate::world::{World, outside, types, until_type};
use domain::{Approval, ApprovalDecision, CapabilityRef, EnvelopeBody, EventBody, RuleScope, Workplace};
use engine::{AgentFields, ApprovalAnswer, Change};
use serde_json::{Value, json};
use store::{Page, log::EventFilter};
use testkit::model::Reply;

/// What is asked when the agent makes this call, as a reader is told when it happens.
async fn asked(world: &World, tool: &'static str, arguments: Value) -> Approval {
    world.model.script(Reply::calls([(tool, arguments)]));
    let mut reader = world.follow_from(world.session().await.last_seq).await;
    world.post("work").await;
    let events = until_type(&mut reader, "approval_request").await;
    request(events.last().map(|event| &event.body))
}

fn request(body: Option<&EnvelopeBody>) -> Approval {
    match body {
        Some(EnvelopeBody::Durable(EventBody::ApprovalRequest { approval, .. })) => Approval::clone(approval),
        other => panic!("{other:?}"),
    }
}

async fn with(capability: &str) -> World {
    let world = World::with(|setup| setup.settings.outside = outside(&[])).await;
    let capabilities = Change::Set(vec![CapabilityRef::from(capability)]);
    let fields = AgentFields { capabilities, ..AgentFields::default() };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
    world
}

#[tokio::test]
async fn an_approval_says_where_its_call_works() {
    let world = with("sandbox").await;
    let live = asked(&world, "run_python", json!({ "code": "1", "dependencies": ["requests"] })).await;
    assert_eq!(live.workplace, Some(Workplace::SandboxWithPackages));

    let listed = world.engine().approvals(world.user, Page::first(10)).await.unwrap().items.remove(0);
    assert_eq!(listed, live);
    assert_eq!(world.engine().approval(world.user, live.id).await.unwrap(), live);
    let mut later = world.follow_from(0).await;
    let events = until_type(&mut later, "approval_request").await;
    assert_eq!(request(events.last().map(|event| &event.body)), live);
}

async fn set_hosts(world: &World, hosts: &[&str]) {
    let settings = json!({ "id": "sandbox", "settings": { "hosts": hosts } });
    let capability: CapabilityRef = serde_json::from_value(settings).unwrap();
    let fields = AgentFields { capabilities: Change::Set(vec![capability]), ..AgentFields::default() };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
}

#[tokio::test]
async fn an_approval_names_the_hosts_of_a_program_and_says_why_it_is_asked() {
    let world = with("sandbox").await;
    let without = asked(&world, "bash", json!({ "command": "ls" })).await;
    assert_eq!(without.reaches, Some(Vec::new()));
    assert_eq!(without.why, ["Commands always need your approval."]);

    let world = with("sandbox").await;
    set_hosts(&world, &["wiki.example", "*.news.example"]).await;
    let named = asked(&world, "run_python", json!({ "code": "1" })).await;
    assert_eq!(named.reaches.as_deref(), Some(&["wiki.example".to_owned(), "*.news.example".to_owned()][..]));
    assert_eq!(named.why[0], "Programs always need your approval.");
    assert_eq!(world.engine().approval(world.user, named.id).await.unwrap(), named);
}

/// THREAT[gate-14] A yes that was given to a program without a network is none to one with a network.
#[tokio::test]
async fn hosts_that_are_added_while_a_person_reads_are_asked_about() {
    let world = with("sandbox").await;
    let first = asked(&world, "bash", json!({ "command": "ls" })).await;
    set_hosts(&world, &["evil.example"]).await;
    let mut reader = world.follow_from(world.session().await.last_seq).await;
    let (decision, digest) = (ApprovalDecision::Approve, first.digest.clone());
    let yes = ApprovalAnswer { decision, scope: RuleScope::Once, digest, reason: None };
    world.engine().answer_approval(&world.me(), first.id, yes).await.unwrap();
    let events = until_type(&mut reader, "approval_request").await;
    let again = request(events.last().map(|event| &event.body));
    assert_eq!(again.reaches, Some(vec!["evil.example".to_owned()]));
    assert!(again.why[0].contains("has changed since"), "{:?}", again.why);
    assert!(!first.why.contains(&again.why[0]), "{:?}", first.why);
    assert_ne!(again.id, first.id);
    assert!(!types(&events).contains(&"tool_result"), "it has not run");
}

#[tokio::test]
async fn a_tool_that_does_not_say_where_it_works_is_not_guessed() {
    let world = with("doors").await;
    assert_eq!(asked(&world, "knock", json!({ "say": "twice" })).await.workplace, None);
}

#[tokio::test]
async fn where_a_call_works_is_not_stored() {
    let world = with("sandbox").await;
    let live = asked(&world, "bash", json!({ "command": "ls" })).await;
    assert_eq!(live.workplace, Some(Workplace::Sandbox));

    let (key, session) = (world.store.data_key(world.user).await.unwrap(), world.session);
    let read = move |tx: &mut store::Tx| {
        let types = vec!["approval_request".to_owned()];
        store::log::read(tx, &key, session, 0, 10, EventFilter { types, turn_id: None })
    };
    let stored = world.store.read(read).await.unwrap().events.remove(0);
    assert_eq!(request(Some(&EnvelopeBody::Durable(stored.body))), Approval { workplace: None, ..live });
}
