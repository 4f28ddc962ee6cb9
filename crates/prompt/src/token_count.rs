//! What a prompt weighs, in tokens of its model: the one way of counting, for what is sent, what is shown and what still fits.

use crate::{attached::PICTURE_TOKENS, transcript::ToldMessage};
use domain::{PromptNode, ToolSpec};
use provider::{AssistantPart, Model, ModelRequest, PromptMessage, UserPart};
use std::sync::Arc;

/// What a wire adds to every tool.
const PER_TOOL: u64 = 10;

/// Everything that is sent: the messages and the tools.
pub fn of_request(model: &Model, request: &ModelRequest) -> u64 {
    of_messages(model, &request.messages).saturating_add(of_tools(model, &request.tools))
}

pub fn of_messages(model: &Model, messages: &[PromptMessage]) -> u64 {
    messages.iter().map(|message| of_message(model, message)).fold(0, u64::saturating_add)
}

pub fn of_message(model: &Model, message: &PromptMessage) -> u64 {
    match message {
        PromptMessage::System { text } => model.estimate(text),
        PromptMessage::User { parts } => parts.iter().map(|part| of_part(model, part)).sum(),
        PromptMessage::Assistant { parts } => parts.iter().map(|part| of_spoken(model, part)).sum(),
        PromptMessage::Tool { content, .. } => model.estimate(content),
    }
}

pub fn of_tools(model: &Model, tools: &[Arc<ToolSpec>]) -> u64 {
    let of_tool = |tool: &Arc<ToolSpec>| {
        let words =
            model.estimate(&tool.description).saturating_add(model.estimate(&tool.parameters.to_string()));
        words.saturating_add(PER_TOOL)
    };
    tools.iter().map(of_tool).fold(0, u64::saturating_add)
}

pub fn has_pictures(request: &ModelRequest) -> bool {
    request.messages.iter().any(|message| match message {
        PromptMessage::User { parts } => parts.iter().any(|part| matches!(part, UserPart::Image { .. })),
        _ => false,
    })
}

/// Of what a node of the tree itself says, without its children.
pub fn of_node(model: &Model, node: &PromptNode, told: &[ToldMessage]) -> u64 {
    match node.carries.and_then(|index| told.get(index)) {
        Some(told) => of_messages(model, &told.messages),
        None => model.estimate(&node.text),
    }
}

fn of_part(model: &Model, part: &UserPart) -> u64 {
    match part {
        UserPart::Text(text) => model.estimate(text),
        UserPart::Image { .. } => PICTURE_TOKENS,
    }
}

fn of_spoken(model: &Model, part: &AssistantPart) -> u64 {
    match part {
        AssistantPart::Text(text) => model.estimate(text),
        AssistantPart::Call(call) => model.estimate(&call.arguments.to_string()),
        AssistantPart::Native(json) => model.estimate(&json.to_string()),
    }
}
