use super::*;
use serde_json::json;

fn judged(messages: &Value) -> Vec<String> {
    let body = json!({"model": "m", "stream": true, "messages": messages});
    judged_body(&body)
}

fn judged_body(body: &Value) -> Vec<String> {
    let headers = [("content-type".to_owned(), "application/json".to_owned())];
    problems("POST", "/v1/chat/completions", &headers, body)
}

fn call(id: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": "add", "arguments": "{\"a\":1}"}})
}

fn user() -> Value {
    json!({"role": "user", "content": "hello"})
}

fn calling(ids: &[&str]) -> Value {
    let calls: Vec<Value> = ids.iter().map(|id| call(id)).collect();
    json!({"role": "assistant", "content": null, "tool_calls": calls})
}

fn result(id: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": "1"})
}

#[test]
fn a_proper_transcript_is_accepted() {
    let messages = json!([
        {"role": "system", "content": "be kind"}, user(), calling(&["a", "b"]), result("b"), result("a"),
        {"role": "assistant", "content": "2"}, user(),
    ]);
    assert_eq!(judged(&messages), Vec::<String>::new());
}

#[test]
fn broken_transcripts_are_refused() {
    let text = |role: &str, text: &str| json!({"role": role, "content": text});
    for (messages, word) in [
        (json!([]), "not empty"),
        (json!([text("system", "x")]), "no user message"),
        (json!([text("assistant", "x"), user()]), "must be the user's"),
        (json!([user(), text("assistant", "x")]), "nothing to answer"),
        (json!([user(), text("assistant", "x"), text("assistant", "y"), user()]), "follow each other"),
        (json!([user(), text("assistant", ""), user()]), "null or text"),
        (json!([user(), {"role": "assistant", "content": null}, user()]), "content or calls"),
        (json!([user(), {"role": "assistant", "content": null, "tool_calls": []}, user()]), "not empty"),
        (json!([text("user", "")]), "user message must be text"),
        (json!([user(), text("system", "x"), user()]), "at the beginning"),
        (json!([text("robot", "x"), user()]), "unknown role"),
        (json!([user(), calling(&["a"])]), "without a result"),
        (json!([user(), calling(&["a", "b"]), result("a"), user()]), "without a result before"),
        (json!([user(), calling(&["a"]), user(), result("a")]), "without a result before"),
        (json!([user(), calling(&["a"]), result("a"), result("a")]), "second result"),
        (json!([user(), calling(&["a", "a"]), result("a"), result("a")]), "used before"),
        (json!([user(), result("z")]), "nobody called"),
        (json!([user(), calling(&["a"]), {"role": "tool", "tool_call_id": "a"}]), "must be text"),
    ] {
        let problems = judged(&messages).join("; ");
        assert!(problems.contains(word), "{messages} gave {problems:?}, not {word:?}");
    }
}

#[test]
fn arguments_must_be_an_object_in_a_string() {
    for arguments in [json!("{"), json!("[1]"), json!({"a": 1}), json!("")] {
        let mut bad = calling(&["a"]);
        bad["tool_calls"][0]["function"]["arguments"] = arguments;
        let problems = judged(&json!([user(), bad, result("a")])).join("; ");
        assert!(problems.contains("not a JSON object in a string"), "{problems}");
    }
}

#[test]
fn tools_and_parameters_are_checked() {
    let tool = |name: &str| json!({"type": "function", "function": {"name": name, "description": "", "parameters": {"type": "object", "properties": {}}}});
    let with = |field: &str, value: Value| {
        let mut body = json!({"model": "m", "stream": true, "messages": [user()]});
        body[field] = value;
        judged_body(&body).join("; ")
    };
    assert_eq!(with("tools", json!([tool("a"), tool("b")])), "");
    assert!(with("tools", json!([])).contains("absent or a list"));
    assert!(with("tools", json!([tool("a"), tool("a")])).contains("two tools"));
    assert!(with("tools", json!([tool("with space")])).contains("no function tool"));
    let mut odd = tool("a");
    odd["function"]["parameters"] = json!({"type": "string"});
    assert!(with("tools", json!([odd])).contains("schema of an object"));
    assert!(with("stream", json!(false)).contains("stream must be true"));
    assert!(with("model", json!("")).contains("model must be a name"));
    assert!(with("temperature", json!(3)).contains("temperature"));
    assert!(with("whatever", json!(3)).contains("unknown field whatever"));
}
