//! What only the Messages wire has: blocks that are kept and given back, pauses, marks for the cache.

use crate::support::{KEY, ask, hello, listen, model, settings};
use domain::{Parameters, Reasoning, ToolSpec};
use provider::{
    AssistantPart, Completion, ErrorKind, Model, ModelEvent, ModelRequest, ModelStream, Models, PromptCall,
    PromptMessage, ReplyPart, RequestCount, Stop, Tokens, UserPart, Wire,
};
use serde_json::{Value, json};
use testkit::model::{ModelServer, Reply};

fn search() -> [Value; 2] {
    [
        json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "größe"}}),
        json!({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [
            {"type": "web_search_result", "url": "https://example.org", "encrypted_content": "EqgfCioIARgB"}]}),
    ]
}

fn searched() -> Reply {
    search().into_iter().fold(Reply::text("It is large."), Reply::block)
}

/// A model that may be told to think.
async fn thinker(server: &ModelServer, types: Value) -> Model {
    server.model_entries([json!({"type": "model", "id": "m1", "max_input_tokens": 200_000, "max_tokens": 64_000,
        "capabilities": {"image_input": {"supported": true}, "thinking": {"supported": true, "types": types}}})]);
    let models = Models::new(settings(Wire::Anthropic, &server.root_url()));
    models.discover().await;
    models.resolve(Some("local/m1")).unwrap()
}

async fn with_budget(server: &ModelServer) -> Model {
    thinker(server, json!({"enabled": {"supported": true}, "adaptive": {"supported": false}})).await
}

/// The parts of an answer as the engine gives them back to the same model.
fn given_back(completion: &Completion) -> Vec<AssistantPart> {
    let mut said: Vec<AssistantPart> = Vec::new();
    for part in &completion.parts {
        match part {
            ReplyPart::Text(text) => said.push(AssistantPart::Text(text.clone())),
            ReplyPart::Thinking(_) => said.push(AssistantPart::Text(String::new())),
            ReplyPart::Native { json, replaces } => {
                said.truncate(said.len() - *replaces as usize);
                said.push(AssistantPart::Native(json.clone()));
            }
            ReplyPart::Call(index) => {
                let call = &completion.calls[*index];
                let (id, name) = (format!("call_{index}"), call.name.clone());
                said.push(AssistantPart::Call(PromptCall {
                    id,
                    name,
                    arguments: call.arguments.clone().unwrap(),
                }));
            }
        }
    }
    said
}

fn thinking(reasoning: Reasoning) -> Parameters {
    Parameters { reasoning: Some(reasoning), ..Parameters::default() }
}

#[tokio::test]
async fn what_the_vendor_signed_goes_back_unchanged() {
    let server = ModelServer::start().await;
    let model = with_budget(&server).await;
    let redacted = json!({"type": "redacted_thinking", "data": "EmwKAhgBEgy3va3pzix"});
    let reply = search().into_iter().fold(Reply::text("I add.").block(redacted.clone()), Reply::block);
    server.script(
        reply
            .thinking("Ich überlege …")
            .citation(json!({"type": "web_search_result_location", "encrypted_index": "Eo8BCioIAhgB"}))
            .then_calls([("add", json!({"a": 1}))])
            .chunks(7),
    );
    let mut request = ModelRequest { parameters: thinking(Reasoning::Medium), ..hello() };
    let heard = listen(model.stream(request.clone(), &RequestCount::default()).await.unwrap()).await;
    assert_eq!((heard.text.as_str(), heard.thinking.as_str()), ("I add.", "Ich überlege …"));
    let completion = heard.completion();
    let natives: Vec<&str> = completion
        .parts
        .iter()
        .filter_map(|part| match part {
            ReplyPart::Native { json, .. } => json["type"].as_str(),
            _ => None,
        })
        .collect();
    assert_eq!(
        natives,
        ["thinking", "redacted_thinking", "server_tool_use", "web_search_tool_result", "text"]
    );

    // The server refuses a block that differs from what it made by a single letter.
    request.messages.push(PromptMessage::Assistant { parts: given_back(completion) });
    request.messages.push(PromptMessage::tool("call_0", "1"));
    server.script(Reply::text("One."));
    assert_eq!(listen(model.stream(request, &RequestCount::default()).await.unwrap()).await.text, "One.");
    let sent = server.last_request().unwrap().body;
    assert_eq!(sent["messages"][1]["content"][1], redacted);
    assert_eq!(sent["messages"][1]["content"][3], search()[1]);
    assert_eq!(sent["messages"][1]["content"][5]["type"], "tool_use");
    assert_eq!(sent["thinking"], json!({"type": "enabled", "budget_tokens": 8_192}));
}

