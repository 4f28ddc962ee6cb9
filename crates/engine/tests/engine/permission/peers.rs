//! What an agent looks up for a peer of a bridge, and whether that peer hears of it without the agent's person.

use crate::world::{Street, World, outside, until};
use domain::{
    ApprovalDecision, CapabilityRef, Envelope, MarkupMode, MarkupSettings, Role, RuleScope, Sender, Source,
    UserRole,
};
use engine::{AgentFields, ApprovalAnswer, Change, NewMessage, Principal};
use serde_json::json;
use store::Page;
use testkit::model::Reply;

const PAGE: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 19\r\n\r\nThe safe opens at 9";

async fn world(street: &Street) -> World {
    let world = World::with(|setup| {
        setup.settings.outside = outside(&[street.port]);
        setup.markup = MarkupSettings { mode: MarkupMode::On, ..MarkupSettings::default() };
    })
    .await;
    let mut capabilities =
        ["web_fetch", "sandbox", "commands", "colleagues", "workshop"].map(CapabilityRef::from).to_vec();
    for capability in &mut capabilities[..2] {
        capability.settings.insert("hosts".to_owned(), json!(["127.0.0.1"]));
    }
    // A busy machine is not what is tried here.
    capabilities[0].settings.insert("first_byte_seconds".to_owned(), json!(30));
    capabilities[1].settings.insert("timeout_seconds".to_owned(), json!(120));
    let fields = AgentFields { capabilities: Change::Set(capabilities), ..AgentFields::default() };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
    world
}

/// A peer asks and the agent does this; its person permits it once, where they are asked. Is the answer kept from the peer?
async fn is_kept(world: &World, does: Reply) -> bool {
    world.model.script(does);
    world.model.respond(|_| Reply::text("It opens at 9."));
    let sender = Some(Sender { source: "signal".to_owned(), name: Some("+1".to_owned()) });
    let asked = NewMessage { source: Source::Bridge, sender, ..world.message("When does it open?") };
    let accepted = world.send(asked).await.unwrap();
    let mut reader = world.follow_from(accepted.after).await;
    loop {
        let waits = |event: &Envelope| matches!(event.type_name(), "approval_request" | "turn_ended");
        if until(&mut reader, waits).await.last().unwrap().type_name() == "turn_ended" {
            break;
        }
        until(&mut reader, |event| event.type_name() == "agent_status").await;
        let approval = world.engine().approvals(world.user, Page::first(10)).await.unwrap().items.remove(0);
        let (decision, scope, digest) = (ApprovalDecision::Approve, RuleScope::Once, approval.digest);
        let answer = ApprovalAnswer { decision, scope, digest, reason: None };
        let (who, id) = (Principal::operator(world.user, UserRole::Owner), approval.id);
        let work =
            move |engine: engine::Engine| async move { engine.answer_approval(&who, id, answer).await };
        world.house.on(work).await.unwrap();
    }
    let said = world.messages().await;
    let answer = said.iter().rev().find(|message| message.role == Role::Assistant).unwrap();
    answer.label.is_kept_from_peers()
}

/// HOUSE-05, THREAT[chat-04], THREAT[label-11], THREAT[help-02]
#[tokio::test]
async fn what_an_agent_looks_up_at_home_is_kept_from_peers() {
    let street = Street::with(&[("/", PAGE)]).await;
    let visits = format!("exec 3<>/dev/tcp/127.0.0.1/{}; echo hello >&3", street.port);
    let mut wrong = Vec::new();
    for (what, does, kept) in [
        ("nothing", Reply::text("It opens at 9."), false),
        ("a number", Reply::calls([("look", json!({}))]), false),
        ("a page at home", Reply::calls([("web_fetch", json!({ "url": street.url("/") }))]), true),
        ("a program that may reach home", Reply::calls([("bash", json!({ "command": visits }))]), true),
        ("what there is", Reply::calls([("help", json!({ "category": "abilities" }))]), true),
        ("what there is, in words", Reply::text("@system(help, {category: \"abilities\"})\n"), true),
        ("which agents there are", Reply::calls([("list_agents", json!({}))]), true),
    ] {
        if is_kept(&world(&street).await, does).await != kept {
            wrong.push(what);
        }
    }
    assert_eq!(wrong, [""; 0]);
}
