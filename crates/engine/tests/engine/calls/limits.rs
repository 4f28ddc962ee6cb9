//! Limits end a turn aloud, and the session goes on.

use crate::world::{World, shown};
use domain::{EnvelopeBody, EventBody, Limits, MessageKind, Role, SessionStatus, StopReason, TurnError};
use engine::{AgentFields, Change};
use serde_json::json;
use testkit::model::Reply;

fn error(events: &[domain::Envelope]) -> TurnError {
    match &events.last().unwrap().body {
        EnvelopeBody::Durable(EventBody::TurnEnded { error: Some(error), .. }) => error.clone(),
        other => panic!("not the end of a turn that reached a limit: {other:?}"),
    }
}

/// The last message tells the person which limit it was; the next turn works, and the model is not told.
async fn is_visible_and_over(world: &World, code: &str, said: &str) {
    let messages = world.messages().await;
    let notice = messages.last().unwrap();
    assert_eq!((notice.role, notice.meta.kind), (Role::Assistant, Some(MessageKind::Limit)));
    assert!(notice.content.starts_with("I stopped:"), "{}", notice.content);
    assert_eq!(world.session().await.status, SessionStatus::Idle);
    has_time_again(world).await;
    world.model.script(Reply::text("Still here."));
    let events = world.run("And now?").await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
    let sent = world.model.last_request().unwrap().body.to_string();
    assert!(!sent.contains("I stopped:"), "{code}: the notice is for people");
    world.check(&[said, "And now?"]).await;
}

/// Enough for a machine that is busy to come to where the time must run out, and not more than a test can wait for.
const WALL_SECONDS: u32 = 4;

/// What is not about the time does not run out of it.
async fn has_time_again(world: &World) {
    let agent = world.engine().agent(world.user, world.agent).await.unwrap();
    let limits = Limits { wall_seconds: Limits::default().wall_seconds, ..agent.limits };
    let fields = AgentFields { limits: Change::Set(limits), ..AgentFields::default() };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
}

/// TIDGI-05
#[tokio::test]
async fn steps() {
    let world = World::with(|setup| setup.limits.steps = 3).await;
    world.model.queue((0..3).map(|_| Reply::calls([("look", json!({}))])));
    let events = world.run("Look for ever").await;
    assert_eq!(world.model.requests().len(), 3);
    assert_eq!(shown(&events).last().unwrap(), "turn_ended limit limit_steps");
    assert!(error(&events).message.contains("3 steps"), "{}", error(&events).message);
    is_visible_and_over(&world, "limit_steps", "Look for ever").await;
}

#[tokio::test]
async fn output_tokens() {
    let world = World::with(|setup| setup.limits.output_tokens = 25).await;
    world.model.queue((0..3).map(|_| Reply::calls([("look", json!({}))]).usage(100, 10, 0)));
    let events = world.run("Write a lot").await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended limit limit_output_tokens");
    let asked: Vec<_> =
        world.model.requests().iter().map(|request| request.body["max_tokens"].clone()).collect();
    assert_eq!(asked, [json!(25), json!(15), json!(5)], "the model is held to what is left");
    is_visible_and_over(&world, "limit_output_tokens", "Write a lot").await;
}

#[tokio::test]
async fn wall_time_while_the_model_writes() {
    let world = World::with(|setup| setup.limits.wall_seconds = WALL_SECONDS).await;
    world.model.script(Reply::pieces(["Once upon", " a time"]).stall_after_pieces(1));
    let events = world.run("Tell me a story").await;
    let shown = shown(&events);
    assert!(shown.contains(&"message_complete Once upon Interrupted".to_owned()), "{shown:?}");
    assert_eq!(shown.last().unwrap(), "turn_ended limit limit_wall_seconds");
    world.model.wait_for_hang_ups(1).await;
    is_visible_and_over(&world, "limit_wall_seconds", "Tell me a story").await;
}

