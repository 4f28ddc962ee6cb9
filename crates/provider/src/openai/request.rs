//! The body of a request, written straight from the prompt.

use crate::{
    AssistantPart, ModelRequest, PromptCall, PromptMessage, UserPart,
    accepts::{Accepts, Thinking},
    tool_name::told_again,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use domain::{Reasoning, ToolSpec};
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;

#[derive(Serialize)]
struct OpenAiRequest<'a> {
    model: &'a str,
    messages: Vec<WireMessage<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<WireTool<'a>>,
    stream: bool,
    stream_options: StreamOptions,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'a str>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
enum WireMessage<'a> {
    System {
        content: Cow<'a, str>,
    },
    User {
        content: WireContent<'a>,
    },
    Assistant {
        /// `null` beside calls: several servers refuse an empty string there.
        content: Option<Cow<'a, str>>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<WireCall<'a>>,
    },
    Tool {
        tool_call_id: &'a str,
        content: &'a str,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum WireContent<'a> {
    Text(String),
    Parts(Vec<WirePart<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum WirePart<'a> {
    Text { text: &'a str },
    ImageUrl { image_url: ImageUrl },
}

#[derive(Serialize)]
struct ImageUrl {
    url: String,
}

#[derive(Serialize)]
struct WireCall<'a> {
    id: &'a str,
    r#type: &'static str,
    function: WireFunctionCall<'a>,
}

#[derive(Serialize)]
struct WireFunctionCall<'a> {
    name: Cow<'a, str>,
    /// JSON inside a string: that is how the wire wants it.
    arguments: String,
}

#[derive(Serialize)]
struct WireTool<'a> {
    r#type: &'static str,
    function: WireFunction<'a>,
}

#[derive(Serialize)]
struct WireFunction<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
}

pub(crate) fn body(
    model: &str,
    request: &ModelRequest,
    accepts: &Accepts,
) -> Result<Vec<u8>, serde_json::Error> {
    let parameters = &request.parameters;
    let limit = parameters.max_tokens;
    serde_json::to_vec(&OpenAiRequest {
        model,
        messages: messages(&request.messages),
        tools: request.tools.iter().map(|spec| tool(spec)).collect(),
        stream: true,
        stream_options: StreamOptions { include_usage: true },
        temperature: parameters.temperature.filter(|_| accepts.sampling),
        top_p: parameters.top_p.filter(|_| accepts.sampling),
        max_tokens: limit.filter(|_| !accepts.completion_limit),
        max_completion_tokens: limit.filter(|_| accepts.completion_limit),
        seed: parameters.seed,
        reasoning_effort: parameters.reasoning.and_then(|reasoning| effort(reasoning, &accepts.thinking)),
    })
}

/// The word for how much to think, if the model knows one. Servers of which nothing is known get the usual three words,
/// which they ignore if they do not know them.
fn effort(reasoning: Reasoning, thinking: &Thinking) -> Option<&str> {
    let wanted: &[&str] = match reasoning {
        // The nearest to nothing that there is.
        Reasoning::Off => &["none", "minimal"],
        other => &[other.as_str()],
    };
    match thinking {
        Thinking::Efforts(known) => {
            let known = |word: &&&str| known.iter().any(|known| known == **word);
            wanted.iter().find(known).copied()
        }
        Thinking::Unknown if reasoning != Reasoning::Off => wanted.first().copied(),
        _ => None,
    }
}

/// What stands before the conversation is one message: many servers' templates take no more.
fn messages(messages: &[PromptMessage]) -> Vec<WireMessage<'_>> {
    let said = |message: &'_ PromptMessage| matches!(message, PromptMessage::System { .. });
    let (head, rest) = messages.split_at(messages.iter().take_while(|message| said(message)).count());
    let mut texts = head.iter().filter_map(|message| match message {
        PromptMessage::System { text } if !text.is_empty() => Some(&**text),
        _ => None,
    });
    let system = texts.next().map(|first| texts.fold(Cow::Borrowed(first), |all, text| all + "\n\n" + text));
    let system = system.map(|content| WireMessage::System { content });
    system.into_iter().chain(rest.iter().filter_map(message)).collect()
}

/// Messages that say nothing are left out: providers refuse them.
fn message(message: &PromptMessage) -> Option<WireMessage<'_>> {
    match message {
        PromptMessage::System { text } => {
            // Servers take what the house says at the beginning only; in the middle it stands with the people's words.
            (!text.is_empty()).then(|| WireMessage::User { content: WireContent::Text(text.to_string()) })
        }
        PromptMessage::User { parts } => user_content(parts).map(|content| WireMessage::User { content }),
        PromptMessage::Assistant { parts } => {
            let content = spoken(parts);
            let calls: Vec<WireCall<'_>> = parts.iter().filter_map(AssistantPart::call).map(call).collect();
            let speaks = content.is_some() || !calls.is_empty();
            speaks.then_some(WireMessage::Assistant { content, tool_calls: calls })
        }
        PromptMessage::Tool { call_id, content } => {
            Some(WireMessage::Tool { tool_call_id: call_id, content })
        }
    }
}

/// What the model said, in one piece.
fn spoken(parts: &[AssistantPart]) -> Option<Cow<'_, str>> {
    let mut texts = parts.iter().filter_map(AssistantPart::text).filter(|text| !text.is_empty());
    let first = Cow::Borrowed(texts.next()?);
    Some(texts.fold(first, |said, text| said + text))
}

/// Plain text goes as a string, which every server understands; parts only where there is an image.
fn user_content(parts: &[UserPart]) -> Option<WireContent<'_>> {
    let spoken: Vec<&UserPart> =
        parts.iter().filter(|part| !matches!(part, UserPart::Text(text) if text.is_empty())).collect();
    if spoken.is_empty() {
        return None;
    }
    let texts: Option<Vec<&str>> = spoken
        .iter()
        .map(|part| match part {
            UserPart::Text(text) => Some(text.as_str()),
            UserPart::Image { .. } => None,
        })
        .collect();
    if let Some(texts) = texts {
        return Some(WireContent::Text(texts.join("\n\n")));
    }
    let parts = spoken.into_iter().map(|part| match part {
        UserPart::Text(text) => WirePart::Text { text },
        UserPart::Image { mime_type, data } => {
            let url = format!("data:{mime_type};base64,{}", STANDARD.encode(data));
            WirePart::ImageUrl { image_url: ImageUrl { url } }
        }
    });
    Some(WireContent::Parts(parts.collect()))
}

fn call(call: &PromptCall) -> WireCall<'_> {
    let function = WireFunctionCall { name: told_again(&call.name), arguments: call.arguments.to_string() };
    WireCall { id: &call.id, r#type: "function", function }
}

fn tool(tool: &ToolSpec) -> WireTool<'_> {
    let function =
        WireFunction { name: &tool.name, description: &tool.description, parameters: &tool.parameters };
    WireTool { r#type: "function", function }
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
