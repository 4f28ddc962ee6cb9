use super::*;
use crate::{ErrorKind, ProposedCall};
use serde_json::{Value, json};

#[derive(Debug, Default, PartialEq)]
struct Heard {
    text: String,
    thinking: String,
    outcome: Option<Result<Completion, ErrorKind>>,
}

/// What is heard of a body that arrives in pieces of `size`.
fn heard(body: &[u8], size: usize) -> Heard {
    let mut reply = Reply::default();
    let mut heard = Heard::default();
    let mut listen = |reply: &mut Reply| {
        while let Some(event) = reply.pop() {
            match event {
                ModelEvent::Text(text) => heard.text.push_str(&text),
                ModelEvent::Thinking(text) => heard.thinking.push_str(&text),
                ModelEvent::Paused | ModelEvent::Done(_) => panic!("the end is not a piece"),
            }
        }
    };
    let failed = body.chunks(size).find_map(|piece| {
        let pushed = reply.push(piece);
        listen(&mut reply);
        pushed.err()
    });
    let outcome = failed.map_or_else(|| reply.finish(), Err).map_err(|error| error.kind);
    listen(&mut reply);
    Heard { outcome: Some(outcome), ..heard }
}

fn stream(events: &[Value]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

fn delta(delta: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta}]})
}

fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

fn completed(heard: &Heard) -> &Completion {
    match &heard.outcome {
        Some(Ok(completion)) => completion,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_full_answer_is_the_same_however_it_is_cut() {
    let events = [
        json!({"object": "ping"}),
        json!({"choices": "nonsense", "object": "later.invention"}),
        delta(json!({"role": "assistant", "content": "", "reasoning_content": "hm, "})),
        delta(json!({"reasoning": "ja 🎈", "unknown": {"deep": [1]}})),
        delta(json!({"content": "Grüße"})),
        delta(json!({"content": [{"type": "text", "text": ", 日本"}, {"type": "other"}]})),
        delta(
            json!({"content": null, "tool_calls": [{"index": 0, "id": "a", "type": "function", "function": {"name": "add", "arguments": "{\"x\""}}]}),
        ),
        delta(
            json!({"tool_calls": [{"index": 0, "function": {"arguments": ":1}"}}, {"index": 1, "id": "b", "function": {"name": "now", "arguments": {}}}]}),
        ),
        json!({"choices": [{"index": 1, "delta": {"content": "another choice"}}]}),
        finish("tool_calls"),
        json!({"choices": [], "usage": {"prompt_tokens": 12, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 4}}}),
    ];
    let body = format!(": hello\r\n\r\n{}data: [DONE]\n\ndata: not even JSON\n\n", stream(&events));
    let whole = heard(body.as_bytes(), body.len());
    assert_eq!((whole.text.as_str(), whole.thinking.as_str()), ("Grüße, 日本", "hm, ja 🎈"));
    let calls = vec![
        ProposedCall { name: "add".into(), arguments: Ok(json!({"x": 1})) },
        ProposedCall { name: "now".into(), arguments: Ok(json!({})) },
    ];
    let tokens = Some(Tokens { input: 12, output: 5, cached: 4, stored: 0 });
    assert_eq!(*completed(&whole), Completion { stop: Stop::ToolUse, calls, tokens, parts: Vec::new() });
    for size in 1..100 {
        assert_eq!(heard(body.as_bytes(), size), whole, "in pieces of {size}");
    }
}

#[test]
fn each_reason_to_stop_is_told() {
    for (reason, stop) in [
        ("stop", Stop::Completed),
        ("length", Stop::Length),
        ("content_filter", Stop::Filtered),
        ("a_later_invention", Stop::Other),
        ("STOP", Stop::Completed),
        ("eos_token", Stop::Completed),
        ("tool_calls", Stop::Completed),
    ] {
        let heard = heard(stream(&[delta(json!({"content": "x"})), finish(reason)]).as_bytes(), 9);
        assert_eq!(completed(&heard).stop, stop, "{reason}");
    }
    let call = delta(json!({"tool_calls": [{"index": 0, "function": {"name": "now", "arguments": "{}"}}]}));
    assert_eq!(completed(&heard(stream(&[call.clone(), finish("stop")]).as_bytes(), 9)).stop, Stop::ToolUse);
    assert_eq!(completed(&heard(stream(&[call, finish("length")]).as_bytes(), 9)).stop, Stop::Length);
    let old = delta(json!({"function_call": {"name": "now", "arguments": "{}"}}));
    let heard = heard(stream(&[old, finish("function_call")]).as_bytes(), 9);
    assert_eq!((completed(&heard).stop, completed(&heard).calls.len()), (Stop::ToolUse, 1));
}

#[test]
fn calls_of_an_answer_that_was_stopped_are_not_made() {
    let call = |arguments: &str| {
        delta(
            json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "add", "arguments": arguments}}]}),
        )
    };
    let made = |arguments: &str, reason: &str| {
        completed(&heard(stream(&[call(arguments), finish(reason)]).as_bytes(), 9)).calls.clone()
    };
    for reason in ["content_filter", "safety", "a_later_invention"] {
        assert!(made("{}", reason).is_empty(), "{reason}");
    }
    let proposed = |arguments| vec![ProposedCall { name: "add".into(), arguments }];
    assert_eq!(made("", "length"), proposed(Err(String::new())), "cut off before it could say what");
    assert_eq!(made("{\"x\"", "length"), proposed(Err("{\"x\"".into())));
    assert_eq!(made("{\"x\":1}", "length"), proposed(Ok(json!({"x": 1}))), "this one is whole");
    assert_eq!(made("", "tool_calls"), proposed(Ok(json!({}))));
}