#[tokio::test]
async fn blocks_that_are_refused_are_left_out_and_the_conversation_goes_on() {
    let server = ModelServer::start().await;
    server.allow_violations();
    let model = with_budget(&server).await;
    let foreign = json!({"type": "thinking", "thinking": "x", "signature": "of somebody else"});
    let call = PromptCall { id: "c1".into(), name: "add".into(), arguments: json!({}) };
    let messages = vec![
        PromptMessage::user("add"),
        PromptMessage::Assistant { parts: vec![AssistantPart::Native(foreign), AssistantPart::Call(call)] },
        PromptMessage::tool("c1", "3"),
    ];
    let request = ModelRequest { messages, tools: Vec::new(), parameters: thinking(Reasoning::High) };
    server.script(Reply::text("three"));
    assert_eq!(listen(model.stream(request, &RequestCount::default()).await.unwrap()).await.text, "three");
    assert_eq!((server.requests().len(), server.violations().len()), (2, 1));
    let sent = server.last_request().unwrap().body;
    assert_eq!(sent["messages"][1]["content"][0]["type"], "tool_use");
    assert_eq!(sent.get("thinking"), None, "a call made without thinking is answered without thinking");
}

#[tokio::test]
async fn a_pause_is_not_an_end() {
    let server = ModelServer::start().await;
    let model = model(&server, Wire::Anthropic);
    let paused = Reply::text("I look. ").block(search()[0].clone()).finish("pause_turn").usage(100, 20, 0);
    server.queue([paused, searched().usage(150, 30, 40).stored(10)]);
    let heard = ask(&model).await;
    assert_eq!(heard.text, "I look. \n\nIt is large.");
    let completion = heard.completion();
    assert_eq!(completion.stop, Stop::Completed);
    assert_eq!(completion.tokens, Some(Tokens { input: 250, output: 50, cached: 40, stored: 10 }));
    let [first, second] = server.requests().try_into().unwrap();
    assert_eq!(first.messages().len(), 1);
    let [_, so_far] = second.messages() else { panic!("{:?}", second.body) };
    assert_eq!(so_far["role"], "assistant");
    assert_eq!(so_far["content"], json!([search()[0], {"type": "text", "text": "I look. "}]));
}

#[tokio::test]
async fn a_pause_that_never_ends_is_ended() {
    let server = ModelServer::start().await;
    let model = model(&server, Wire::Anthropic);
    server.respond(|_| Reply::text("and ").finish("pause_turn"));
    let heard = ask(&model).await;
    assert_eq!(heard.completion().stop, Stop::Length);
    assert_eq!(server.requests().len(), 17);
}

/// Each request costs: whoever holds the money decides whether there is a further one, and how much it may write.
#[tokio::test]
async fn an_answer_that_pauses_goes_on_only_when_it_is_asked_to() {
    let server = ModelServer::start().await;
    let model = model(&server, Wire::Anthropic);
    server.respond(|_| Reply::text("and ").finish("pause_turn").usage(100, 20, 0));
    let sent = RequestCount::default();
    let mut stream = model.stream(hello(), &sent).await.unwrap();
    let text = async |stream: &mut ModelStream| match stream.next().await.unwrap().unwrap() {
        ModelEvent::Text(text) => text,
        other => panic!("{other:?}"),
    };
    assert_eq!(text(&mut stream).await, "and ");
    assert_eq!(stream.next().await.unwrap().unwrap(), ModelEvent::Paused);
    assert!(stream.beginning().unwrap().contains("and "));
    assert!(!stream.go_on(0), "nothing can be said with nothing");
    assert!(stream.go_on(77));
    assert_eq!(text(&mut stream).await, "and ");
    assert_eq!(server.last_request().unwrap().body["max_tokens"], 77);
    assert_eq!(stream.next().await.unwrap().unwrap(), ModelEvent::Paused);
    let Some(Ok(ModelEvent::Done(completion))) = stream.next().await else { panic!("it goes on by itself") };
    assert_eq!(completion.stop, Stop::Length);
    assert_eq!(completion.tokens.unwrap().input, 200, "what both have taken");
    assert_eq!((server.request_count(), sent.count()), (2, 2));
}

