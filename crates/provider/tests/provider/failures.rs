//! Answers that are not in order: each has its kind, and none shows the key.

use crate::{
    events::{self, frame},
    support::{Heard, KEY, ask, impatient, model, on_each_wire},
};
use provider::{AssistantPart, ErrorKind, ModelRequest, PromptCall, PromptMessage, RequestCount, Wire};
use serde_json::json;
use std::time::{Duration, SystemTime};
use testkit::model::{ModelServer, Reply};

on_each_wire! {
    each_status_is_told_apart,
    the_wait_a_provider_asks_for_is_told,
    a_key_that_is_echoed_does_not_come_back,
    an_error_in_the_middle_of_a_stream_ends_it,
    a_stream_that_breaks_off_is_never_complete,
    a_break_after_the_stop_marker_is_no_failure,
    silence_is_not_waited_for_for_ever,
    lies_about_the_content_type_are_seen_through,
    garbage_is_called_garbage,
    an_endless_line_is_given_up,
    an_endless_refusal_is_cut_short,
    a_bad_transcript_is_refused_by_the_server_of_the_tests,
    a_bad_transcript_fails_its_test,
    a_name_that_nobody_takes_does_not_end_the_conversation,
}

/// A prefix of a stream that holds the first pieces of text.
const SOME_BYTES: usize = 400;

fn halves() -> Reply {
    Reply::pieces(["one ", "two ", "three"])
}

#[track_caller]
fn failed(heard: &Heard, kind: ErrorKind) {
    let error = heard.error();
    assert_eq!(error.kind, kind, "{error}");
    assert!(!error.detail.is_empty() && !error.advice().is_empty() && !error.code().is_empty());
    assert!(!format!("{error} {error:?} {}", error.advice()).contains(KEY), "{error:?}");
}

async fn each_status_is_told_apart(wire: Wire) {
    let server = ModelServer::start().await;
    let model = model(&server, wire);
    for (status, kind, retryable) in [
        (400, ErrorKind::Refused, false),
        (401, ErrorKind::Authentication, false),
        (403, ErrorKind::Authentication, false),
        (404, ErrorKind::UnknownModel, false),
        (413, ErrorKind::ContextTooLong, false),
        (429, ErrorKind::RateLimited, true),
        (500, ErrorKind::Server, true),
        (503, ErrorKind::Overloaded, true),
        (529, ErrorKind::Overloaded, true),
    ] {
        server.script(Reply::status(status));
        let heard = ask(&model).await;
        failed(&heard, kind);
        assert_eq!(heard.error().is_retryable(), retryable, "{status}");
        assert!(heard.error().detail.contains(&format!("scripted {status}")), "{}", heard.error());
    }
    assert_eq!(server.requests().len(), 9, "a refusal is not asked again here");
}

async fn the_wait_a_provider_asks_for_is_told(wire: Wire) {
    let server = ModelServer::start().await;
    let model = model(&server, wire);
    server.script(Reply::status(429).header("retry-after", "7"));
    let heard = ask(&model).await;
    assert_eq!(heard.error().retry_after, Some(Duration::from_secs(7)));
    assert!(heard.error().advice().contains("7 seconds"), "{}", heard.error().advice());

    let then = chrono::DateTime::<chrono::Utc>::from(SystemTime::now() + Duration::from_secs(600));
    let date = then.format("%a, %d %b %Y %H:%M:%S GMT").to_string();
    server.script(Reply::status(503).header("retry-after", &date));
    let wait = ask(&model).await.error().retry_after.unwrap();
    assert!((500..=600).contains(&wait.as_secs()), "{wait:?}");

    server.script(Reply::status(429).header("retry-after", "whenever"));
    assert_eq!(ask(&model).await.error().retry_after, None);
}

async fn a_key_that_is_echoed_does_not_come_back(wire: Wire) {
    let server = ModelServer::start().await;
    let model = model(&server, wire);
    let echo = json!({"error": {"message": format!("Incorrect API key provided: {KEY}. Bearer {KEY}")}});
    server.script(Reply::status(401).body(echo.to_string()));
    let heard = ask(&model).await;
    failed(&heard, ErrorKind::Authentication);
    assert!(heard.error().detail.contains("[secret]"), "{}", heard.error());

    let message = echo.pointer("/error/message").and_then(serde_json::Value::as_str).unwrap();
    server.script(Reply::events([events::error(wire, "server_error", message)]));
    let heard = ask(&model).await;
    failed(&heard, ErrorKind::Server);
    assert!(heard.error().detail.contains("[secret]"), "{}", heard.error());

    server.script(Reply::raw(format!("data: {KEY}\n\n")));
    failed(&ask(&model).await, ErrorKind::Protocol);
    assert!(!format!("{model:?}").contains(KEY));
}

async fn an_error_in_the_middle_of_a_stream_ends_it(wire: Wire) {
    let server = ModelServer::start().await;
    let text = |text| frame(&events::text(wire, text));
    let error = frame(&events::error(wire, "server_error", "out of memory"));
    let rest = text("more") + &frame(&events::finish(wire)) + &events::done(wire);
    server.script(Reply::raw(events::opening(wire) + &text("half") + &error + &rest));
    let heard = ask(&model(&server, wire)).await;
    failed(&heard, ErrorKind::Server);
    assert_eq!(heard.text, "half");
    assert!(heard.error().detail.contains("out of memory"));
}

