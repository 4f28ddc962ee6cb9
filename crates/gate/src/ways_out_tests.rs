//! The whole table of what a private and untrusted step may do without a person (ADR 0067).

use super::*;
use crate::AskedBy;
use async_trait::async_trait;
use capability::{Capability, CapabilityInfo, Registry, Tool, ToolContext, ToolError};
use domain::{CapabilityRef, RuleArguments, RuleScope, Subject, Timestamp, ToolSpec};
use serde_json::json;
use std::sync::Arc;
use uuid::Uuid;

const KINDS: &[(&str, ArgumentKind)] = &[("url", ArgumentKind::Url)];
const ADDRESS: &str = "https://wiki.example/boots";

struct Fetch;

#[async_trait]
impl Tool for Fetch {
    fn spec(&self) -> ToolSpec {
        let parameters = json!({ "type": "object" });
        ToolSpec { name: "fetch".to_owned(), description: String::new(), parameters }
    }

    async fn run(&self, _: &ToolContext, _: Value) -> Result<Value, ToolError> {
        Ok(Value::Null)
    }
}

struct Bag;

impl Capability for Bag {
    fn info(&self) -> CapabilityInfo {
        CapabilityInfo::builtin("bag", "Bag", "")
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(Fetch)]
    }
}

fn me() -> UserId {
    UserId::from_uuid(Uuid::from_u128(1))
}

fn here() -> SessionId {
    SessionId::from_uuid(Uuid::from_u128(2))
}

fn above() -> SessionId {
    SessionId::from_uuid(Uuid::from_u128(3))
}

fn agent() -> AgentId {
    AgentId::from_uuid(Uuid::from_u128(4))
}

fn rule(subject: Subject, scope: RuleScope, arguments: Option<RuleArguments>) -> Rule {
    Rule {
        id: RuleId::from_uuid(Uuid::from_u128(5)),
        user_id: Some(me()),
        subject,
        tool: "fetch".to_owned(),
        action: Permission::Allow,
        scope,
        arguments,
        expires_at: None,
        created_at: Timestamp::from_millis(0),
    }
}

fn host(host: &str) -> Option<RuleArguments> {
    Some(RuleArguments::Host(host.to_owned()))
}

/// What a tool that tells `sink` may do with a step of `label`; `permission` is what the tool says, or the list of hosts.
struct Scene {
    sink: Sink,
    label: Label,
    permission: Permission,
    known: bool,
    rules: Vec<Rule>,
}

fn decided(scene: &Scene) -> Verdict {
    let registry = Registry::empty().with(Arc::new(Bag)).unwrap();
    let tools = registry.resolve(&[CapabilityRef::from("bag")], &["*".to_owned()]).unwrap();
    let permission = scene.permission;
    let party = Party { agent: agent(), granted: tools.grants("fetch", None), permission, words: Vec::new() };
    let site = Site { host: "wiki.example".to_owned(), known: scene.known };
    decide(&Circumstances {
        wanted: Wanted {
            call: CallId::from_uuid(Uuid::from_u128(6)),
            name: "fetch",
            arguments: &json!({ "url": ADDRESS }),
        },
        tool: Some(ToolFacts { sink: scene.sink, kinds: KINDS, house: false, acts_later: false }),
        checked: Ok(()),
        user: me(),
        parties: &[party],
        sessions: &[here(), above()],
        rules: &scene.rules,
        label: scene.label,
        site: (scene.sink == Sink::Site).then_some(&site),
        attended: true,
        answer: None,
        asked: &[],
    })
}

fn runs() -> Verdict {
    Verdict::Run { spends: Vec::new() }
}

fn asks(why: &[Why], scopes: Scopes) -> Verdict {
    Verdict::Ask { why: why.to_vec(), scopes }
}

/// A step with both; no person has said anything about the call.
const WORST: Scene = Scene {
    sink: Sink::Site,
    label: Label::WORST,
    permission: Permission::Ask,
    known: false,
    rules: Vec::new(),
};

