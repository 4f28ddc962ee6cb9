use super::*;
use serde_json::json;

fn headers() -> Vec<(String, String)> {
    let headers =
        [("anthropic-version", "2023-06-01"), ("x-api-key", "k"), ("content-type", "application/json")];
    headers.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn thought() -> Value {
    json!({"type": "thinking", "thinking": "hm", "signature": "s"})
}

fn said(words: &str) -> Value {
    json!({"role": "user", "content": [{"type": "text", "text": words}]})
}

fn found(change: impl FnOnce(&mut Value)) -> Vec<String> {
    let mut body = json!({
        "model": "m", "stream": true, "max_tokens": 4_000, "thinking": {"type": "enabled", "budget_tokens": 1_024},
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "add"}]},
            {"role": "assistant", "content": [thought(), {"type": "tool_use", "id": "c1", "name": "add", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "3"},
                {"type": "text", "text": "and?"}]},
        ],
    });
    change(&mut body);
    problems(&headers(), &body, &Memory { issued: vec![thought()], paused: false })
}

#[test]
fn a_request_in_order_has_no_problem() {
    assert_eq!(found(|_| ()), Vec::<String>::new());
}

#[test]
fn people_may_speak_several_times_in_a_row() {
    let several = |body: &mut Value| {
        let messages = body["messages"].as_array_mut().unwrap();
        messages.insert(1, said("quickly"));
        messages.extend([said("please"), said("now")]);
    };
    assert_eq!(found(several), Vec::<String>::new());
}

#[test]
fn what_the_vendor_would_refuse_is_refused() {
    type Change = fn(&mut Value);
    let bad: [(&str, Change); 20] = [
        ("max_tokens", |body| body["max_tokens"] = json!(null)),
        ("budget", |body| body["thinking"]["budget_tokens"] = json!(4_000)),
        ("thinking is on", |body| body["temperature"] = json!(0.5)),
        ("Extra inputs", |body| body["seed"] = json!(1)),
        ("cannot be modified", |body| body["messages"][1]["content"][0]["thinking"] = json!("hmm")),
        ("cannot be modified", |body| body["messages"][1]["content"][0]["signature"] = json!("other")),
        ("Expected `thinking`", |body| body["messages"][1]["content"].as_array_mut().unwrap().rotate_left(1)),
        ("without `tool_result`", |body| body["messages"][2]["content"] = json!([])),
        ("come first", |body| body["messages"][2]["content"].as_array_mut().unwrap().rotate_left(1)),
        ("unexpected `tool_use_id`", |body| body["messages"][2]["content"][0]["tool_use_id"] = json!("c2")),
        ("non-whitespace", |body| body["messages"][0]["content"][0]["text"] = json!(" \n")),
        ("non-empty content", |body| body["messages"][0]["content"] = json!([])),
        ("alternate", |body| drop(body["messages"].as_array_mut().unwrap().remove(0))),
        ("alternate", |body| body["messages"][2]["role"] = json!("assistant")),
        ("alternate", |body| body["messages"][0]["role"] = json!("system")),
        ("Expected `thinking`", |body| {
            body["messages"][1]["content"].as_array_mut().unwrap().rotate_left(1);
            let apart = said("and?");
            body["messages"].as_array_mut().unwrap().push(apart);
        }),
        ("come first", |body| {
            let between = said("wait");
            body["messages"].as_array_mut().unwrap().insert(2, between);
        }),
        ("nothing to answer", |body| drop(body["messages"].as_array_mut().unwrap().pop())),
        ("cache_control", |body| {
            let marked = json!({"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}});
            body["system"] = json!([marked, marked, marked, marked, marked]);
        }),
        ("Extra inputs", |body| body["messages_extra"] = json!([])),
    ];
    for (word, change) in bad {
        let found = found(change);
        assert!(found.iter().any(|problem| problem.contains(word)), "{word}: {found:?}");
    }
}

#[test]
fn headers_are_wanted() {
    let body = json!({"model": "m", "stream": true, "max_tokens": 1,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "x"}]}]});
    let memory = Memory { issued: Vec::new(), paused: false };
    assert!(problems(&headers(), &body, &memory).is_empty());
    for missing in 0..3 {
        let mut headers = headers();
        headers.remove(missing);
        assert_eq!(problems(&headers, &body, &memory).len(), 1, "without header {missing}");
    }
}
