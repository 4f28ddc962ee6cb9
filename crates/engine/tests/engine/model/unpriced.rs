//! A model of unknown price under a budget: a person is asked for approval, as for a tool. HOUSE-13

use crate::world::{World, shown, until_type};
use domain::{
    Approval, ApprovalDecision, ApprovalStatus, Budget, EnvelopeBody, EventBody, MessageKind, Permission,
    RuleArguments, RuleScope, SessionStatus, Subject, TurnError, UserRole,
};
use engine::{
    Accepted, AgentFields, ApprovalAnswer, Change, NewMessage, NewRule, NewSession, Principal, Settings,
    WaitsFor,
};
use serde_json::json;
use store::Page;
use testkit::model::Reply;

const MODEL: &str = "test/scripted";

/// Nobody says what the model costs; the agent may spend a dollar a turn.
async fn world() -> World {
    let mut world = World::new().await;
    unprice(&mut world).await;
    set_budget(&world, Some(1_000_000)).await;
    world
}

async fn unprice(world: &mut World) {
    world.model.models_reply(
        Reply::raw(r#"{"object":"list","data":[{"id":"scripted"}]}"#).content_type("application/json"),
    );
    world.restart().await;
    world.model.respond(|_| Reply::text("Hello.").usage(100, 10, 0));
}

async fn set_budget(world: &World, per_turn_microusd: Option<u64>) {
    let budget = Budget { per_turn_microusd, per_day_microusd: None };
    let fields = AgentFields { budget: Change::Set(budget), ..AgentFields::default() };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
}

async fn parked(world: &World, text: &str) -> (Accepted, Approval) {
    let mut reader = world.follow_from(world.session().await.last_seq).await;
    let accepted = world.post(text).await;
    until_type(&mut reader, "approval_request").await;
    let events = until_type(&mut reader, "agent_status").await;
    assert_eq!(shown(&events).last().unwrap(), "agent_status inputrequired");
    let mut open = open(world).await;
    assert_eq!(open.len(), 1);
    (accepted, open.remove(0))
}

async fn open(world: &World) -> Vec<Approval> {
    world.engine().approvals(world.user, Page::first(100)).await.unwrap().items
}

fn person(world: &World) -> Principal {
    Principal::operator(world.user, UserRole::Owner)
}

async fn answer(world: &World, asked: &Approval, decision: ApprovalDecision, scope: RuleScope) {
    let (who, id) = (person(world), asked.id);
    let answer = ApprovalAnswer { decision, scope, digest: asked.digest.clone(), reason: None };
    let said = world.house.on(move |engine| async move { engine.answer_approval(&who, id, answer).await });
    said.await.unwrap();
}

async fn yes(world: &World, asked: &Approval, scope: RuleScope) {
    answer(world, asked, ApprovalDecision::Approve, scope).await;
}

fn why(events: &[domain::Envelope]) -> TurnError {
    match &events.last().unwrap().body {
        EnvelopeBody::Durable(EventBody::TurnEnded { error: Some(error), .. }) => error.clone(),
        other => panic!("not a turn that was paused: {other:?}"),
    }
}

fn completed(events: &[domain::Envelope]) {
    assert_eq!(shown(events).last().unwrap(), "turn_ended completed");
}

async fn rules(world: &World) -> Vec<domain::Rule> {
    world.engine().rules(&person(world), Page::first(10)).await.unwrap().items
}

#[tokio::test]
async fn it_asks_in_words_and_a_yes_holds_for_the_requests_of_the_turn() {
    let world = world().await;
    world.model.respond(|request| match request.results_since_user().len() {
        0 => Reply::calls([("look", json!({}))]).usage(100, 10, 0),
        _ => Reply::text("Seen.").usage(100, 10, 0),
    });
    let (accepted, asked) = parked(&world, "Look").await;
    assert_eq!(world.model.requests().len(), 0, "nothing is spent before somebody has said yes");
    assert_eq!((asked.tool.as_str(), &asked.arguments), ("use_model", &json!({ "model": MODEL })));
    let agent = world.engine().agent(world.user, world.agent).await.unwrap().name;
    let words = format!(
        "The agent {agent} wants to use {MODEL}, whose price is not known, but there is a budget of $1.00 a reply."
    );
    assert_eq!(asked.why, [words]);
    assert_eq!(asked.scopes, [RuleScope::Once, RuleScope::Session, RuleScope::Always]);
    let waiting = world.engine().waiting(world.user, accepted.turn_id).await.unwrap();
    assert_eq!(waiting, Some(vec![WaitsFor::Approval(asked.id)]));
    assert_eq!(world.session().await.status, SessionStatus::InputRequired);
    yes(&world, &asked, RuleScope::Once).await;
    let lines = shown(&world.ended(accepted).await);
    let from = lines.iter().position(|line| line.starts_with("message_start")).unwrap();
    assert_eq!(
        lines[from..],
        [
            "message_start",
            "approval_request use_model",
            "agent_status inputrequired",
            "approval_result approved user",
            "agent_status working",
            "message_restarted 1",
            "message_complete  ToolUse",
            "usage",
            "tool_use_start look",
            "tool_result look Ok",
            "message_start",
            "message_complete Seen. Completed",
            "usage",
            "agent_status completed",
            "turn_ended completed",
        ]
    );
    assert_eq!(world.model.requests().len(), 2);
    for message in world.messages().await.into_iter().filter_map(|message| message.usage) {
        assert_eq!((message.input_tokens, message.cost_microusd), (100, None), "unknown, and not nothing");
    }
    assert_eq!(rules(&world).await, []);
    world.check(&["Look"]).await;
    let (_, again) = parked(&world, "And now?").await;
    assert_ne!((again.id, &again.digest), (asked.id, &asked.digest), "once was for that turn");
}

#[tokio::test]
async fn a_yes_for_the_session_is_for_this_model_in_this_session() {
    let world = world().await;
    let (accepted, asked) = parked(&world, "Hello").await;
    yes(&world, &asked, RuleScope::Session).await;
    completed(&world.ended(accepted).await);
    completed(&world.run("And now?").await);
    let made = rules(&world).await.remove(0);
    assert_eq!((made.tool.as_str(), made.subject), ("use_model", Subject::Session(world.session)));
    assert_eq!(made.arguments, Some(RuleArguments::Exact(json!({ "model": MODEL }))));
    let new = NewSession::with(world.agent);
    let other = world.engine().create_session(world.user, new).await.unwrap().id;
    let message = NewMessage { session_id: other, ..world.message("And here?") };
    let accepted = world.send(message).await.unwrap();
    let mut reader =
        world.engine().follow_turn(world.user, other, accepted.turn_id, accepted.after).await.unwrap();
    until_type(&mut reader, "approval_request").await;
}

#[tokio::test]
async fn always_is_a_rule_that_is_listed_and_can_be_taken_back() {
    let world = world().await;
    let (accepted, asked) = parked(&world, "Hello").await;
    yes(&world, &asked, RuleScope::Always).await;
    completed(&world.ended(accepted).await);
    completed(&world.run("And now?").await);
    let made = rules(&world).await.remove(0);
    assert_eq!((made.subject, made.action), (Subject::Agent(world.agent), Permission::Allow));
    assert_eq!(made.arguments, Some(RuleArguments::Exact(json!({ "model": MODEL }))));
    world.engine().delete_rule(&person(&world), made.id).await.unwrap();
    parked(&world, "And without?").await;
}

#[tokio::test]
async fn rules_speak_of_it_as_of_a_tool() {
    let world = world().await;
    let rule = |action, scope, model: &str| NewRule {
        subject: Subject::Agent(world.agent),
        tool: "use_model".to_owned(),
        action,
        scope,
        arguments: Some(RuleArguments::Exact(json!({ "model": model }))),
        expires_at: None,
        house: false,
    };
    let engine = world.engine();
    let another = rule(Permission::Allow, RuleScope::Always, "test/another");
    engine.create_rule(&person(&world), another).await.unwrap();
    let once = rule(Permission::Allow, RuleScope::Once, MODEL);
    engine.create_rule(&person(&world), once).await.unwrap();
    completed(&world.run("Hello").await);
    let (_, asked) = parked(&world, "The rule is used up, and the other is for another").await;
    answer(&world, &asked, ApprovalDecision::Deny, RuleScope::Once).await;
    let deny = rule(Permission::Deny, RuleScope::Always, MODEL);
    world.engine().create_rule(&person(&world), deny).await.unwrap();
    let error = why(&world.run("And now?").await);
    assert_eq!(error.code, "price_unknown");
    assert!(error.message.contains("A rule denies this"), "{}", error.message);
}

#[tokio::test]
async fn a_no_ends_the_turn_with_what_can_be_done_and_a_retry_asks_again() {
    let world = world().await;
    let (accepted, asked) = parked(&world, "Hello").await;
    answer(&world, &asked, ApprovalDecision::Deny, RuleScope::Once).await;
    let events = world.ended(accepted).await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended limit price_unknown");
    let error = why(&events);
    for words in [MODEL, "The person denied this call", "Set a price", "mark it as free", "remove the budget"]
    {
        assert!(error.message.contains(words), "{words:?} in {}", error.message);
    }
    assert_eq!(world.messages().await.pop().unwrap().meta.kind, Some(MessageKind::Limit));
    assert_eq!(world.model.requests().len(), 0);
    world.check(&["Hello"]).await;
    let mut reader = world.follow_from(world.session().await.last_seq).await;
    let (turn, after) = world.retry().await.unwrap();
    until_type(&mut reader, "approval_request").await;
    until_type(&mut reader, "agent_status").await;
    let asked = open(&world).await.remove(0);
    yes(&world, &asked, RuleScope::Once).await;
    completed(&world.turn(turn, after).await);
}

#[tokio::test]
async fn words_that_name_it_are_a_no() {
    let world = world().await;
    let (accepted, asked) = parked(&world, "Hello").await;
    let named = domain::Answers::ApprovalId(asked.id);
    let answered = world.reply(named, "Take the cheap one").await.unwrap();
    assert_eq!(answered.turn_id, accepted.turn_id);
    let error = why(&world.ended(answered).await);
    assert!(error.message.contains("Take the cheap one"), "{}", error.message);
    assert_eq!(world.model.requests().len(), 0);
}

#[tokio::test]
async fn no_answer_in_time_is_a_no() {
    let mut world = world().await;
    let (accepted, _) = parked(&world, "Hello").await;
    let day = i64::try_from(Settings::default().approvals.expiry.as_millis()).unwrap();
    world.house.kill().await;
    world.clock.advance(day);
    world.house = world.house(world.house.node).await;
    let events = world.ended(accepted).await;
    assert!(shown(&events).contains(&"approval_result expired timeout".to_owned()));
    let error = why(&events);
    assert!(error.message.contains("Not answered in time"), "{}", error.message);
    assert_eq!(world.model.requests().len(), 0);
}

#[tokio::test]
async fn it_survives_restarts_and_is_asked_once() {
    let mut world = world().await;
    let (accepted, asked) = parked(&world, "Hello").await;
    for _ in 0..3 {
        world.crash().await;
        assert_eq!(open(&world).await, std::slice::from_ref(&asked), "the same id, the same digest");
    }
    yes(&world, &asked, RuleScope::Once).await;
    let lines = shown(&world.ended(accepted).await);
    assert_eq!(lines.iter().filter(|line| line.starts_with("approval_request")).count(), 1, "{lines:?}");
    assert_eq!((lines.last().unwrap().as_str(), world.model.requests().len()), ("turn_ended completed", 1));
    world.check(&["Hello"]).await;
}

#[tokio::test]
async fn a_yes_holds_when_whoever_heard_it_dies_in_the_middle_of_the_answer() {
    let mut world = world().await;
    let (accepted, asked) = parked(&world, "Hello").await;
    world.model.respond(|_| Reply::pieces(["Once upon", " a time"]).stall_after_pieces(1));
    let mut reader = world.follow_from(world.session().await.last_seq).await;
    yes(&world, &asked, RuleScope::Once).await;
    crate::world::until_text(&mut reader, "Once upon").await;
    world.model.respond(|_| Reply::text("Once more.").usage(100, 10, 0));
    world.crash().await;
    completed(&world.ended(accepted).await);
    assert_eq!(open(&world).await, [], "nobody is asked twice for the same turn");
    assert_eq!(world.messages().await.pop().unwrap().content, "Once more.");
}

#[tokio::test]
async fn a_stop_is_a_no() {
    let mut world = world().await;
    let (accepted, asked) = parked(&world, "Hello").await;
    world.crash().await;
    world.abort().await.unwrap();
    assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended cancelled");
    assert_eq!(open(&world).await, []);
    let settled = world.engine().approval(world.user, asked.id).await.unwrap();
    assert_eq!((settled.status, world.model.requests().len()), (ApprovalStatus::Denied, 0));
}

#[tokio::test]
async fn what_changed_meanwhile_counts_and_not_what_was_asked() {
    let world = world().await;
    let (accepted, asked) = parked(&world, "Hello").await;
    set_budget(&world, None).await;
    answer(&world, &asked, ApprovalDecision::Deny, RuleScope::Once).await;
    completed(&world.ended(accepted).await);
}

#[tokio::test]
async fn nobody_is_asked_where_the_price_is_known_or_nobody_keeps_a_budget() {
    let mut world = World::new().await;
    set_budget(&world, Some(1_000_000)).await;
    world.model.respond(|_| Reply::text("Hello.").usage(100, 10, 0));
    completed(&world.run("This one has a price").await);
    world.model.models_reply(
        Reply::raw(
            r#"{"object":"list","data":[{"id":"scripted","pricing":{"prompt":"0","completion":"0"}}]}"#,
        )
        .content_type("application/json"),
    );
    world.restart().await;
    completed(&world.run("This one is free").await);
    unprice(&mut world).await;
    set_budget(&world, None).await;
    completed(&world.run("Nobody keeps a budget").await);
    assert_eq!(world.engine().approvals(world.user, Page::first(1)).await.unwrap().total, 0);
    set_budget(&world, Some(1_000_000)).await;
    parked(&world, "The control: now it asks").await;
}

#[tokio::test]
async fn nobody_is_asked_for_a_title_but_a_rule_counts() {
    for allowed in [false, true] {
        let mut world = World::with(|setup| setup.settings.summaries.titles = true).await;
        unprice(&mut world).await;
        set_budget(&world, Some(1_000_000)).await;
        let (_, asked) = parked(&world, "What a fine day it is").await;
        let mut reader = world.follow_from(world.session().await.last_seq).await;
        yes(&world, &asked, if allowed { RuleScope::Always } else { RuleScope::Once }).await;
        until_type(&mut reader, "session_updated").await;
        let title = world.session().await.name.unwrap();
        let (asks, expected) = if allowed { (2, "Hello") } else { (1, "What a fine day it is") };
        assert_eq!((world.model.requests().len(), title.as_str()), (asks, expected));
        assert_eq!(open(&world).await, []);
    }
}