type Row = (&'static str, Scene, Verdict);

fn listed() -> Scene {
    Scene { permission: Permission::Allow, ..WORST }
}

fn with(sink: Sink, rule: Rule) -> Scene {
    Scene { sink, rules: vec![rule], ..WORST }
}

fn session(id: SessionId) -> Subject {
    Subject::Session(id)
}

fn house(rule: Rule) -> Rule {
    Rule { user_id: None, ..rule }
}

const ALWAYS: RuleScope = RuleScope::Always;
const NOW: RuleScope = RuleScope::Session;

/// Addresses that a person did not name.
fn made_addresses() -> Vec<Row> {
    let two = asks(&[Why::RuleOfTwo], Scopes::Session);
    let both = asks(&[Why::Asks(AskedBy::Tool), Why::RuleOfTwo], Scopes::Session);
    let exact = Some(RuleArguments::Exact(json!({ "url": ADDRESS })));
    let below = Some(RuleArguments::Template(json!({ "url": "https://wiki.example/*" })));
    vec![
        ("an address that a model made", WORST, both.clone()),
        ("one that the agent's owner listed", listed(), two.clone()),
        (
            "one that a rule for everybody allows",
            with(Sink::Site, house(rule(Subject::Everybody, ALWAYS, None))),
            two.clone(),
        ),
        (
            "one that a rule for the person allows",
            with(Sink::Site, rule(Subject::User(me()), ALWAYS, None)),
            two.clone(),
        ),
        (
            "one that a rule for the agent allows",
            with(Sink::Site, rule(Subject::Agent(agent()), ALWAYS, host("wiki.example"))),
            two.clone(),
        ),
        (
            "one that was allowed exactly, for ever",
            with(Sink::Site, rule(Subject::Agent(agent()), ALWAYS, exact)),
            two.clone(),
        ),
        (
            "everything below, for the session",
            with(Sink::Site, rule(session(here()), NOW, below)),
            two.clone(),
        ),
        (
            "the tool for the session, whatever the address",
            with(Sink::Site, rule(session(here()), NOW, None)),
            two.clone(),
        ),
        (
            "another host for the session",
            with(Sink::Site, rule(session(here()), NOW, host("evil.example"))),
            both.clone(),
        ),
        (
            "the host, for another session",
            with(
                Sink::Site,
                rule(session(SessionId::from_uuid(Uuid::from_u128(9))), NOW, host("wiki.example")),
            ),
            both,
        ),
        (
            "the host for the session, by the house",
            with(Sink::Site, house(rule(session(here()), NOW, host("wiki.example")))),
            two,
        ),
    ]
}

/// Addresses and hosts that a person named.
fn named_addresses() -> Vec<Row> {
    vec![
        (
            "the host for this session",
            with(Sink::Site, rule(session(here()), NOW, host("wiki.example"))),
            runs(),
        ),
        (
            "the host for the session above",
            with(Sink::Site, rule(session(above()), NOW, host("wiki.example"))),
            runs(),
        ),
        ("a known address", Scene { known: true, ..WORST }, runs()),
        (
            "a known address that a rule asks about",
            Scene {
                known: true,
                rules: vec![Rule { action: Permission::Ask, ..rule(Subject::User(me()), ALWAYS, None) }],
                ..WORST
            },
            asks(&[Why::Asks(AskedBy::Person)], Scopes::Every),
        ),
        (
            "a known address of a host that is denied",
            Scene { known: true, permission: Permission::Deny, ..WORST },
            Verdict::Deny(Why::Forbidden),
        ),
    ]
}

fn services_and_programs() -> Vec<Row> {
    vec![
        (
            "the service",
            Scene { sink: Sink::Service, ..WORST },
            asks(&[Why::Asks(AskedBy::Tool), Why::RuleOfTwo], Scopes::Session),
        ),
        (
            "the service by a rule for the person",
            with(Sink::Service, rule(Subject::User(me()), ALWAYS, None)),
            asks(&[Why::RuleOfTwo], Scopes::Session),
        ),
        ("the service for this session", with(Sink::Service, rule(session(here()), NOW, None)), runs()),
        (
            "a program with a network, allowed for the session",
            with(Sink::Outside, rule(session(here()), NOW, None)),
            asks(&[Why::RuleOfTwo], Scopes::OnceOnly),
        ),
        ("a program without one", with(Sink::Inside, rule(session(here()), NOW, None)), runs()),
        (
            "what asks every time",
            Scene { permission: Permission::AskEveryTime, ..WORST },
            asks(&[Why::AsksEveryTime(AskedBy::Tool), Why::RuleOfTwo], Scopes::OnceOnly),
        ),
    ]
}

/// The controls: without a stranger's word, or without anything private, the same calls are ordinary work.
fn controls() -> Vec<Row> {
    vec![
        ("trusted: what is listed", Scene { label: Label::TRUSTED_PRIVATE, ..listed() }, runs()),
        ("public: what is listed", Scene { label: Label::UNTRUSTED_PUBLIC, ..listed() }, runs()),
        (
            "trusted: an address that a model made",
            Scene { label: Label::TRUSTED_PRIVATE, ..WORST },
            asks(&[Why::Asks(AskedBy::Tool)], Scopes::Every),
        ),
        (
            "trusted: a program with a network",
            Scene { label: Label::TRUSTED_PRIVATE, ..with(Sink::Outside, rule(session(here()), NOW, None)) },
            runs(),
        ),
    ]
}

#[test]
fn what_is_no_way_out_and_what_stays_one() {
    for rows in [made_addresses(), named_addresses(), services_and_programs(), controls()] {
        for (what, scene, verdict) in rows {
            assert_eq!(decided(&scene), verdict, "{what}");
        }
    }
}
