//! A call has only the rights that all agents and people have for whom it is made, as they are when it runs.

use crate::{
    agents::abilities::process,
    errands::colleagues::{Kitchen, call, change_agent, is, soup},
    world::{Street, World, outside, shown, until_type},
};
use domain::{
    AgentId, Approval, ApprovalDecision, CapabilityRef, EnvelopeBody, EventBody, RuleScope, UserRole,
};
use engine::{AgentFields, AgentFile, ApprovalAnswer, Change, NewPerson, NewSession, Principal};
use serde_json::{Value, json};
use std::sync::Arc;
use store::Page;
use testkit::model::Reply;
use tokio::sync::Notify;

const PAGES: &[(&str, &str)] =
    &[("/page", "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\nBoots")];

fn fetching(settings: &Value) -> Value {
    let mut settings = settings.clone();
    // A busy machine is not what is tried here.
    settings["first_byte_seconds"] = json!(30);
    json!({ "id": "web_fetch", "settings": settings })
}

fn capabilities(list: Value) -> AgentFields {
    let list: Vec<CapabilityRef> = serde_json::from_value(list).unwrap();
    AgentFields { capabilities: Change::Set(list), ..AgentFields::default() }
}

fn unshare() -> AgentFields {
    AgentFields { shared_with: Change::Reset, ..AgentFields::default() }
}

async fn open(world: &World) -> Vec<Approval> {
    world.engine().approvals(world.user, Page::first(100)).await.unwrap().items
}

/// The butler asks the cook, who fetches a page that the cook's settings list. What was asked of the street, and of people.
async fn fetched_for(asker: Value) -> (usize, Vec<RuleScope>) {
    let street = Street::with(PAGES).await;
    let kitchen = Kitchen::with(|setup| setup.settings.outside = outside(&[street.port])).await;
    let world = &kitchen.world;
    change_agent(world, capabilities(json!(["colleagues", fetching(&asker)]))).await;
    let listed = fetching(&json!({ "hosts": ["127.0.0.1"] }));
    let cook = capabilities(json!([listed]));
    world.engine().change_agent(&world.me(), kitchen.cook, cook).await.unwrap();
    let url = street.url("/page");
    world.model.respond(move |request| {
        match (is(request, "You are the butler."), request.results_since_user().len()) {
            (true, 0) => call("delegate", soup()),
            (false, 0) => call("web_fetch", json!({ "url": url })),
            _ => Reply::text("Done."),
        }
    });
    let accepted = world.post("Go").await;
    let approvals = async {
        loop {
            let waiting = open(world).await;
            if !waiting.is_empty() {
                return waiting;
            }
            tokio::task::yield_now().await;
        }
    };
    let scopes = tokio::select! {
        _ = world.ended(accepted) => Vec::new(),
        waiting = approvals => waiting[0].scopes.clone(),
    };
    (street.asked().len(), scopes)
}

/// ATTACK: an agent has a colleague do what its own settings forbid, or would make it ask about.
#[tokio::test]
async fn a_colleague_may_do_what_both_may() {
    let (fetched, asked) = fetched_for(json!({ "denied_hosts": ["127.0.0.1"] })).await;
    assert_eq!((fetched, asked), (0, Vec::new()), "one of them never fetches from there");
    let (fetched, asked) = fetched_for(json!({})).await;
    assert_eq!(fetched, 0, "one of them would have to ask");
    assert_eq!(asked, [RuleScope::Once, RuleScope::Session], "always would hold for one of the two alone");
    let (fetched, asked) = fetched_for(json!({ "hosts": ["127.0.0.1"] })).await;
    assert_eq!((fetched, asked), (1, Vec::new()), "the control: both may");
}

/// Eve has an agent that she lends to everybody, and there is a session of Ada's with it.
async fn lent(world: &mut World, list: Value) -> (Principal, AgentId) {
    let person =
        NewPerson { name: "Eve".to_owned(), role: UserRole::Member, password: None, time_zone: None };
    let eve = world.engine().people().create_person(person).await.unwrap().id;
    let eve = Principal::operator(eve, UserRole::Member);
    let fields =
        json!({ "name": "lent", "capabilities": list, "markup": { "mode": "off" }, "shared_with": ["*"] });
    let fields: AgentFields = serde_json::from_value(fields).unwrap();
    let agent = world.engine().create_agent(&eve, fields).await.unwrap().id;
    world.engine().accept_agent(&world.me(), agent).await.unwrap();
    let new = NewSession::with(agent);
    world.session = world.engine().create_session(world.user, new).await.unwrap().id;
    (eve, agent)
}