#[tokio::test]
async fn wall_time_while_a_tool_runs() {
    let world = World::with(|setup| setup.limits.wall_seconds = WALL_SECONDS).await;
    world
        .model
        .script(Reply::calls([("touch", json!({ "gate": "never" })), ("look", json!({ "gate": "never" }))]));
    let events = world.run("Touch it").await;
    let shown = shown(&events);
    assert!(shown.contains(&"tool_result touch Unknown".to_owned()), "{shown:?}");
    assert!(shown.contains(&"tool_result look Error".to_owned()), "{shown:?}");
    assert_eq!(shown.last().unwrap(), "turn_ended limit limit_wall_seconds");
    assert!(world.tools.runs("touch").iter().all(|run| !run.done), "the tool was ended");
    is_visible_and_over(&world, "limit_wall_seconds", "Touch it").await;
}

#[tokio::test]
async fn a_turn_that_ran_out_of_time_goes_on_where_it_was_cut_off() {
    let world = World::with(|setup| setup.limits.wall_seconds = WALL_SECONDS).await;
    world.model.script(Reply::pieces(["Once upon", " a time"]).stall_after_pieces(1));
    world.run("Tell me a story").await;
    has_time_again(&world).await;
    world.model.script(Reply::text("there was a king."));
    let (turn, after) = world.retry().await.unwrap();
    let events = world.turn(turn, after).await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
    let sent = world.model.last_request().unwrap();
    let roles: Vec<_> = sent.messages().iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "user"], "somebody has to be answered");
    world.model.script(Reply::text("The end."));
    world.run("And then?").await;
    let sent = world.model.last_request().unwrap();
    assert_eq!(sent.messages()[2]["content"], "Once upon\n\nthere was a king.");
    world.check(&["Tell me a story", "And then?"]).await;
}

#[tokio::test]
async fn a_model_that_never_stops_writing_is_cut_off() {
    let world = World::with(|setup| setup.settings.turn.reply_bytes = 1_000).await;
    world.model.script(Reply::pieces((0..100).map(|_| "x".repeat(100))));
    let events = world.run("Write").await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
    let answer = world.messages().await.pop().unwrap();
    assert_eq!((answer.content.len(), answer.stop_reason), (1_000, Some(StopReason::Length)));
    world.check(&["Write"]).await;
}

/// What the model was told of its calls so far, one entry per request.
fn results_told(world: &World) -> Vec<usize> {
    let note = "This call had this very result";
    world.model.requests().iter().map(|request| request.body.to_string().matches(note).count()).collect()
}

/// HOUSE-20
#[tokio::test]
async fn the_same_call_with_the_same_result() {
    let world = World::new().await;
    // THREAT[turn-03]: nobody attacks, the agent is lost; without the guard it would go on for 25 steps.
    world.model.queue((0..5).map(|_| Reply::calls([("look", json!({ "at": "it" }))])));
    let events = world.run("Look until it changes").await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended limit limit_repetition");
    assert_eq!(world.model.requests().len(), 5);
    assert_eq!(results_told(&world), [0, 0, 0, 1, 2], "pointed out from the third time on");
    is_visible_and_over(&world, "limit_repetition", "Look until it changes").await;
}

#[tokio::test]
async fn the_same_call_that_is_refused() {
    let world = World::new().await;
    world.model.queue((0..5).map(|_| Reply::calls([("no_such_tool", json!({}))])));
    let events = world.run("Try").await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended limit limit_repetition");
    assert_eq!(world.model.requests().len(), 5);
}

#[tokio::test]
async fn other_arguments_are_another_call() {
    let world = World::with(|setup| setup.limits.steps = 8).await;
    world.model.queue((0..8).map(|place| Reply::calls([("look", json!({ "at": place }))])));
    let events = world.run("Look everywhere").await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended limit limit_steps");
    assert_eq!(results_told(&world), [0; 8]);
}
