use super::*;
use domain::{Parameters, ToolSpec};
use std::sync::Arc;

async fn answered(request: &ModelRequest) -> (String, Completion) {
    let mut script = script(request);
    let mut text = String::new();
    let mut pieces = 0;
    loop {
        match script.next().await {
            Some(ModelEvent::Text(piece)) => {
                pieces += 1;
                text.push_str(&piece);
            }
            Some(ModelEvent::Done(completion)) => {
                assert!(script.next().await.is_none(), "nothing follows the end");
                assert!(pieces > 1, "it speaks in several pieces");
                return (text, completion);
            }
            other => panic!("{other:?}"),
        }
    }
}

fn asking(text: &str, tools: &[&str]) -> ModelRequest {
    let tool = |name: &&str| {
        Arc::new(ToolSpec {
            name: (*name).to_owned(),
            description: String::new(),
            parameters: json!({"type": "object", "properties": {}}),
        })
    };
    ModelRequest {
        messages: vec![PromptMessage::system("be kind"), PromptMessage::user(text)],
        tools: tools.iter().map(tool).collect(),
        parameters: Parameters::default(),
    }
}

#[tokio::test]
async fn it_asks_for_a_yes_where_it_has_a_tool_that_asks() {
    let (_, completion) = answered(&asking("Please ask for approval", &["session"])).await;
    assert_eq!(completion.calls[0].name, "session");
    let (text, completion) = answered(&asking("ask for approval", &["get_current_time"])).await;
    assert!(completion.calls.is_empty() && text.contains("majordomo agent set main"), "{text}");
}

#[tokio::test]
async fn it_says_what_it_is_and_repeats_what_it_was_asked() {
    let (text, completion) = answered(&asking("Wie geht es dir?", &["delete_everything"])).await;
    assert!(text.contains("No real model is set up yet") && text.contains("Wie geht es dir?"), "{text}");
    assert!(text.contains("OPENAI_API_KEY") && text.contains("Ollama") && text.contains("majordomo.toml"));
    assert_eq!(completion.stop, Stop::Completed);
    assert!(completion.calls.is_empty(), "a tool that it does not know is left alone");
    assert!(completion.tokens.is_some_and(|tokens| tokens.output > 0));
}

#[tokio::test]
async fn it_uses_the_clock_once_and_tells_the_result() {
    let mut request = asking("hello", &["add", "get_current_time"]);
    let (_, completion) = answered(&request).await;
    assert_eq!(completion.stop, Stop::ToolUse);
    let call = ProposedCall { name: "get_current_time".into(), arguments: Ok(json!({})) };
    assert_eq!(completion.calls, [call]);

    request.messages.push(PromptMessage::assistant("I look"));
    request.messages.push(PromptMessage::tool("c1", "it is noon"));
    let (text, completion) = answered(&request).await;
    assert!(text.contains("it is noon"), "{text}");
    assert!(completion.calls.is_empty());

    request.messages.push(PromptMessage::assistant("noon"));
    request.messages.push(PromptMessage::user("and now?"));
    assert_eq!(answered(&request).await.1.calls.len(), 1, "a new turn may call again");
}

#[tokio::test]
async fn it_calls_what_it_is_told_to() {
    let (_, completion) =
        answered(&asking(r#"tool add {"a": 4, "b": 5}"#, &["get_current_time", "add"])).await;
    assert_eq!(
        completion.calls,
        [ProposedCall { name: "add".into(), arguments: Ok(json!({"a": 4, "b": 5})) }]
    );
    let (_, completion) = answered(&asking("tool add {broken", &["add"])).await;
    assert_eq!(completion.calls, [ProposedCall { name: "add".into(), arguments: Err("{broken".into()) }]);
    let (text, completion) = answered(&asking("tool missing", &["add"])).await;
    assert!(
        completion.calls.is_empty() && text.contains("no tool `missing`") && text.contains("add"),
        "{text}"
    );
}

#[tokio::test]
async fn it_helps_and_writes_at_length() {
    let (help, _) = answered(&asking("help", &["add"])).await;
    assert!(help.contains("tool NAME") && help.contains("`long`"), "{help}");
    let (long, _) = answered(&asking("long", &[])).await;
    assert!(long.len() > 10_000);
    assert_eq!(long, answered(&asking("long", &[])).await.0, "the same each time");
}

#[tokio::test]
async fn it_shows_everything_to_an_agent_that_was_taught_it() {
    let mut request = asking("Please show me what you can do!", &[]);
    let (text, _) = answered(&request).await;
    assert!(text.contains("Markup is turned off") && !text.contains("<todo"), "{text}");
    request.messages[0] = PromptMessage::system("## Markup\n\n…");
    let (text, completion) = answered(&request).await;
    for element in [
        "<todo",
        "<progress",
        "<ask",
        "<hml-prompt",
        "<link",
        "<copy",
        "<thinking",
        "<result",
        "@system(help",
    ] {
        assert!(text.contains(element), "{element} is missing");
    }
    assert!(completion.calls.is_empty());
    let (text, _) = answered(&asking("[@user:ask] interaction_id='e9' completed:\ntea", &[])).await;
    assert!(text.starts_with("You chose “tea”"), "{text}");
}

#[tokio::test]
async fn what_the_house_adds_is_nothing_that_anybody_said() {
    let mut request = asking("onions", &["get_current_time"]);
    request.messages.push(PromptMessage::assistant("I look"));
    request.messages.push(PromptMessage::tool("c1", "12:00"));
    request.messages.push(PromptMessage::user("[System: Conditional Ability Triggered]\n\n**cry**: Cry."));
    let (text, completion) = answered(&request).await;
    assert!(completion.calls.is_empty(), "it has the result already");
    assert!(text.contains("12:00") && text.contains("onions") && !text.contains("Cry."), "{text}");
}
