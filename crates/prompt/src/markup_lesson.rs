//! What an agent is told of its markup: the section that teaches it, and the prompts that wait for an answer.

use capability::{OpenPrompt, Resolved};
use domain::{Agent, MarkupMode, Message, Role};
use markup::{Allowed, element};

/// Prompts that an agent is reminded of.
const REMINDED: usize = 10;
/// The capability that reminds of them, too.
const HANDLER: &str = "prompt_response_handler";

/// Only for agents whose markup is read, and only what they may use. `functions`: what every agent may ask of the house, each
/// with a line about it.
pub(crate) fn markup_lesson(
    agent: &Agent,
    resolved: &Resolved,
    functions: &[(&'static str, &'static str)],
) -> Option<String> {
    let mode = agent.markup.mode;
    if mode == MarkupMode::Off {
        return None;
    }
    let has = |name: &str| name == "ask" || resolved.tool(name).is_some();
    let executable = element::elements().iter().filter(|spec| spec.is_executable() && has(spec.name));
    let allowed = Allowed {
        display_only: mode == MarkupMode::Display,
        executable: executable.map(|spec| spec.name).collect(),
        functions: functions.to_vec(),
    };
    Some(markup::teach(&allowed))
}

/// The prompts of this conversation without an answer, the newest message's first.
pub(crate) fn unanswered(messages: &[Message]) -> Vec<OpenPrompt> {
    let asked = messages.iter().rev().filter(|message| message.role == Role::Assistant).flat_map(|message| {
        let read = message.markup.is_some() && message.content.contains("<");
        let prompts = if read { markup::prompts(&markup::answered(message)) } else { Vec::new() };
        let open = prompts.into_iter().filter(|prompt| prompt.answer.is_none());
        let open = open.map(|prompt| OpenPrompt {
            message_id: message.id,
            prompt_id: prompt.id,
            question: prompt.question,
        });
        open.collect::<Vec<_>>()
    });
    asked.take(REMINDED).collect()
}

/// The same in words, so that an answer given in words can be recorded. An agent whose capability says it is not told
/// twice.
pub(crate) fn open_prompts(agent: &Agent, resolved: &Resolved, messages: &[Message]) -> Option<String> {
    let told_otherwise = resolved.conditions.iter().any(|condition| condition.capability == HANDLER);
    if agent.markup.mode != MarkupMode::On || told_otherwise {
        return None;
    }
    let told = |prompt: OpenPrompt| {
        let OpenPrompt { message_id, prompt_id, question } = prompt;
        format!("- message_id {message_id}, prompt_id {prompt_id:?}: {question:?}")
    };
    let asked: Vec<String> = unanswered(messages).into_iter().map(told).collect();
    (!asked.is_empty()).then(|| {
        format!(
            "These prompts of yours have no answer yet. When the person answers one in words, record it with \
             `@system(update_prompt, {{message_id: \"…\", prompt_id: \"…\", answer: \"…\"}})`:\n{}",
            asked.join("\n")
        )
    })
}