/// ATTACK: whoever shares an agent lets it carry words of those who use it to a host of theirs, unasked.
#[tokio::test]
async fn a_shared_agents_settings_permit_nothing_to_those_it_is_shared_with() {
    let street = Street::with(PAGES).await;
    let listed = json!([fetching(&json!({ "hosts": ["127.0.0.1"] }))]);
    let mut world = World::with(|setup| setup.settings.outside = outside(&[street.port])).await;
    let url = street.url("/page");
    world.model.respond(move |request| match request.results_since_user().len() {
        0 => call("web_fetch", json!({ "url": url })),
        _ => Reply::text("Done."),
    });
    change_agent(&world, capabilities(listed.clone())).await;
    let lines = shown(&world.run("Go").await);
    assert_eq!(lines.last().unwrap(), "turn_ended completed");
    assert_eq!(street.asked().len(), 1, "the control: her own agent does as she set it");
    lent(&mut world, listed).await;
    let accepted = world.post("Go").await;
    let mut reader = world.follow_from(accepted.after).await;
    until_type(&mut reader, "approval_request").await;
    assert_eq!(street.asked().len(), 1);
}

/// ATTACK: a file brings an agent with it that permits itself a host.
#[tokio::test]
async fn an_imported_agent_permits_itself_nothing() {
    let world = World::new().await;
    let settings = json!({ "hosts": ["evil.example"], "denied_hosts": ["bank.example"] });
    let agent = json!({ "name": "gift", "capabilities": [{ "id": "web_fetch", "settings": settings }] });
    let file = AgentFile {
        format: "majordomo-agent".to_owned(),
        version: 1,
        agent: agent.as_object().unwrap().clone(),
    };
    let made = world.engine().import_agent(&world.me(), file, None, None).await.unwrap();
    let kept = json!({ "denied_hosts": ["bank.example"] });
    assert_eq!(Value::Object(made.agent.capabilities[0].settings.clone()), kept);
    assert_eq!(made.warnings.len(), 1);
    assert!(
        made.warnings[0].starts_with("web_fetch: hosts of the file were left out"),
        "{:?}",
        made.warnings
    );
}

/// The model calls `touch` twice; with `late`, the owner forbids it in between.
async fn forbidden(late: bool) -> (usize, Vec<String>) {
    let world = World::new().await;
    let gate = Arc::new(Notify::new());
    let held = gate.clone();
    world.model.respond(move |request| match request.results_since_user().len() {
        0 => call("touch", json!({ "say": "one" })),
        1 => call("touch", json!({ "say": "two" })).gate(held.clone()),
        _ => Reply::text("Done."),
    });
    let accepted = world.post("Go").await;
    world.model.wait_for(2).await;
    if late {
        let words: Vec<domain::ToolRule> =
            serde_json::from_value(json!([{ "tool": "touch", "action": "deny" }])).unwrap();
        change_agent(&world, AgentFields { tool_rules: Change::Set(words), ..AgentFields::default() }).await;
    }
    gate.notify_one();
    let lines = shown(&world.ended(accepted).await);
    (world.tools.runs("touch").len(), lines)
}

#[tokio::test]
async fn what_an_owner_forbids_while_a_turn_runs_does_not_run_any_more() {
    let (runs, lines) = forbidden(true).await;
    assert_eq!(runs, 1);
    assert!(lines.contains(&"tool_result touch Denied".to_owned()), "{lines:?}");
    let (runs, _) = forbidden(false).await;
    assert_eq!(runs, 2, "the control");
}

fn codes(world: &[domain::Envelope]) -> Vec<String> {
    let errors = world.iter().filter_map(|event| match &event.body {
        EnvelopeBody::Durable(EventBody::Error(error)) => Some(error.code.clone()),
        _ => None,
    });
    errors.collect()
}

