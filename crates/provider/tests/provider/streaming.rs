//! Answers that are in order, however they are cut.

use crate::{
    events::{self, frame},
    support::{KEY, ask, hello, listen, model, on_each_wire},
};
use domain::{Parameters, ToolSpec};
use provider::{
    AssistantPart, ModelEvent, ModelRequest, PromptCall, PromptMessage, ProposedCall, RequestCount, Stop,
    Tokens, UserPart, Wire,
};
use serde_json::json;
use std::sync::Arc;
use testkit::model::{ModelServer, Reply};
use tokio::sync::Notify;

on_each_wire! {
    an_answer_is_the_same_in_writes_of_any_size,
    line_ends_comments_and_pings_do_not_matter,
    unknown_fields_and_events_are_ignored,
    a_whole_answer_to_a_streaming_request_is_accepted,
    a_piece_is_there_before_the_next_one_is_sent,
    waiting_for_a_piece_can_be_given_up_without_losing_it,
    fifty_thousand_deltas_and_a_200_kilobyte_argument_arrive_whole,
}

const WORDS: &str = "Grüße aus dem Süden, 日本 🎈 und \"zurück\"\n";

fn full() -> Reply {
    Reply::text(WORDS.repeat(3))
        .in_pieces_of(4)
        .thinking("Ich überlege … ")
        .then_calls([("add", json!({"a": 1, "b": "ü"})), ("get_current_time", json!({}))])
        .usage(120, 30, 64)
}

async fn an_answer_is_the_same_in_writes_of_any_size(wire: Wire) {
    let server = ModelServer::start().await;
    let model = model(&server, wire);
    let ways = [full(), full().chunks(1), full().chunks(7), full().chunks(7).close(), full().chunks(100)];
    for (way, reply) in ways.into_iter().enumerate() {
        server.script(reply);
        let heard = ask(&model).await;
        assert_eq!((heard.text, heard.thinking.as_str()), (WORDS.repeat(3), "Ich überlege … "), "way {way}");
        let completion = heard.outcome.unwrap();
        assert_eq!(completion.stop, Stop::ToolUse);
        let call = |name: &str, arguments| ProposedCall { name: name.into(), arguments: Ok(arguments) };
        let calls = [call("add", json!({"a": 1, "b": "ü"})), call("get_current_time", json!({}))];
        assert_eq!(completion.calls, calls);
        assert_eq!(completion.tokens, Some(Tokens { input: 120, output: 30, cached: 64, stored: 0 }));
    }
}

async fn line_ends_comments_and_pings_do_not_matter(wire: Wire) {
    let server = ModelServer::start().await;
    let model = model(&server, wire);
    let ping = "event: ping\ndata: {\"type\":\"ping\"}\n\n: keep-alive\n\nid: 3\nretry: 10\n";
    for reply in [
        full().line_end("\r\n").chunks(7),
        full().line_end("\r").chunks(3),
        full().between_events(ping),
        full().between_events(": OPENROUTER PROCESSING\r\n\r\n").line_end("\r\n").chunks(5),
        full().without_done(),
        full().content_type("text/plain"),
        full().content_type("application/json").chunks(1),
    ] {
        server.script(reply);
        let heard = ask(&model).await;
        assert_eq!(heard.text, WORDS.repeat(3));
        assert_eq!((heard.completion().stop, heard.completion().calls.len()), (Stop::ToolUse, 2));
    }
}

async fn unknown_fields_and_events_are_ignored(wire: Wire) {
    let server = ModelServer::start().await;
    let inventions: String = events::inventions(wire).iter().map(frame).collect();
    let (a, b) = (frame(&events::text(wire, "a")), frame(&events::text(wire, "b")));
    let stream = [
        inventions.clone(),
        events::opening(wire),
        a,
        inventions.clone(),
        b,
        inventions,
        frame(&events::finish(wire)),
        events::done(wire),
    ];
    server.script(Reply::raw(stream.concat()).chunks(7));
    let heard = ask(&model(&server, wire)).await;
    assert_eq!((heard.text.as_str(), heard.completion().stop), ("ab", Stop::Completed));
}

async fn a_whole_answer_to_a_streaming_request_is_accepted(wire: Wire) {
    let server = ModelServer::start().await;
    let whole = events::whole(wire, "at once").to_string();
    server.script(Reply::raw(whole).content_type("application/json"));
    let heard = ask(&model(&server, wire)).await;
    assert_eq!((heard.text.as_str(), heard.completion().stop), ("at once", Stop::Length));
}

