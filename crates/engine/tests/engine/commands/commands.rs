//! Commands as an agent has them: what looks is allowed, what changes something asks its person every time.

use crate::world::{World, shown, until_type};
use domain::{
    Approval, ApprovalDecision, CapabilityRef, MarkupMode, MarkupSettings, Message, Part, ResultStatus,
    RuleScope, UserRole,
};
use engine::{AgentFields, ApprovalAnswer, Change, Principal};
use serde_json::{Value, json};
use store::Page;
use testkit::model::Reply;

async fn world() -> World {
    let world = World::new().await;
    let capabilities = Change::Set(vec![CapabilityRef::from("commands")]);
    let markup = Change::Set(MarkupSettings { mode: MarkupMode::On, assertions: false });
    let fields = AgentFields { capabilities, markup, ..AgentFields::default() };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
    world
}

/// Says something and waits until the turn waits for its person.
async fn parked(world: &World) -> engine::Accepted {
    let mut reader = world.follow_from(world.session().await.last_seq).await;
    let accepted = world.post("Try").await;
    until_type(&mut reader, "approval_request").await;
    loop {
        let events = until_type(&mut reader, "agent_status").await;
        if shown(&events).last().unwrap() == "agent_status inputrequired" {
            return accepted;
        }
    }
}

async fn asked(world: &World) -> Vec<Approval> {
    world.engine().approvals(world.user, Page::first(100)).await.unwrap().items
}

async fn answer(world: &World, approval: Approval, decision: ApprovalDecision) {
    let who = Principal::operator(world.user, UserRole::Owner);
    let answer = ApprovalAnswer { decision, scope: RuleScope::Once, digest: approval.digest, reason: None };
    let work =
        move |engine: engine::Engine| async move { engine.answer_approval(&who, approval.id, answer).await };
    world.house.on(work).await.unwrap();
}

async fn results(world: &World) -> Vec<(String, ResultStatus, String)> {
    // What a message says is told once: as its content.
    let result = |message: Message| match message.parts.into_iter().next() {
        Some(Part::Result { name, status, .. }) => Some((name, status, message.content)),
        _ => None,
    };
    world.messages().await.into_iter().filter_map(result).collect()
}

async fn sessions(world: &World) -> u64 {
    world.engine().sessions(world.user, Default::default(), Page::first(10)).await.unwrap().total
}

/// An agent may be given a part of a tool: it is offered that much, its person is asked about that much, and the rest is refused.
#[tokio::test]
async fn an_agent_that_has_one_action_of_a_tool_is_offered_and_does_no_more() {
    for (allowed, actions) in [("session.list", ["list"].as_slice()), ("session", &["list", "show"])] {
        let world = world().await;
        let allowed_tools = Change::Set(vec![allowed.to_owned()]);
        let fields = AgentFields { allowed_tools, ..AgentFields::default() };
        world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
        world.model.script(Reply::calls([
            ("session", json!({ "action": "list" })),
            ("session", json!({ "action": "show" })),
            ("agent", json!({ "action": "list" })),
        ]));
        parked(&world).await;
        let offered = world.model.requests()[0].body["tools"].clone();
        let names: Vec<&str> =
            offered.as_array().unwrap().iter().filter_map(|tool| tool["function"]["name"].as_str()).collect();
        assert_eq!(names, ["session"], "{allowed}");
        let named = &offered[0]["function"]["parameters"]["properties"]["action"]["enum"];
        assert_eq!(*named == json!(["list"]), allowed == "session.list", "{allowed}: {named}");
        let mut asked: Vec<String> = asked(&world)
            .await
            .into_iter()
            .map(|approval| approval.arguments["action"].as_str().unwrap().to_owned())
            .collect();
        asked.sort();
        assert_eq!(asked, actions, "{allowed}");
    }
}

/// HERO-72
#[tokio::test]
async fn an_agent_is_helped_and_commands_only_what_its_person_allows() {
    let world = world().await;
    world.model.queue([
        Reply::calls([
            ("help", json!({ "filter": "^session$", "category": "commands" })),
            ("session", json!({ "action": "create", "name": "Mine" })),
            ("agent", json!({ "action": "create", "name": "spy" })),
        ]),
        Reply::text("I see."),
    ]);
    let accepted = parked(&world).await;
    assert_eq!(sessions(&world).await, 1, "nothing was made before anybody said yes");
    for approval in asked(&world).await {
        assert_eq!(approval.scopes, [RuleScope::Once], "a yes holds once");
        let allowed = approval.tool == "session";
        let decision = if allowed { ApprovalDecision::Approve } else { ApprovalDecision::Deny };
        answer(&world, approval, decision).await;
    }
    let events = world.ended(accepted).await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
    let results = results(&world).await;
    let of = |name: &str| results.iter().find(|(known, ..)| known == name).unwrap();
    assert_eq!(
        (of("help").1, of("session").1, of("agent").1),
        (ResultStatus::Ok, ResultStatus::Ok, ResultStatus::Denied)
    );
    let help: Value = serde_json::from_str(&of("help").2).unwrap();
    assert_eq!(help["data"]["commands"][0]["name"], "session");
    assert_eq!(sessions(&world).await, 2);
    let agents = world.engine().agents(world.user, Page::first(10)).await.unwrap();
    assert!(agents.items.iter().all(|agent| agent.name != "spy"));
}

/// HERO-73
#[tokio::test]
async fn a_command_answers_to_both_of_its_names() {
    let world = world().await;
    let text = "@system(command_help, {category: 'commands'})\n@system(command_dance, {})\n\
                @system(command_session, {action: 'list'})\n";
    world.model.queue([Reply::text(text), Reply::text("I see.")]);
    let accepted = parked(&world).await;
    let approval = asked(&world).await.remove(0);
    assert_eq!(approval.tool, "session");
    answer(&world, approval, ApprovalDecision::Approve).await;
    world.ended(accepted).await;
    let results = results(&world).await;
    let of = |name: &str| results.iter().find(|(known, ..)| known == name).unwrap();
    assert_eq!((of("help").1, of("session").1), (ResultStatus::Ok, ResultStatus::Ok), "{results:?}");
    assert!(of("command_dance").2.contains("Unknown function: command_dance"), "{results:?}");
}

/// What a person keeps is theirs, however long it is; what they type behind its name is judged as any words are.
#[tokio::test]
async fn a_long_prompt_that_its_person_keeps_is_their_own_word() {
    for (behind, others) in [(String::new(), false), ("Dear Sir, ".repeat(300), true)] {
        let world = crate::permission::labels::world_with(|_| {}).await;
        let (name, content) = ("brief".to_owned(), "Write kindly. ".repeat(300));
        let kept = domain::SavedPromptText { name, content, ..domain::SavedPromptText::default() };
        world.engine().save_prompt(world.user, kept, None).await.unwrap();
        world.model.script(Reply::text("I will."));
        let (me, session, line) = (world.me(), world.session, format!("/brief {behind}"));
        let sent = move |engine: engine::Engine| async move {
            engine.command(&me, domain::Source::Web, Some(session), &line, None).await
        };
        let answer = world.house.on(sent).await.unwrap();
        world.turn(answer.data["turn_id"].as_str().unwrap().parse().unwrap(), 0).await;
        assert_eq!(world.goes_outside("touch", json!({})).await.is_some(), others);
    }
}