#[test]
fn only_a_stop_marker_makes_it_complete() {
    let text =
        stream(&[delta(json!({"content": "x"})), json!({"choices": [{"delta": {}, "finish_reason": ""}]})]);
    let truncated = Some(Err(ErrorKind::Truncated));
    assert_eq!(heard(text.as_bytes(), 9).outcome, truncated);
    assert_eq!(heard(b"", 9).outcome, truncated);
    assert_eq!(heard(b": ping\n\n", 9).outcome, truncated);
    assert_eq!(heard(format!("{text}data: {{\"choices\":[{{\"del").as_bytes(), 9).outcome, truncated);
    assert_eq!(heard(format!("{text}data: [DONE]").as_bytes(), 9).outcome, truncated, "nothing says why");
    let unended = format!("{text}data: {}", finish("length"));
    assert_eq!(completed(&heard(unended.as_bytes(), 9)).stop, Stop::Length);
}

#[test]
fn an_error_in_the_middle_keeps_what_came_before() {
    let body =
        stream(&[delta(json!({"content": "half"})), json!({"error": {"message": "busy", "code": 429}})]);
    let heard = heard(body.as_bytes(), body.len());
    assert_eq!((heard.text.as_str(), heard.outcome), ("half", Some(Err(ErrorKind::RateLimited))));
}

#[test]
fn garbage_is_named_and_unknown_events_are_not_garbage() {
    let garbage = heard(b"data: {\"choices\": [\n\n", 5);
    assert_eq!(garbage.outcome, Some(Err(ErrorKind::Protocol)));
    let odd = stream(&[
        json!(7),
        json!([]),
        json!("x"),
        json!(null),
        json!({"choices": [null, 3, {"delta": 5}]}),
        finish("stop"),
    ]);
    assert_eq!(completed(&heard(odd.as_bytes(), 5)).stop, Stop::Completed);
}