#[tokio::test]
async fn a_pause_can_fail_like_any_request() {
    let server = ModelServer::start().await;
    let model = model(&server, Wire::Anthropic);
    let overloaded = Reply::status(529).header("retry-after", "3").body(
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}).to_string(),
    );
    server.queue([Reply::text("half").finish("pause_turn"), overloaded]);
    let heard = ask(&model).await;
    assert_eq!((heard.text.as_str(), heard.error().kind), ("half", ErrorKind::Overloaded));
    assert!(heard.error().is_retryable() && heard.error().retry_after.is_some());
}

#[tokio::test]
async fn each_reason_to_stop_is_told() {
    let server = ModelServer::start().await;
    let model = model(&server, Wire::Anthropic);
    for (reason, stop) in [
        ("end_turn", Stop::Completed),
        ("stop_sequence", Stop::Completed),
        ("max_tokens", Stop::Length),
        ("model_context_window_exceeded", Stop::Length),
        ("refusal", Stop::Filtered),
        ("a_later_invention", Stop::Other),
    ] {
        server.script(Reply::text("x").finish(reason));
        assert_eq!(ask(&model).await.completion().stop, stop, "{reason}");
    }
    server.script(Reply::text("x").then_calls([("add", json!({}))]).finish("refusal"));
    assert!(ask(&model).await.completion().calls.is_empty(), "what was refused is not done");
    server.script(Reply::calls([("add", json!({}))]).finish("end_turn"));
    assert_eq!(ask(&model).await.completion().stop, Stop::ToolUse);
}

#[tokio::test]
async fn overloaded_and_errors_in_the_stream_have_their_kinds() {
    let server = ModelServer::start().await;
    let model = model(&server, Wire::Anthropic);
    for (kind, expected) in [
        ("overloaded_error", ErrorKind::Overloaded),
        ("rate_limit_error", ErrorKind::RateLimited),
        ("api_error", ErrorKind::Server),
        ("authentication_error", ErrorKind::Authentication),
        ("invalid_request_error", ErrorKind::Refused),
    ] {
        server.script(Reply::events([json!({"type": "error", "error": {"type": kind, "message": "no"}})]));
        assert_eq!(ask(&model).await.error().kind, expected, "{kind}");
    }
}

#[tokio::test]
async fn tokens_counted_before_a_break_are_known() {
    let server = ModelServer::start().await;
    server.script(Reply::pieces(["one", "two"]).usage(500, 90, 100).cut_after_pieces(1));
    let mut stream = model(&server, Wire::Anthropic).stream(hello(), &RequestCount::default()).await.unwrap();
    while let Some(Ok(_)) = stream.next().await {}
    assert_eq!(stream.tokens(), Some(Tokens { input: 500, output: 1, cached: 100, stored: 0 }));
}

