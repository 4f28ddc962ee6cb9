use super::*;
use crate::{ErrorKind, ProposedCall, ReplyPart};
use serde_json::json;

/// What is heard of a body that arrives in pieces of `size`.
fn heard(body: &[u8], size: usize) -> (String, Result<Completion, ErrorKind>, Reply) {
    let mut reply = Reply::default();
    let failed = body.chunks(size).find_map(|piece| reply.push(piece).err());
    let outcome = failed.map_or_else(|| reply.finish(), Err);
    let outcome = match outcome {
        Ok(Ending::Done(completion)) => Ok(completion),
        Ok(Ending::Paused(_)) => panic!("nobody asked for a pause"),
        Err(error) => Err(error.kind),
    };
    let mut said = String::new();
    while let Some(event) = reply.pop() {
        match event {
            ModelEvent::Text(text) => said.push_str(&text),
            ModelEvent::Thinking(text) => said.push_str(&format!("({text})")),
            ModelEvent::Paused | ModelEvent::Done(_) => panic!("the end is not a piece"),
        }
    }
    (said, outcome, reply)
}

fn stream(events: &[Value]) -> String {
    events.iter().map(|event| format!("event: x\r\ndata: {event}\r\n\r\n")).collect()
}

fn start(index: usize, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: usize, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn end(reason: &str) -> Value {
    json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 9}})
}

fn full() -> Vec<Value> {
    vec![
        json!({"type": "message_start", "message": {"usage": {"input_tokens": 3, "cache_read_input_tokens": 20}}}),
        json!({"type": "ping"}),
        start(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
        delta(0, json!({"type": "thinking_delta", "thinking": "hm 🎈"})),
        delta(0, json!({"type": "signature_delta", "signature": "Eq"})),
        delta(0, json!({"type": "signature_delta", "signature": "=="})),
        start(1, json!({"type": "text", "text": "Grü"})),
        delta(1, json!({"type": "text_delta", "text": "ße"})),
        start(2, json!({"type": "tool_use", "id": "t1", "name": "add", "input": {}})),
        start(3, json!({"type": "tool_use", "id": "t2", "name": "now", "input": {}})),
        delta(2, json!({"type": "input_json_delta", "partial_json": "{\"x\""})),
        delta(3, json!({"type": "input_json_delta", "partial_json": ""})),
        delta(2, json!({"type": "input_json_delta", "partial_json": ":1}"})),
        end("tool_use"),
        json!({"type": "message_stop"}),
    ]
}

#[test]
fn a_full_answer_is_the_same_however_it_is_cut() {
    let body = format!(": hello\r\n\r\n{}data: not even JSON\n\n", stream(&full()));
    let (said, outcome, _) = heard(body.as_bytes(), body.len());
    assert_eq!(said, "(hm 🎈)Grüße");
    let signed = json!({"type": "thinking", "thinking": "hm 🎈", "signature": "Eq=="});
    let expected = Completion {
        stop: Stop::ToolUse,
        calls: vec![
            ProposedCall { name: "add".into(), arguments: Ok(json!({"x": 1})) },
            ProposedCall { name: "now".into(), arguments: Ok(json!({})) },
        ],
        tokens: Some(Tokens { input: 23, output: 9, cached: 20, stored: 0 }),
        parts: vec![
            ReplyPart::Thinking("hm 🎈".into()),
            ReplyPart::Native { json: signed, replaces: 1 },
            ReplyPart::Text("Grüße".into()),
            ReplyPart::Call(0),
            ReplyPart::Call(1),
        ],
    };
    assert_eq!(outcome, Ok(expected.clone()));
    for size in 1..60 {
        let (said, outcome, _) = heard(body.as_bytes(), size);
        assert_eq!(said.replace(")(", ""), "(hm 🎈)Grüße", "in pieces of {size}");
        assert_eq!(outcome, Ok(expected.clone()), "in pieces of {size}");
    }
}

#[test]
fn only_a_stop_marker_makes_it_complete() {
    let events = full();
    let without_end = &events[..events.len() - 2];
    for body in [stream(without_end), String::new(), ": ping\n\n".to_owned()] {
        assert_eq!(heard(body.as_bytes(), 9).1, Err(ErrorKind::Truncated));
    }
    assert!(heard(stream(&events[..events.len() - 1]).as_bytes(), 9).1.is_ok());
}

#[test]
fn blocks_that_could_not_be_put_together_are_not_given_back() {
    let events = [
        start(0, json!({"type": "hologram", "depth": 3})),
        delta(0, json!({"type": "hologram_delta", "caption": "a"})),
        delta(0, json!({"type": "hologram_delta", "caption": "b"})),
        start(1, json!({"type": "hologram", "depth": 4})),
        delta(1, json!({"type": "hologram_delta", "light": {"r": 1}})),
        start(2, json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}})),
        delta(2, json!({"type": "input_json_delta", "partial_json": "{\"query\":"})),
        start(3, json!({"type": "thinking", "thinking": "unsigned"})),
        start(4, json!({"type": "text", "text": ""})),
        start(5, json!("no block")),
        end("end_turn"),
    ];
    let parts = heard(stream(&events).as_bytes(), 50).1.unwrap().parts;
    let whole = json!({"type": "hologram", "depth": 3, "caption": "ab"});
    assert_eq!(
        parts,
        [ReplyPart::Native { json: whole, replaces: 0 }, ReplyPart::Thinking("unsigned".into())]
    );
}

#[test]
fn a_flood_of_calls_blocks_or_arguments_is_refused() {
    let flood = |block: Value, count: usize| {
        let events: Vec<Value> = (0..count).map(|index| start(index, block.clone())).collect();
        heard(stream(&events).as_bytes(), 4_096).1
    };
    let call = json!({"type": "tool_use", "id": "x", "name": "add", "input": {}});
    assert_eq!(flood(call.clone(), 257), Err(ErrorKind::Protocol));
    assert_eq!(flood(json!({"type": "text", "text": ""}), 2_049), Err(ErrorKind::Protocol));
    let megabyte = delta(0, json!({"type": "input_json_delta", "partial_json": "x".repeat(1 << 20)}));
    let events: Vec<Value> = std::iter::once(start(0, call)).chain(vec![megabyte; 17]).collect();
    assert_eq!(heard(stream(&events).as_bytes(), 1 << 20).1, Err(ErrorKind::Protocol));
}

#[test]
fn the_work_grows_with_the_bytes_and_not_faster() {
    let work = |deltas: usize| {
        let piece = stream(&[delta(0, json!({"type": "input_json_delta", "partial_json": "abcd"}))]);
        let begin = stream(&[start(0, json!({"type": "tool_use", "id": "t", "name": "write", "input": {}}))]);
        let body = begin + &piece.repeat(deltas) + &stream(&[end("tool_use")]);
        let (_, outcome, reply) = heard(body.as_bytes(), 7);
        assert_eq!(outcome.unwrap().calls[0].arguments, Err("abcd".repeat(deltas)));
        (reply.frames.work(), body.len() as u64)
    };
    let (few, few_bytes) = work(1_000);
    let (many, many_bytes) = work(50_000);
    assert!(few <= few_bytes && many <= many_bytes, "no byte is looked at twice: {many} of {many_bytes}");
    assert!(many > few * 49, "the counter counts: {few}, {many}");
}