async fn a_stream_that_breaks_off_is_never_complete(wire: Wire) {
    let server = ModelServer::start().await;
    let model = model(&server, wire);
    for reply in [
        halves().cut_after_pieces(2),
        halves().cut_after_pieces(2).close(),
        halves().cut_after(SOME_BYTES),
        halves().cut_after(SOME_BYTES).close(),
        halves().without_finish().without_done(),
        Reply::raw("").close(),
        Reply::raw(": nothing but comments\n\n"),
    ] {
        server.script(reply);
        let heard = ask(&model).await;
        failed(&heard, ErrorKind::Truncated);
        assert!(heard.error().is_retryable());
        assert!("one two three".starts_with(&heard.text), "{}", heard.text);
    }
}

async fn a_break_after_the_stop_marker_is_no_failure(wire: Wire) {
    let server = ModelServer::start().await;
    let model = model(&server, wire);
    let ended = events::opening(wire) + &frame(&events::text(wire, "x")) + &frame(&events::finish(wire));
    server.script(Reply::raw(format!("{ended}{}", events::done(wire))).cut_after(ended.len() + 4));
    let heard = ask(&model).await;
    assert_eq!((heard.text.as_str(), heard.outcome.is_ok()), ("x", true));
}

async fn silence_is_not_waited_for_for_ever(wire: Wire) {
    let server = ModelServer::start().await;
    let model = impatient(&server, wire);
    for reply in [halves().stall_after(0), halves().stall_after(SOME_BYTES), halves().stall_after_pieces(2)] {
        server.script(reply);
        failed(&ask(&model).await, ErrorKind::Stalled);
    }
    let never = std::sync::Arc::new(tokio::sync::Notify::new());
    server.script(halves().gate(never));
    failed(&ask(&model).await, ErrorKind::Stalled);
}

async fn lies_about_the_content_type_are_seen_through(wire: Wire) {
    let server = ModelServer::start().await;
    let model = model(&server, wire);
    let whole = events::whole(wire, "x").to_string();
    let half = &whole[..whole.len() / 2];
    for (body, kind) in [
        ("<!doctype html><title>Sign in</title>", ErrorKind::Protocol),
        ("{\"status\": \"ok\"}", ErrorKind::Protocol),
        ("{\"error\": {\"message\": \"loading\", \"code\": 503}}", ErrorKind::Overloaded),
        (half, ErrorKind::Truncated),
        ("Internal Server Error", ErrorKind::Truncated),
    ] {
        for content_type in ["text/event-stream", "application/json", "text/html"] {
            server.script(Reply::raw(body).content_type(content_type).chunks(7));
            failed(&ask(&model).await, kind);
        }
    }
}

async fn garbage_is_called_garbage(wire: Wire) {
    let server = ModelServer::start().await;
    let model = model(&server, wire);
    server.script(Reply::garbage());
    failed(&ask(&model).await, ErrorKind::Protocol);
    server.script(Reply::verbatim("NOT HTTP AT ALL\r\n\r\n"));
    failed(&ask(&model).await, ErrorKind::Protocol);
    assert_eq!(server.requests().len(), 2, "what came was an answer: it is not asked again");
}

async fn an_endless_line_is_given_up(wire: Wire) {
    let server = ModelServer::start().await;
    server.script(Reply::raw(format!("data: {}", "x".repeat(17 * 1024 * 1024))).stall_after(usize::MAX));
    let heard = ask(&model(&server, wire)).await;
    failed(&heard, ErrorKind::Protocol);
    assert!(heard.error().detail.contains("without an end"));
}

async fn an_endless_refusal_is_cut_short(wire: Wire) {
    let server = ModelServer::start().await;
    server.script(Reply::status(500).body("x ".repeat(1024 * 1024)));
    let heard = ask(&model(&server, wire)).await;
    failed(&heard, ErrorKind::Server);
    assert!(heard.error().detail.len() < 2_000);
}

fn a_result_nobody_asked_for() -> ModelRequest {
    let messages = vec![PromptMessage::user("x"), PromptMessage::tool("nobody", "x")];
    ModelRequest { messages, ..ModelRequest::default() }
}

async fn a_bad_transcript_is_refused_by_the_server_of_the_tests(wire: Wire) {
    let server = ModelServer::start().await;
    server.allow_violations();
    let error =
        model(&server, wire).stream(a_result_nobody_asked_for(), &RequestCount::default()).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Refused);
    let names_it = ["nobody called", "unexpected `tool_use_id`"];
    assert!(names_it.iter().any(|words| error.detail.contains(words)), "{error}");
    assert_eq!(server.violations().len(), 1);
}

/// A model made it up, and was told that there is no such tool. The server of the tests refuses such names as others do.
async fn a_name_that_nobody_takes_does_not_end_the_conversation(wire: Wire) {
    let server = ModelServer::start().await;
    for name in ["", "audit.delete", "rm -rf", "l\u{f6}schen", &"x".repeat(5_000)] {
        server.script(Reply::text("I go on."));
        let call = PromptCall { id: "c1".into(), name: name.to_owned(), arguments: json!({}) };
        let messages = vec![
            PromptMessage::user("x"),
            PromptMessage::Assistant { parts: vec![AssistantPart::Call(call)] },
            PromptMessage::tool("c1", "there is no such tool"),
        ];
        let request = ModelRequest { messages, ..ModelRequest::default() };
        assert!(model(&server, wire).stream(request, &RequestCount::default()).await.is_ok(), "{name:.20}");
    }
    server.assert_clean();
}

async fn a_bad_transcript_fails_its_test(wire: Wire) {
    let asked = tokio::spawn(async move {
        let server = ModelServer::start().await;
        let refused =
            model(&server, wire).stream(a_result_nobody_asked_for(), &RequestCount::default()).await;
        assert!(refused.is_err());
    });
    let panic = asked.await.unwrap_err().into_panic();
    let said = panic.downcast_ref::<String>().unwrap();
    assert!(said.contains("a real provider would refuse this"), "{said}");
}
