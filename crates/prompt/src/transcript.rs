//! The conversation in the form providers take, in pieces that stay whole: every call directly followed by its result.

use crate::{
    Pictures,
    call_feedback::{self, Results},
    sender_header,
};
use domain::{
    CallId, MarkupMode, MarkupSettings, Message, MessageId, MessageKind, Origin, Part, Role, StopReason,
    TurnId,
};
use markup::Options;
use provider::{AssistantPart, PromptCall, PromptMessage, UserPart};

/// Said after a message of the agent that was cut off, when the turn is run once more: there is nothing else to answer.
pub(crate) const GO_ON: &str = "[Your message was cut off here. Go on.]";
pub(crate) const NO_RESULT: &str = r#"{"error":"interrupted: no result of this call was recorded"}"#;

/// What one message of the transcript comes to.
#[derive(Clone, Debug)]
pub struct ToldMessage {
    pub id: MessageId,
    pub turn: TurnId,
    pub role: Role,
    /// The words alone, for a person who looks at the tree.
    pub words: String,
    pub messages: Vec<PromptMessage>,
}

/// `reads`: the agent can read on in files. `words`: a person will look at them.
pub(crate) fn tell(
    messages: Vec<Message>,
    model: &str,
    zone: &str,
    pictures: &Pictures,
    reads: bool,
    words: bool,
) -> Vec<ToldMessage> {
    let mut results = Results::new();
    for part in messages.iter().flat_map(|message| &message.parts) {
        if let Part::Result { call_id, status, content, .. } = part {
            results.entry(*call_id).or_insert_with(|| (*status, content.clone()));
        }
    }
    let mut told = Vec::with_capacity(messages.len());
    for mut message in messages {
        if message.role == Role::User {
            message.content = sender_header::headed(&message, zone);
        }
        let (id, turn, role) = (message.id, message.turn_id, message.role);
        let words = if words { message.content.clone() } else { String::new() };
        let messages = match message.role {
            // The agent has it as the result of its call.
            Role::User if message.meta.kind == Some(MessageKind::Answer) => Vec::new(),
            Role::User => vec![PromptMessage::User { parts: user_parts(message, pictures, reads) }],
            // THREAT[time-02] Nothing of it is an instruction of the program: it may be the words of others.
            Role::System if message.meta.kind == Some(MessageKind::Reminder) => {
                vec![PromptMessage::user(message.told_reminder().unwrap_or_default())]
            }
            Role::System => vec![PromptMessage::System { text: message.content.into() }],
            // Placed behind the message that made the call, wherever it was stored.
            Role::Tool => Vec::new(),
            Role::Assistant => assistant(message, model, &mut results),
        };
        if !messages.is_empty() {
            told.push(ToldMessage { id, turn, role, words, messages });
        }
    }
    told
}

/// The words, then the pictures and files that came with them.
fn user_parts(message: Message, pictures: &Pictures, reads: bool) -> Vec<UserPart> {
    let attached = message.parts.iter().filter_map(|part| match part {
        Part::Image { upload_id } => Some(pictures.part(*upload_id)),
        Part::File { file } => Some(pictures.file(file, reads)),
        _ => None,
    });
    let attached: Vec<UserPart> = attached.collect();
    let words =
        (!message.content.is_empty() || attached.is_empty()).then_some(UserPart::Text(message.content));
    words.into_iter().chain(attached).collect()
}

fn assistant(message: Message, model: &str, results: &mut Results) -> Vec<PromptMessage> {
    // What the program itself said about a limit or a failure is for people.
    if matches!(message.meta.kind, Some(MessageKind::Error | MessageKind::Limit)) {
        return Vec::new();
    }
    let ids: Vec<CallId> = message.parts.iter().filter_map(native_call).collect();
    let feedback = call_feedback::message(&message.content, &message.parts, results);
    let cut_off = message.stop_reason == Some(StopReason::Interrupted);
    let said = said_to(message, model);
    let mut prompt = Vec::with_capacity(1 + ids.len());
    if !said.is_empty() {
        prompt.push(PromptMessage::Assistant { parts: said });
    }
    prompt.extend(ids.into_iter().map(|call_id| {
        let content = results.remove(&call_id).map_or_else(|| NO_RESULT.to_owned(), |(_, content)| content);
        PromptMessage::Tool { call_id: call_id.to_string(), content }
    }));
    if let Some(mut blocks) = feedback {
        if cut_off {
            blocks = format!("{blocks}\n\n{GO_ON}");
        }
        prompt.push(PromptMessage::user(&blocks));
    }
    prompt
}

/// An agent's message for this model: as it was made for the model that made it, in plain words and calls for any other.
fn said_to(message: Message, model: &str) -> Vec<AssistantPart> {
    let is_own = |part: &Part| matches!(part, Part::Native { model: maker, .. } if maker == model);
    let mut said = Vec::with_capacity(message.parts.len());
    let markup = message.markup;
    if !message.parts.iter().any(is_own) {
        let text = Some(seen(&message)).filter(|text| !text.trim().is_empty());
        said.extend(text.map(AssistantPart::Text));
        said.extend(message.parts.into_iter().filter_map(called));
        return said;
    }
    // Reasoning has no form of its own here: it is given back as the block it came in, or not at all.
    for part in message.parts {
        match part {
            Part::Text { text } => said.push(AssistantPart::Text(seen_text(text, markup))),
            Part::Thinking { .. } => said.push(AssistantPart::Text(String::new())),
            Part::Native { model: maker, json, replaces } if maker == model => {
                let replaced = usize::try_from(replaces).unwrap_or(usize::MAX);
                said.truncate(said.len().saturating_sub(replaced));
                said.push(AssistantPart::Native(json));
            }
            other => said.extend(called(other)),
        }
    }
    said.retain(|part| part.text().is_none_or(|text| !text.trim().is_empty()));
    said
}

/// The agent's own text as the next step sees it: with what people answered, without what was carried out.
fn seen(message: &Message) -> String {
    seen_text(markup::answered(message), message.markup)
}

fn seen_text(text: String, markup: Option<MarkupSettings>) -> String {
    match markup.filter(|markup| markup.mode == MarkupMode::On).and_then(Options::of) {
        Some(options) => markup::seen_by_next_step(&text, options),
        None => text,
    }
}

fn native_call(part: &Part) -> Option<CallId> {
    match part {
        Part::Call { call_id, origin: Origin::Native, .. } => Some(*call_id),
        _ => None,
    }
}

fn called(part: Part) -> Option<AssistantPart> {
    match part {
        Part::Call { call_id, name, arguments, origin: Origin::Native, .. } => {
            Some(AssistantPart::Call(PromptCall { id: call_id.to_string(), name, arguments }))
        }
        _ => None,
    }
}