#[test]
fn an_answer_that_was_not_streamed_is_taken_whole() {
    let body = json!({"choices": [{"message": {"role": "assistant", "content": "all at once",
        "tool_calls": [{"id": "a", "function": {"name": "now", "arguments": "{}"}}]}, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2}}).to_string();
    let heard_whole = heard(format!("\n {body}").as_bytes(), 3);
    assert_eq!(heard_whole.text, "all at once");
    assert_eq!((completed(&heard_whole).calls.len(), completed(&heard_whole).stop), (1, Stop::ToolUse));
    assert_eq!(heard(b"{\"error\": \"model not loaded\"}", 3).outcome, Some(Err(ErrorKind::Server)));
    assert_eq!(heard(b"{\"hello\": \"world\"}", 3).outcome, Some(Err(ErrorKind::Protocol)));
    assert_eq!(heard(b"{\"choices\": [", 3).outcome, Some(Err(ErrorKind::Truncated)));
    assert_eq!(heard(b" <!doctype html>", 3).outcome, Some(Err(ErrorKind::Protocol)));
}

#[test]
fn fifty_thousand_deltas_and_a_huge_argument_come_through_whole() {
    let piece = "abcd";
    let mut body = stream(&[delta(
        json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "write", "arguments": "{\"text\":\""}}]}),
    )]);
    let argument = stream(&[delta(json!({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}))]);
    body.push_str(&argument.repeat(50_000));
    body.push_str(&stream(&[
        delta(json!({"tool_calls": [{"index": 0, "function": {"arguments": "\"}"}}]})),
        finish("tool_calls"),
    ]));
    let heard = heard(body.as_bytes(), 1_400);
    let [call] = completed(&heard).calls.as_slice() else { panic!("{:?}", heard.outcome) };
    assert_eq!(call.arguments, Ok(json!({"text": piece.repeat(50_000)})));
}

/// An event that has nothing but words is read in a way of its own; what it says must be what the careful way says.
#[test]
fn words_are_the_same_whichever_way_they_are_read() {
    let deltas = [
        json!({"content": "plain"}),
        json!({"role": "assistant", "content": "with \"quotes\", \n lines and Grüße 世界 😀"}),
        json!({"content": ""}),
        json!({"content": null}),
        json!({"content": 7}),
        json!({"content": [{"type": "text", "text": "in parts"}]}),
        json!({"content": "said", "refusal": null, "tool_calls": null, "function_call": null}),
        json!({"content": "said", "refusal": "not this"}),
        json!({"content": "said", "reasoning_content": "thought"}),
        json!({"content": "said", "reasoning": "thought"}),
        json!({"content": "said", "tool_calls": []}),
        json!({"content": "said", "function_call": {"name": "look", "arguments": "{}"}}),
        json!({"refusal": "no"}),
        json!({}),
    ];
    let around = |delta: &Value| {
        [
            json!({"choices": [{"index": 0, "delta": delta}]}),
            json!({"id": "c", "model": "m", "choices": [{"delta": delta, "finish_reason": null}], "usage": null}),
            json!({"choices": [{"index": 1, "delta": delta}]}),
            json!({"choices": [{"index": null, "delta": delta, "logprobs": {"content": []}}]}),
            json!({"choices": [{"index": 0, "delta": delta, "finish_reason": ""}]}),
            json!({"choices": [{"index": 0, "delta": delta, "finish_reason": "length"}]}),
            json!({"choices": [{"index": 0, "delta": delta}], "usage": {"prompt_tokens": 1, "completion_tokens": 2}}),
            json!({"choices": [{"index": 1, "delta": {"content": "x"}}, {"index": 0, "delta": delta}]}),
            json!({"choices": [{"index": 0, "message": delta}]}),
            json!({"choices": []}),
            json!({"choices": [{"index": 0, "delta": delta}], "error": {"message": "broken"}}),
        ]
    };
    for event in deltas.iter().flat_map(around) {
        let data = event.to_string();
        let (mut quick, mut careful) = (Reply::default(), Reply::default());
        let outcomes = [quick.take_event(&data), careful.take_chunk(&data)];
        assert_eq!(outcomes[0].is_ok(), outcomes[1].is_ok(), "{data}");
        assert_eq!(quick.events, careful.events, "{data}");
        assert_eq!((quick.finish, quick.tokens), (careful.finish, careful.tokens), "{data}");
        assert_eq!(format!("{:?}", quick.calls), format!("{:?}", careful.calls), "{data}");
    }
}
