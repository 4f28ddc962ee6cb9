//! What `<ask>` asks for, and legacy assertions.

use markup::{Options, Order, Target, read};
use serde_json::{Value, json};

fn ask(text: &str) -> Value {
    let call = read(text, Options::default()).calls.remove(0);
    assert_eq!((call.target, call.name.as_str()), (Target::User, "ask"));
    call.arguments
}

#[test]
fn a_question_with_a_timeout_has_a_default() {
    // HERO-10
    assert_eq!(
        ask(r#"<ask options="yes, no" timeout="30s" default="no">Go?</ask>"#),
        json!({"question": "Go?", "mode": "timeout", "timeout_ms": 30_000, "default": "no", "options": ["yes", "no"]})
    );
    for (timeout, expected) in [("30", 30_000), ("500ms", 500), ("2m", 120_000), ("1h", 3_600_000)] {
        assert_eq!(ask(&format!("<ask timeout={timeout}>Go?</ask>"))["timeout_ms"], expected);
    }
    assert_eq!(ask("<ask timeout=5>Go?</ask>")["default"], "", "without a default the answer is empty");
}

#[test]
fn a_question_without_a_timeout_waits() {
    // HERO-11
    assert_eq!(ask("<ask>Go?</ask>"), json!({"question": "Go?", "mode": "demand"}));
    for text in
        ["<ask timeout=30 demand>Go?</ask>", "<ask timeout=0>Go?</ask>", "<ask timeout=soon>Go?</ask>"]
    {
        assert_eq!(ask(text)["mode"], "demand", "{text}");
    }
}

fn assertions() -> Options {
    Options { assertions: true, ..Options::default() }
}

fn fence(json: &Value) -> String {
    format!(" \n```json\n{json}\n```\n ")
}

#[test]
fn a_reply_that_is_one_fence_of_valid_operations_is_a_block_of_assertions() {
    // HERO-53
    let operations = json!([
        {"id": "1", "assertion": "command", "name": "websearch", "args": {"query": "x", "sender_id": 1}},
        {"id": "2", "command": "help", "message": "m"},
        {"id": "3", "assertion": "question", "name": "q", "message": "Go?", "mode": "timeout"},
        {"id": "4", "assertion": "todo", "name": "t", "items": []},
    ]);
    let reading = read(&fence(&operations), assertions());
    let calls: Vec<_> = reading
        .calls
        .iter()
        .map(|call| (call.reference.as_str(), call.name.as_str(), call.arguments.clone()))
        .collect();
    assert_eq!(
        calls,
        [
            ("1", "websearch", json!({"query": "x"})),
            ("2", "help", json!({"message": "m"})),
            ("3", "ask", json!({"question": "Go?", "mode": "timeout", "timeout_ms": 30_000, "default": ""})),
            ("4", "todo", json!({"items": [], "name": "t"})),
        ]
    );
    assert_eq!(reading.text, "");
    for kind in ["command", "question", "response", "thinking", "link", "todo", "progress"] {
        let one = json!([{"id": "1", "assertion": kind, "name": "n"}]);
        assert_eq!(read(&fence(&one), assertions()).calls.len(), 1, "{kind}");
    }
}

#[test]
fn pipelines_run_beside_each_other() {
    // HERO-54
    let operations = json!({"a": [{"id": "1", "command": "x"}, {"id": "2", "command": "y"}], "b": [{"id": "3", "command": "z"}]});
    let reading = read(&fence(&operations), assertions());
    let orders: Vec<_> = reading.calls.into_iter().map(|call| call.order).collect();
    let pipeline = |key: &str| Order::Pipeline { key: key.to_owned() };
    assert_eq!(orders, [pipeline("a"), pipeline("a"), pipeline("b")]);
}

#[test]
fn everything_else_in_a_fence_is_text() {
    // HERO-53
    let valid = json!([{"id": "1", "command": "x"}]);
    for text in [
        format!("Look: {}", fence(&valid)),
        format!("{} done", fence(&valid)),
        fence(&json!([{"id": "1", "command": "x"}, {"id": 2, "command": "y"}])),
        fence(&json!([{"id": "1", "assertion": "stream", "name": "x"}])),
        fence(&json!([{"id": "1", "assertion": "command"}])),
        fence(&json!({"a": {}})),
        fence(&json!([])),
        fence(&json!({})),
        fence(&json!([1])),
        format!("```\n{valid}\n```"),
        format!("```json\n{valid}\n"),
    ] {
        let reading = read(&text, assertions());
        assert_eq!((reading.text.as_str(), reading.calls.len()), (text.as_str(), 0));
    }
    let off = read(&fence(&valid), Options::default());
    assert_eq!((off.text, off.calls.len()), (fence(&valid), 0), "only where it is switched on");
    assert_eq!(read(&fence(&valid), assertions()).calls.len(), 1);
}