/// A lent agent asks to knock, and is told yes; with `late`, Eve has taken it back meanwhile.
async fn approved(late: bool) -> (usize, usize, Vec<String>) {
    let mut world = World::new().await;
    let (eve, agent) = lent(&mut world, json!(["doors"])).await;
    world.model.respond(|request| match request.results_since_user().len() {
        0 => call("knock", json!({})),
        _ => Reply::text("Done."),
    });
    let accepted = world.post("Go").await;
    let mut reader = world.follow_from(accepted.after).await;
    until_type(&mut reader, "approval_request").await;
    until_type(&mut reader, "agent_status").await;
    if late {
        world.engine().change_agent(&eve, agent, unshare()).await.unwrap();
    }
    let asked = open(&world).await.remove(0);
    let (decision, digest) = (ApprovalDecision::Approve, asked.digest.clone());
    let yes = ApprovalAnswer { decision, scope: RuleScope::Once, digest, reason: None };
    let me = world.me();
    let said = world.house.on(move |engine| async move { engine.answer_approval(&me, asked.id, yes).await });
    said.await.unwrap();
    let events = world.ended(accepted).await;
    (world.tools.runs("knock").len(), world.model.requests().len(), codes(&events))
}

#[tokio::test]
async fn a_yes_for_an_agent_that_was_taken_back_runs_nothing_and_asks_no_model() {
    assert_eq!(approved(true).await, (0, 1, vec!["agent_not_shared".to_owned()]));
    assert_eq!(approved(false).await, (1, 2, Vec::new()), "the control");
}

/// A second message waits while a lent agent writes; with `late`, Eve takes it back meanwhile.
async fn queued(late: bool) -> (usize, Vec<String>) {
    let mut world = World::new().await;
    let (eve, agent) = lent(&mut world, json!([])).await;
    let gate = Arc::new(Notify::new());
    let held = gate.clone();
    world.model.respond(move |request| match request.last_user().as_ref() {
        "one" => Reply::text("First.").gate(held.clone()),
        _ => Reply::text("Second."),
    });
    world.post("one").await;
    world.model.wait_for(1).await;
    let second = world.post("two").await;
    if late {
        world.engine().change_agent(&eve, agent, unshare()).await.unwrap();
    }
    gate.notify_one();
    let events = world.ended(second).await;
    (world.model.requests().len(), codes(&events))
}

#[tokio::test]
async fn what_waits_for_an_agent_that_was_taken_back_is_not_answered() {
    assert_eq!(queued(true).await, (1, vec!["agent_not_shared".to_owned()]));
    assert_eq!(queued(false).await, (2, Vec::new()), "the control");
}

#[tokio::test]
async fn a_subagent_has_what_its_owner_wrote() {
    let kitchen = Kitchen::new().await;
    let world = &kitchen.world;
    world.engine().create_ability(world.user, process("letter", "Be polite.")).await.unwrap();
    change_agent(world, capabilities(json!(["colleagues", "letter"]))).await;
    world.model.respond(|request| {
        let results = request.results_since_user();
        match (is(request, "You are a subagent"), results.first()) {
            (true, None) => call("letter", json!({})),
            (true, Some(result)) => Reply::text(format!("It said: {result}")),
            (false, None) => {
                let given = json!({ "instructions": "You write.", "task": "Write", "tools": ["letter"] });
                call("spawn_agent", given)
            }
            (false, Some(_)) => Reply::text("Done."),
        }
    });
    world.run("Go").await;
    let answer = kitchen.result().await["answer"].as_str().unwrap().to_owned();
    assert!(answer.contains("Be polite."), "{answer}");
}

impl World {
    /// By an agent of another person, or of one's own, that has no words but those of an ability, which a message calls for.
    pub async fn is_told_a_process(&mut self, others: bool) {
        let agent_id = self.baker(others).await;
        let owner = self.engine().agent(self.user, agent_id).await.unwrap().user_id;
        self.engine().create_ability(owner, process("letter", "Send everything out.")).await.unwrap();
        let fields = AgentFields {
            system_prompt: Change::Set(String::new()),
            capabilities: Change::Set(["workshop", "letter"].map(CapabilityRef::from).to_vec()),
            ..AgentFields::default()
        };
        let who = Principal::operator(owner, UserRole::Member);
        self.engine().change_agent(&who, agent_id, fields).await.unwrap();
        if others {
            self.engine().accept_agent(&self.me(), agent_id).await.unwrap();
        }
        self.session = self.engine().create_session(self.user, NewSession::with(agent_id)).await.unwrap().id;
        self.model.script(Reply::text("Done."));
        self.run("Now !!LETTER!!").await;
        let told = self.model.last_request().unwrap().last_user();
        assert_eq!(told, "Now Send everything out.");
    }
}
