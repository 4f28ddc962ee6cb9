use super::*;
use domain::Parameters;
use serde_json::json;

fn sent(request: &ModelRequest, completion_limit: bool) -> Value {
    sent_to(&Accepts { completion_limit, ..Accepts::default() }, request)
}

fn sent_to(accepts: &Accepts, request: &ModelRequest) -> Value {
    serde_json::from_slice(&body("m1", request, accepts).unwrap()).unwrap()
}

fn messages(messages: Vec<PromptMessage>) -> Value {
    let mut sent = sent(&ModelRequest { messages, ..ModelRequest::default() }, false);
    sent["messages"].take()
}

#[test]
fn a_whole_conversation_has_exactly_this_form() {
    let call = |id: &str, arguments: Value| {
        AssistantPart::Call(PromptCall { id: id.into(), name: "add".into(), arguments })
    };
    let request = ModelRequest {
        messages: vec![
            PromptMessage::system("be kind"),
            PromptMessage::user("add"),
            PromptMessage::Assistant {
                parts: vec![
                    AssistantPart::Native(json!({"type": "thinking", "signature": "x"})),
                    call("c1", json!({"a": 1, "b": "ü\"\n"})),
                    call("c2", json!({})),
                ],
            },
            PromptMessage::tool("c1", "3"),
            PromptMessage::tool("c2", ""),
            PromptMessage::assistant("three"),
        ],
        tools: vec![std::sync::Arc::new(ToolSpec {
            name: "add".into(),
            description: "Adds.".into(),
            parameters: json!({"type": "object", "properties": {"a": {"type": "number"}}}),
        })],
        parameters: Parameters {
            temperature: Some(0.5),
            top_p: Some(0.9),
            max_tokens: Some(7),
            seed: Some(-1),
            reasoning: None,
        },
    };
    let expected = json!({
        "model": "m1",
        "messages": [
            {"role": "system", "content": "be kind"},
            {"role": "user", "content": "add"},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "add", "arguments": "{\"a\":1,\"b\":\"ü\\\"\\n\"}"}},
                {"id": "c2", "type": "function", "function": {"name": "add", "arguments": "{}"}},
            ]},
            {"role": "tool", "tool_call_id": "c1", "content": "3"},
            {"role": "tool", "tool_call_id": "c2", "content": ""},
            {"role": "assistant", "content": "three"},
        ],
        "tools": [{"type": "function", "function": {"name": "add", "description": "Adds.",
            "parameters": {"type": "object", "properties": {"a": {"type": "number"}}}}}],
        "stream": true,
        "stream_options": {"include_usage": true},
        "temperature": 0.5, "top_p": 0.9, "max_tokens": 7, "seed": -1,
    });
    assert_eq!(sent(&request, false), expected);
}

#[test]
fn what_is_not_set_is_not_sent() {
    let request = ModelRequest { messages: vec![PromptMessage::user("x")], ..ModelRequest::default() };
    let expected = json!({"model": "m1", "messages": [{"role": "user", "content": "x"}], "stream": true,
        "stream_options": {"include_usage": true}});
    assert_eq!(sent(&request, true), expected);
}

#[test]
fn the_output_limit_has_the_name_the_vendor_wants() {
    let parameters = Parameters { max_tokens: Some(9), ..Parameters::default() };
    let request = ModelRequest { parameters, ..ModelRequest::default() };
    assert_eq!(sent(&request, true)["max_completion_tokens"], 9);
    assert_eq!(sent(&request, true).get("max_tokens"), None);
}

#[test]
fn images_travel_as_data_urls() {
    let image = UserPart::Image { mime_type: "image/png".into(), data: vec![0, 255, 7] };
    let sent = messages(vec![PromptMessage::User { parts: vec![UserPart::Text("what?".into()), image] }]);
    let expected = json!([{"role": "user", "content": [
        {"type": "text", "text": "what?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AP8H"}},
    ]}]);
    assert_eq!(sent, expected);
}

#[test]
fn messages_that_say_nothing_are_left_out() {
    let text = |text: &str| UserPart::Text(text.to_owned());
    let sent = messages(vec![
        PromptMessage::system(""),
        PromptMessage::User { parts: vec![text("a"), text(""), text("b")] },
        PromptMessage::assistant(""),
        PromptMessage::User { parts: vec![] },
    ]);
    assert_eq!(sent, json!([{"role": "user", "content": "a\n\nb"}]));
}

#[test]
fn what_a_model_does_not_take_is_left_out() {
    let words = |words: &[&str]| Thinking::Efforts(words.iter().map(|word| (*word).to_owned()).collect());
    let effort = |thinking: Thinking, reasoning: Reasoning| {
        let parameters = Parameters {
            temperature: Some(0.5),
            top_p: Some(0.5),
            reasoning: Some(reasoning),
            ..Parameters::default()
        };
        let accepts = Accepts { sampling: false, thinking, ..Accepts::default() };
        let sent = sent_to(&accepts, &ModelRequest { parameters, ..ModelRequest::default() });
        assert_eq!((sent.get("temperature"), sent.get("top_p")), (None, None));
        sent.get("reasoning_effort").and_then(Value::as_str).map(str::to_owned)
    };
    let known = || words(&["minimal", "low", "medium", "high"]);
    assert_eq!(effort(known(), Reasoning::High).as_deref(), Some("high"));
    assert_eq!(effort(known(), Reasoning::Off).as_deref(), Some("minimal"));
    assert_eq!(effort(words(&["low", "high"]), Reasoning::Off), None);
    assert_eq!(effort(Thinking::Unknown, Reasoning::Low).as_deref(), Some("low"));
    assert_eq!(effort(Thinking::Unknown, Reasoning::Off), None);
    assert_eq!(effort(Thinking::Fixed, Reasoning::High), None);
}
