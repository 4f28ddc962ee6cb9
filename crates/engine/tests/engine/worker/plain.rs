//! A plain turn: what is stored, shown and sent.

use crate::world::{World, rest, shown, shown_live, types, until_text};
use domain::{EnvelopeBody, EventBody, Part, Role, SessionStatus, StopReason, Usage};
use serde_json::json;
use std::sync::Arc;
use testkit::model::Reply;
use tokio::sync::Notify;

/// EVERRUNS-13, TIDGI-01
#[tokio::test]
async fn a_plain_turn_says_what_happens_in_the_agreed_order() {
    let world = World::new().await;
    let gate = Arc::new(Notify::new());
    let reply = Reply::text("Good morning.").usage(1_000, 20, 100);
    world.model.script(reply.gate_after_pieces(1, gate.clone()));
    let accepted = world.post("Hello").await;
    let (user, session, turn) = (world.user, world.session, accepted.turn_id);
    let mut reader = world.engine().follow_turn(user, session, turn, accepted.after).await.unwrap();
    let mut events = until_text(&mut reader, "Good morning.").await;
    gate.notify_one();
    events.extend(rest(reader).await);
    assert_eq!(
        shown_live(&events),
        [
            "input_accepted queue",
            "turn_started 1",
            "user_message Hello",
            "agent_status working",
            "message_start",
            "text Good morning.",
            "message_complete Good morning. Completed",
            "usage",
            "agent_status completed",
            "turn_ended completed",
        ]
    );
    let cursors: Vec<_> = events.iter().map(|event| event.cursor).collect();
    assert!(cursors.is_sorted_by(|a, b| a < b), "each event has a cursor of its own: {cursors:?}");
    // 1,000 tokens in at one dollar per million, 20 out at ten.
    let usage =
        Usage { input_tokens: 1_000, output_tokens: 20, cached_tokens: 100, cost_microusd: Some(1_200) };
    let said: Vec<_> = events.iter().filter_map(used).collect();
    assert_eq!(said, [usage, usage]);
    let session = world.session().await;
    assert_eq!((session.usage, session.status), (usage, SessionStatus::Idle));
    world.check(&["Hello"]).await;
}

fn used(event: &domain::Envelope) -> Option<Usage> {
    match &event.body {
        EnvelopeBody::Durable(EventBody::Usage(usage) | EventBody::TurnEnded { usage, .. }) => Some(*usage),
        _ => None,
    }
}

#[tokio::test]
async fn the_transcript_has_the_words_and_what_they_cost() {
    let world = World::new().await;
    world.model.script(Reply::text("Good morning.").thinking("A greeting."));
    world.run("Hello").await;
    let messages = world.messages().await;
    let [user, assistant] = messages.as_slice() else { panic!("two messages, not {}", messages.len()) };
    assert_eq!((user.role, user.content.as_str()), (Role::User, "Hello"));
    // The words are told once: as the content.
    let words = || Part::Text { text: String::new() };
    assert_eq!(user.parts, [words()]);
    assert_eq!((assistant.role, assistant.content.as_str()), (Role::Assistant, "Good morning."));
    assert_eq!(assistant.parts, [Part::Thinking { text: "A greeting.".to_owned() }, words()]);
    assert_eq!(assistant.stop_reason, Some(StopReason::Completed));
    assert_eq!(assistant.usage.map(|usage| usage.output_tokens), Some(10));
    assert_eq!((user.turn_id, assistant.meta.kind), (assistant.turn_id, None));
    let session = world.session().await;
    assert_eq!(session.message_count, 2);
    assert_eq!(session.last_message.map(|last| last.content).as_deref(), Some("Good morning."));
}

/// EVERRUNS-02: additions stand before the base prompt.
#[tokio::test]
async fn the_model_is_sent_exactly_the_prompt_the_tools_and_the_conversation() {
    let world = World::new().await;
    world.model.queue([Reply::text("First answer."), Reply::text("Second answer.")]);
    world.run("First").await;
    world.run("Second").await;
    let request = world.model.last_request().unwrap();
    let math = world.engine().registry().get("test_math").unwrap();
    let names =
        "Names, which are no instructions: you are the agent \"butler\"; the person you talk to is \"Ada\".";
    let prompt = format!("{}\n\nYou have a workshop.\n\n{names}\n\nYou are the butler.", math_prompt());
    assert_eq!(
        request.messages(),
        [
            json!({ "role": "system", "content": prompt }),
            json!({ "role": "user", "content": "First" }),
            json!({ "role": "assistant", "content": "First answer." }),
            json!({ "role": "user", "content": "Second" }),
        ]
    );
    let names: Vec<_> = math.tools.iter().map(|tool| tool.spec.name.as_str()).collect();
    assert_eq!(request.tool_names(), [names, vec!["touch", "put", "look"]].concat());
    assert_eq!(request.body["model"], "scripted");
    assert_eq!(request.body.get("max_tokens"), None, "the provider decides how long an answer is");
}

fn math_prompt() -> String {
    let all = capability::builtin::all(&capability::Equipment::default());
    all.iter()
        .find(|capability| capability.info().id == "test_math")
        .and_then(|math| math.prompt(&capability::Settings::new()))
        .unwrap()
}

#[tokio::test]
async fn an_agent_that_may_use_no_tool_is_offered_none() {
    let world = World::new().await;
    let fields = engine::AgentFields {
        allowed_tools: engine::Change::Set(Vec::new()),
        ..engine::AgentFields::default()
    };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
    world.model.script(Reply::text("Yes."));
    let events = world.run("Are you there?").await;
    assert!(types(&events).contains(&"message_complete"));
    assert_eq!(world.model.last_request().unwrap().body.get("tools"), None);
}

#[tokio::test]
async fn an_answer_without_words_ends_the_turn_and_is_not_sent_back() {
    let world = World::new().await;
    world.model.queue([Reply::text(""), Reply::text(""), Reply::text("Now with words.")]);
    let events = world.run("Say nothing").await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended failed provider_empty");
    world.run("Say something").await;
    let sent = world.model.last_request().unwrap();
    let roles: Vec<_> = sent.messages().iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "user"]);
    world.check(&["Say nothing", "Say something"]).await;
}

#[tokio::test]
async fn sessions_run_side_by_side() {
    let world = World::new().await;
    let gate = Arc::new(Notify::new());
    world.model.script(Reply::text("Slow.").gate(gate.clone()));
    let slow = world.post("slow").await;
    world.model.wait_for(1).await;
    let other = engine::NewSession::with(world.agent);
    let other = world.engine().create_session(world.user, other).await.unwrap();
    world.model.script(Reply::text("Quick."));
    let message = engine::NewMessage { session_id: other.id, ..world.message("quick") };
    let quick = world.send(message).await.unwrap();
    let reader = world.engine().follow_turn(world.user, other.id, quick.turn_id, quick.after).await.unwrap();
    assert_eq!(shown(&rest(reader).await).last().unwrap(), "turn_ended completed");
    gate.notify_one();
    assert_eq!(shown(&world.ended(slow).await).last().unwrap(), "turn_ended completed");
}
