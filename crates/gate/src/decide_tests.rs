use super::*;
use crate::{AskedBy, argument_digest::digest};
use async_trait::async_trait;
use capability::{Capability, CapabilityInfo, Registry, Resolved, Tool, ToolContext, ToolError};
use domain::{
    CapabilityRef, Confidentiality, Danger, Integrity, RuleArguments, RuleScope, Subject, Timestamp,
    ToolSpec, TurnId,
};
use serde_json::json;
use std::sync::{Arc, LazyLock};
use uuid::Uuid;

const KINDS: &[(&str, ArgumentKind)] = &[("url", ArgumentKind::Url), ("command", ArgumentKind::Command)];

struct Named(&'static str);

#[async_trait]
impl Tool for Named {
    fn spec(&self) -> ToolSpec {
        let parameters = json!({ "type": "object" });
        ToolSpec { name: self.0.to_owned(), description: String::new(), parameters }
    }

    async fn run(&self, _: &ToolContext, _: Value) -> Result<Value, ToolError> {
        Ok(Value::Null)
    }
}

struct Workshop;

impl Capability for Workshop {
    fn info(&self) -> CapabilityInfo {
        CapabilityInfo::builtin("box", "Box", "")
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        ["bash", "fetch", "web_search", "websearch"]
            .map(|name| Arc::new(Named(name)) as Arc<dyn Tool>)
            .to_vec()
    }
}

fn granted(allowed: &[&str]) -> Arc<Resolved> {
    let allowed: Vec<String> = allowed.iter().map(|one| (*one).to_owned()).collect();
    static REGISTRY: LazyLock<Registry> =
        LazyLock::new(|| Registry::empty().with(Arc::new(Workshop)).unwrap());
    Arc::new(REGISTRY.resolve(&[CapabilityRef::from("box")], &allowed).unwrap())
}

fn agent(number: u128) -> AgentId {
    AgentId::from_uuid(Uuid::from_u128(number))
}

fn session(number: u128) -> SessionId {
    SessionId::from_uuid(Uuid::from_u128(number))
}

fn call(number: u128) -> CallId {
    CallId::from_uuid(Uuid::from_u128(number))
}

fn user() -> UserId {
    UserId::from_uuid(Uuid::from_u128(1))
}

/// One of the parties, with the tools that it has.
#[derive(Clone, Debug)]
struct Holder {
    agent: AgentId,
    tools: Arc<Resolved>,
    permission: Permission,
    words: Vec<ToolRule>,
}

/// Circumstances with names for what a test changes.
#[derive(Clone, Debug)]
struct Scene {
    name: &'static str,
    arguments: Value,
    permission: Permission,
    sink: Sink,
    acts_later: bool,
    parties: Vec<Holder>,
    sessions: Vec<SessionId>,
    rules: Vec<Rule>,
    label: Label,
    attended: bool,
    answer: Option<Approval>,
    asked: Vec<Approval>,
}

fn scene() -> Scene {
    Scene {
        name: "bash",
        arguments: json!({ "command": "ls" }),
        permission: Permission::Ask,
        sink: Sink::Outside,
        acts_later: false,
        parties: vec![Holder {
            agent: agent(1),
            tools: granted(&["*"]),
            permission: Permission::Allow,
            words: Vec::new(),
        }],
        sessions: vec![session(1)],
        rules: Vec::new(),
        label: Label::TRUSTED_PUBLIC,
        attended: true,
        answer: None,
        asked: Vec::new(),
    }
}

impl Scene {
    fn decide(&self) -> Verdict {
        let known = matches!(self.name, "bash" | "fetch" | "web_search" | "websearch");
        let parties: Vec<Party> = self.parties.iter().map(|holder| self.party(holder)).collect();
        decide(&Circumstances {
            wanted: Wanted { call: call(1), name: self.name, arguments: &self.arguments },
            tool: known.then_some(ToolFacts {
                sink: self.sink,
                kinds: KINDS,
                house: false,
                acts_later: self.acts_later,
            }),
            checked: Ok(()),
            user: user(),
            parties: &parties,
            sessions: &self.sessions,
            rules: &self.rules,
            label: self.label,
            site: None,
            attended: self.attended,
            answer: self.answer.as_ref(),
            asked: &self.asked,
        })
    }

    fn party(&self, holder: &Holder) -> Party {
        let action = self.arguments.get("action").and_then(Value::as_str);
        Party {
            agent: holder.agent,
            granted: holder.tools.grants(self.name, action),
            // What the tool says to everybody, unless a party's settings make it stricter.
            permission: holder.permission.max(self.permission),
            words: holder.words.clone(),
        }
    }

    fn runs(&self) -> bool {
        matches!(self.decide(), Verdict::Run { .. })
    }

    fn with(mut self, rule: Rule) -> Self {
        self.rules.push(rule);
        self
    }
}

fn rule(subject: Subject, action: Permission) -> Rule {
    Rule {
        id: RuleId::from_uuid(Uuid::from_u128(7)),
        user_id: Some(user()),
        subject,
        tool: "bash".to_owned(),
        action,
        scope: RuleScope::Always,
        arguments: None,
        expires_at: None,
        created_at: Timestamp::from_millis(0),
    }
}

fn house(rule: Rule) -> Rule {
    Rule { user_id: None, ..rule }
}

fn approval(status: ApprovalStatus, arguments: Value) -> Approval {
    Approval {
        id: domain::ApprovalId::from_uuid(Uuid::from_u128(1)),
        session_id: session(1),
        turn_id: TurnId::from_uuid(Uuid::from_u128(1)),
        call_id: call(1),
        tool: "bash".to_owned(),
        digest: digest("bash", agent(1), session(1), call(1), &arguments),
        arguments,
        shown: Vec::new(),
        danger: Danger::Dangerous,
        why: Vec::new(),
        scopes: vec![RuleScope::Once],
        host: None,
        workplace: None,
        reaches: None,
        label: Some(Label::TRUSTED_PUBLIC),
        status,
        reason: Some("not today".to_owned()),
        expires_at: Timestamp::from_millis(1),
        created_at: Timestamp::from_millis(0),
    }
}

/// What an agent's settings make of a tool is its own: the agent that it works for has to be permitted as well.
#[test]
fn a_tool_that_one_of_the_parties_is_asked_about_is_asked_about() {
    let party = |number, permission| Holder {
        agent: agent(number),
        tools: granted(&["*"]),
        permission,
        words: Vec::new(),
    };
    let with = |asker: Permission| Scene {
        permission: Permission::Allow,
        parties: vec![party(1, Permission::Allow), party(2, asker)],
        ..scene()
    };
    assert!(with(Permission::Allow).runs(), "the control");
    assert!(matches!(with(Permission::Ask).decide(), Verdict::Ask { .. }));
    assert_eq!(with(Permission::Deny).decide(), Verdict::Deny(Why::Forbidden));
}

#[test]
fn attack_01_a_tool_that_is_not_granted_does_not_run() {
    // The control: the tool that is granted, and allowed, runs.
    assert!(Scene { permission: Permission::Allow, ..scene() }.runs());
    for name in ["Bash", "b\u{0430}sh", "bash ", "system.bash", "rm", ""] {
        let wanted = Scene { name, permission: Permission::Allow, ..scene() };
        assert_eq!(wanted.decide(), Verdict::Deny(Why::NotGranted), "{name:?}");
    }
    let parties = vec![Holder {
        agent: agent(1),
        tools: granted(&["fetch"]),
        permission: Permission::Allow,
        words: Vec::new(),
    }];
    let other = Scene { parties, permission: Permission::Allow, ..scene() };
    assert_eq!(other.decide(), Verdict::Deny(Why::NotGranted));
}

#[test]
fn a_tool_may_be_granted_for_some_of_its_actions() {
    let parties = vec![Holder {
        agent: agent(1),
        tools: granted(&["bash.list"]),
        permission: Permission::Allow,
        words: Vec::new(),
    }];
    let wanted =
        |arguments| Scene { parties: parties.clone(), permission: Permission::Allow, arguments, ..scene() };
    assert!(wanted(json!({ "action": "list" })).runs());
    assert!(!wanted(json!({ "action": "delete" })).runs());
    assert!(!wanted(json!({})).runs());
}

#[test]
fn attack_02_arguments_outside_their_scope_are_refused() {
    let fetch = |url: &str| Scene {
        name: "fetch",
        permission: Permission::Allow,
        arguments: json!({ "url": url }),
        ..scene()
    };
    assert!(fetch("https://example.org/").runs(), "the control");
    for url in ["file:///etc/passwd", "https://a@b/", "https://a\\b/", "gopher://x/", "//x"] {
        assert!(matches!(fetch(url).decide(), Verdict::Deny(Why::Argument(_))), "{url}");
    }
}

#[test]
fn the_words_of_a_tool() {
    let verdict = |permission| Scene { permission, ..scene() }.decide();
    assert_eq!(verdict(Permission::Allow), Verdict::Run { spends: Vec::new() });
    let asks = Verdict::Ask { why: vec![Why::Asks(AskedBy::Tool)], scopes: Scopes::Every };
    assert_eq!(verdict(Permission::Ask), asks);
    let every_time = Verdict::Ask { why: vec![Why::AsksEveryTime(AskedBy::Tool)], scopes: Scopes::OnceOnly };
    assert_eq!(verdict(Permission::AskEveryTime), every_time);
    assert_eq!(verdict(Permission::Deny), Verdict::Deny(Why::Forbidden));
}

#[test]
fn the_most_specific_rule_wins_and_then_the_strictest() {
    let (by_user, by_session) = (Subject::User(user()), Subject::Session(session(1)));
    let allow = rule(by_user, Permission::Allow);
    assert!(scene().with(allow.clone()).runs());
    let denied = scene().with(allow.clone()).with(rule(by_user, Permission::Deny));
    assert_eq!(denied.decide(), Verdict::Deny(Why::Forbidden), "of two equals the strict one");
    assert!(denied.with(rule(by_session, Permission::Allow)).runs(), "the session is closer");
    let exact = Rule { arguments: Some(RuleArguments::Exact(json!({ "command": "ls" }))), ..allow.clone() };
    let mostly = scene().with(rule(by_user, Permission::Deny)).with(exact);
    assert!(mostly.runs());
    assert!(!Scene { arguments: json!({ "command": "ls -l" }), ..mostly }.runs());
    assert!(!scene().with(Rule { tool: "fetch".to_owned(), ..allow.clone() }).runs(), "of another tool");
    let stranger = Subject::User(UserId::from_uuid(Uuid::from_u128(9)));
    assert!(!scene().with(rule(stranger, Permission::Allow)).runs(), "of somebody else");
}

#[test]
fn nobody_lowers_what_the_house_or_the_tool_insists_on() {
    let allow = rule(Subject::Session(session(1)), Permission::Allow);
    for strict in [Permission::AskEveryTime, Permission::Deny] {
        assert!(!Scene { permission: strict, ..scene() }.with(allow.clone()).runs());
        let insisting = scene().with(house(rule(Subject::Everybody, strict))).with(allow.clone());
        assert!(!insisting.runs(), "{strict:?}");
    }
    let asking = scene().with(house(rule(Subject::Everybody, Permission::Ask))).with(allow.clone());
    assert!(asking.runs(), "an ask may be answered for longer");
    assert!(scene().with(house(rule(Subject::Everybody, Permission::Allow))).runs());
}

#[test]
fn the_settings_of_an_agent_only_narrow() {
    let with = |words: Vec<ToolRule>, permission| {
        let parties =
            vec![Holder { agent: agent(1), tools: granted(&["*"]), permission: Permission::Allow, words }];
        Scene { parties, permission, ..scene() }
    };
    let word = |action, arguments| ToolRule { tool: "bash".to_owned(), action, arguments };
    assert!(with(Vec::new(), Permission::Allow).runs(), "the control");
    assert!(!with(vec![word(Permission::Allow, None)], Permission::Ask).runs(), "it permits nothing");
    assert!(!with(vec![word(Permission::Deny, None)], Permission::Allow).runs());
    let exact = Some(RuleArguments::Exact(json!({ "command": "ls" })));
    let except = vec![word(Permission::Deny, None), word(Permission::Allow, exact)];
    assert!(with(except.clone(), Permission::Allow).runs(), "an exception from its own word");
    assert!(!with(except, Permission::Ask).runs());
}

#[test]
fn a_rule_for_one_call_is_named_and_saved_for_when_it_is_needed() {
    let once = Rule { scope: RuleScope::Once, ..rule(Subject::User(user()), Permission::Allow) };
    assert_eq!(scene().with(once.clone()).decide(), Verdict::Run { spends: vec![once.id] });
    let free = Scene { permission: Permission::Allow, ..scene() }.with(once.clone());
    assert_eq!(free.decide(), Verdict::Run { spends: Vec::new() }, "nothing was needed");
    // What the person asks for everywhere makes it needed, too.
    let asks =
        Rule { id: RuleId::from_uuid(Uuid::from_u128(9)), ..rule(Subject::Everybody, Permission::Ask) };
    let narrowed = Scene { permission: Permission::Allow, ..scene() }.with(once.clone()).with(asks.clone());
    assert_eq!(narrowed.decide(), Verdict::Run { spends: vec![once.id] });
    let used_up = Scene { permission: Permission::Allow, ..scene() }.with(asks);
    assert!(!used_up.runs(), "it asks again");
    let lasting = Rule { id: RuleId::from_uuid(Uuid::from_u128(8)), ..rule(once.subject, Permission::Allow) };
    assert_eq!(scene().with(once).with(lasting).decide(), Verdict::Run { spends: Vec::new() });
}

#[test]
fn what_can_be_written_in_two_ways_is_one_deed() {
    let names = ["web_search", "websearch"];
    for (said, written) in names.iter().flat_map(|said| names.map(|written| (*said, written))) {
        let of = |action| Rule { tool: said.to_owned(), ..rule(Subject::Agent(agent(1)), action) };
        let by = |name| Scene { name, arguments: json!({ "query": "boots" }), ..scene() };
        assert!(by(written).with(of(Permission::Allow)).runs(), "{said} permits {written}");
        assert!(!by("fetch").with(of(Permission::Allow)).runs(), "and nothing else");
        let denied = Verdict::Deny(Why::Forbidden);
        assert_eq!(by(written).with(of(Permission::Deny)).decide(), denied, "{said} forbids {written}");
        let words = vec![ToolRule { tool: said.to_owned(), action: Permission::Deny, arguments: None }];
        let party = |name| Holder {
            agent: agent(1),
            tools: granted(&[name]),
            permission: Permission::Allow,
            words: words.clone(),
        };
        let narrow = Scene { parties: vec![party("*")], ..by(written) };
        assert_eq!(narrow.decide(), denied, "an agent's word about {said}");
        let without = |party| vec![Holder { words: Vec::new(), ..party }];
        let allowed = Scene { parties: without(party(said)), permission: Permission::Allow, ..by(written) };
        assert!(allowed.runs(), "{said} in allowed_tools is {written}");
        let other = Scene { name: "fetch", ..allowed };
        assert_eq!(other.decide(), Verdict::Deny(Why::NotGranted));
        let arguments = json!({ "query": "boots" });
        let digest = digest(said, agent(1), session(1), call(1), &arguments);
        let tool = said.to_owned();
        let yes = Approval { tool, digest, ..approval(ApprovalStatus::Approved, arguments) };
        assert!(Scene { answer: Some(yes.clone()), ..by(written) }.runs(), "a yes for {said}");
        assert!(!Scene { answer: Some(yes.clone()), ..by("fetch") }.runs());
        let no = Approval { status: ApprovalStatus::Denied, ..yes };
        let asked = Scene { asked: vec![no], ..by(written) };
        assert_eq!(asked.decide(), Verdict::Deny(Why::SaidBefore), "a no for {said}");
    }
}

#[test]
fn two_of_three_is_work_and_three_of_three_asks() {
    let (integrity, confidentiality) = (Integrity::Untrusted, Confidentiality::Private);
    let all = Label { integrity, confidentiality };
    let allowed = Scene { permission: Permission::Allow, label: all, ..scene() };
    let asks = Verdict::Ask { why: vec![Why::RuleOfTwo], scopes: Scopes::OnceOnly };
    assert_eq!(allowed.decide(), asks);
    assert_eq!(allowed.clone().with(rule(Subject::Session(session(1)), Permission::Allow)).decide(), asks);
    for label in
        [Label { integrity, ..Label::TRUSTED_PUBLIC }, Label { confidentiality, ..Label::TRUSTED_PUBLIC }]
    {
        assert!(Scene { label, ..allowed.clone() }.runs());
    }
    assert!(Scene { sink: Sink::Inside, ..allowed.clone() }.runs());
    assert_eq!(Scene { attended: false, ..allowed }.decide(), Verdict::Deny(Why::NobodyToAsk));
}

#[path = "decide_approval_tests.rs"]
mod approvals;
#[path = "decide_property_tests.rs"]
mod properties;