async fn a_piece_is_there_before_the_next_one_is_sent(wire: Wire) {
    let server = ModelServer::start().await;
    let gate = Arc::new(Notify::new());
    server.script(Reply::pieces(["first", "second"]).gate_after_pieces(1, Arc::clone(&gate)));
    let mut stream = model(&server, wire).stream(hello(), &RequestCount::default()).await.unwrap();
    assert_eq!(stream.next().await.unwrap().unwrap(), ModelEvent::Text("first".into()));
    gate.notify_one();
    assert_eq!(listen(stream).await.text, "second");
}

async fn waiting_for_a_piece_can_be_given_up_without_losing_it(wire: Wire) {
    let server = ModelServer::start().await;
    let gate = Arc::new(Notify::new());
    server.script(Reply::pieces(["first", "second"]).gate_after(10, Arc::clone(&gate)));
    let mut stream = model(&server, wire).stream(hello(), &RequestCount::default()).await.unwrap();
    for _ in 0..3 {
        tokio::select! {
            biased;
            event = stream.next() => panic!("nothing was sent yet: {event:?}"),
            () = tokio::task::yield_now() => {}
        }
    }
    gate.notify_one();
    assert_eq!(listen(stream).await.text, "firstsecond");
}

async fn fifty_thousand_deltas_and_a_200_kilobyte_argument_arrive_whole(wire: Wire) {
    let server = ModelServer::start().await;
    let model = model(&server, wire);
    let deltas = frame(&events::text(wire, "abcd")).repeat(50_000);
    let end = frame(&events::finish(wire)) + &events::done(wire);
    server.script(Reply::raw(events::opening(wire) + &deltas + &end));
    let heard = ask(&model).await;
    assert_eq!((heard.text.len(), heard.completion().stop), (200_000, Stop::Completed));

    let long = "x\"ü".repeat(50_000);
    server.script(Reply::calls([("write", json!({"text": long}))]).chunks(1_000));
    let heard = ask(&model).await;
    let [call] = heard.completion().calls.as_slice() else { panic!("{:?}", heard.outcome) };
    assert_eq!(call.arguments, Ok(json!({"text": long})));
}

#[tokio::test]
async fn the_request_is_exactly_this() {
    let server = ModelServer::start().await;
    server.script(Reply::text("ok"));
    let call = PromptCall { id: "c1".into(), name: "add".into(), arguments: json!({"a": 1}) };
    let image = UserPart::Image { mime_type: "image/png".into(), data: b"\x89PNG".to_vec() };
    let request = ModelRequest {
        messages: vec![
            PromptMessage::system("be kind"),
            PromptMessage::User { parts: vec![UserPart::Text("look".into()), image] },
            PromptMessage::Assistant { parts: vec![AssistantPart::Call(call)] },
            PromptMessage::tool("c1", "{\"result\":3}"),
        ],
        tools: vec![std::sync::Arc::new(ToolSpec {
            name: "add".into(),
            description: "Adds.".into(),
            parameters: json!({"type": "object", "properties": {"a": {"type": "number"}}}),
        })],
        parameters: Parameters { temperature: Some(0.2), max_tokens: Some(50), ..Parameters::default() },
    };
    let heard =
        listen(model(&server, Wire::OpenAi).stream(request, &RequestCount::default()).await.unwrap()).await;
    assert_eq!(heard.text, "ok");

    let sent = server.last_request().unwrap();
    assert_eq!(sent.path, "/v1/chat/completions");
    assert_eq!(sent.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(sent.header("content-type"), Some("application/json"));
    assert_eq!(sent.header("accept-encoding"), None, "a compressed stream would arrive late");
    let expected = json!({
        "model": "m1",
        "messages": [
            {"role": "system", "content": "be kind"},
            {"role": "user", "content": [{"type": "text", "text": "look"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}}]},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "add", "arguments": "{\"a\":1}"}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "{\"result\":3}"},
        ],
        "tools": [{"type": "function", "function": {"name": "add", "description": "Adds.",
            "parameters": {"type": "object", "properties": {"a": {"type": "number"}}}}}],
        "stream": true, "stream_options": {"include_usage": true}, "temperature": 0.2, "max_tokens": 50,
    });
    assert_eq!(sent.body, expected);
}