#[tokio::test]
async fn the_request_is_exactly_this() {
    let server = ModelServer::start().await;
    server.script(Reply::text("ok"));
    let call = |id: &str| {
        AssistantPart::Call(PromptCall { id: id.into(), name: "add".into(), arguments: json!({"a": 1}) })
    };
    let image = UserPart::Image { mime_type: "image/png".into(), data: b"\x89PNG".to_vec() };
    let request = ModelRequest {
        messages: vec![
            PromptMessage::system("be kind"),
            PromptMessage::User { parts: vec![UserPart::Text("look".into()), image] },
            PromptMessage::Assistant { parts: vec![AssistantPart::Text(" ".into()), call("c1"), call("c2")] },
            PromptMessage::tool("c1", "3"),
            PromptMessage::tool("c2", ""),
            PromptMessage::user("quickly"),
            PromptMessage::system("The house is closing."),
        ],
        tools: vec![std::sync::Arc::new(ToolSpec {
            name: "add".into(),
            description: "Adds.".into(),
            parameters: json!({"type": "object", "properties": {"a": {"type": "number"}}}),
        })],
        parameters: Parameters {
            temperature: Some(1.5),
            top_p: Some(0.5),
            max_tokens: Some(50),
            seed: Some(7),
            reasoning: Some(Reasoning::High),
        },
    };
    let heard =
        listen(model(&server, Wire::Anthropic).stream(request, &RequestCount::default()).await.unwrap())
            .await;
    assert_eq!(heard.text, "ok");
    let sent = server.last_request().unwrap();
    assert_eq!((sent.path.as_str(), sent.header("x-api-key")), ("/v1/messages", Some(KEY)));
    assert_eq!((sent.header("authorization"), sent.header("accept-encoding")), (None, None));
    let kept = json!({"type": "ephemeral"});
    let expected = json!({
        "model": "m1", "stream": true, "max_tokens": 50, "temperature": 1.0,
        "system": [{"type": "text", "text": "be kind", "cache_control": kept}],
        "tools": [{"name": "add", "description": "Adds.",
            "input_schema": {"type": "object", "properties": {"a": {"type": "number"}}}}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image", "source":
                {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}, "cache_control": kept}]},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "c1", "name": "add", "input": {"a": 1}},
                {"type": "tool_use", "id": "c2", "name": "add", "input": {"a": 1}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "3"},
                {"type": "tool_result", "tool_use_id": "c2", "content": ""}]},
            {"role": "user", "content": [{"type": "text", "text": "quickly"}]},
            {"role": "user", "content": [
                {"type": "text", "text": "The house is closing.", "cache_control": kept}]},
        ],
    });
    assert_eq!(sent.body, expected);
}

#[tokio::test]
async fn what_is_not_a_conversation_is_made_one() {
    let server = ModelServer::start().await;
    let model = model(&server, Wire::Anthropic);
    for messages in [
        vec![],
        vec![PromptMessage::user(" \n")],
        vec![PromptMessage::assistant("I began")],
        vec![PromptMessage::user("a"), PromptMessage::user("b"), PromptMessage::assistant("")],
    ] {
        server.script(Reply::text("ok"));
        let request = ModelRequest { messages, ..ModelRequest::default() };
        assert_eq!(listen(model.stream(request, &RequestCount::default()).await.unwrap()).await.text, "ok");
    }
}

#[tokio::test]
async fn an_address_with_a_version_is_the_same_address() {
    let server = ModelServer::start().await;
    for address in [server.root_url(), format!("{}/", server.root_url()), server.url()] {
        server.script(Reply::text("ok"));
        let models = Models::new(settings(Wire::Anthropic, &address));
        assert_eq!(ask(&models.resolve(Some("local/m1")).unwrap()).await.text, "ok");
        models.discover().await;
        assert_eq!(models.list()[0].id, "local/scripted");
    }
}

#[tokio::test]
async fn what_the_server_says_of_its_models_is_believed() {
    let server = ModelServer::start().await;
    let model = with_budget(&server).await;
    assert_eq!((model.window(), model.info().max_output), (200_000, Some(64_000)));
    assert_eq!(model.info().abilities, ["tools", "images", "reasoning"]);
    let adaptive =
        thinker(&server, json!({"enabled": {"supported": false}, "adaptive": {"supported": true}})).await;
    server.script(Reply::text("ok"));
    let parameters = Parameters { temperature: Some(0.5), ..thinking(Reasoning::Low) };
    listen(adaptive.stream(ModelRequest { parameters, ..hello() }, &RequestCount::default()).await.unwrap())
        .await
        .completion();
    let sent = server.last_request().unwrap().body;
    assert_eq!(
        (&sent["thinking"], &sent["output_config"]),
        (&json!({"type": "adaptive"}), &json!({"effort": "low"}))
    );
    assert_eq!(sent.get("temperature"), None);
}
