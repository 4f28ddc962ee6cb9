//! What the model is told: the capabilities' texts, the agent's own, and as much of the conversation as fits.
//!
//! Two rules hold for every prompt: a call and its result are never split, and what was left out is said.

use crate::{
    dress,
    feedback::{self, Results},
    notice,
    pictures::{PICTURE_TOKENS, Pictures},
    reading::options,
    worker::Worker,
};
use domain::{
    CallId, MarkupMode, MarkupSettings, Message, MessageKind, Origin, Part, Role, StopReason, TurnId,
};
use provider::{AssistantPart, Model, ModelRequest, PromptCall, PromptMessage, UserPart};
use turn::Input;

/// Rows looked at for one prompt; a conversation beyond it is cut like one that does not fit.
const ROWS: u32 = 4_000;
const LEFT_OUT: &str = "Earlier parts of this conversation were left out because they no longer fit.";
/// Said after a message of the agent that was cut off, when the turn is run once more: there is nothing else to answer.
const GO_ON: &str = "[Your message was cut off here. Go on.]";
const NO_RESULT: &str = r#"{"error":"interrupted: no result of this call was recorded"}"#;

impl Worker {
    /// Builds the prompt of the open message and tells the machine that it is ready.
    pub(crate) async fn build_prompt(&mut self) {
        let Ok(model) = &self.model else {
            // Asking will say what is wrong; there is no prompt to build for a model that does not exist.
            return self.heard.push_back(Input::PromptReady);
        };
        let (key, session, turn) = (self.key.clone(), self.session.id, self.turn_id);
        let bytes = model.window().saturating_mul(5).clamp(64 << 10, 32 << 20);
        let read = async move |tx: &mut store::Tx| {
            let recent = store::messages::recent(tx, &key, session, bytes, ROWS).await?;
            let mut history = History { messages: recent.messages, complete: recent.complete };
            if history.begins_within(turn) {
                history.messages = store::messages::of_turn(tx, &key, turn).await?;
            }
            Ok(history)
        };
        let found = match self.engine.store().read(read).await {
            Ok(history) => {
                let (user, messages) = (self.session.user_id, &history.messages);
                let pictures = self.engine.pictures(user, &self.key, model, messages).await;
                pictures.map(|pictures| (history, pictures))
            }
            Err(error) => Err(error),
        };
        match found {
            Ok((history, pictures)) => {
                self.request = Some(self.compose(model, history, &pictures));
                self.heard.push_back(Input::PromptReady);
            }
            Err(error) => {
                tracing::warn!(%error, "the conversation could not be read; the turn is taken up again");
                self.lost = true;
            }
        }
    }

    fn compose(&self, model: &Model, history: History, pictures: &Pictures) -> ModelRequest {
        let tools = self.resolved.specs();
        let mut system = self.system_text();
        system.extend(self.open_prompts(&history.messages));
        let reply = model.reply_tokens(&self.agent.parameters).min(model.window() / 4);
        let fixed: u64 = tools.iter().map(|tool| model.estimate(&tool.parameters.to_string()) + 50).sum();
        let room = model.window().saturating_sub(reply + fixed + model.estimate(&system.join("\n\n")) + 50);
        let weigh = |message: &Message| weight(message, model);
        let (messages, left_out) = history.within(room, self.turn_id, weigh);
        if left_out {
            system.push(LEFT_OUT.to_owned());
        }
        let mut prompt = Vec::with_capacity(messages.len() + 1);
        if !system.is_empty() {
            prompt.push(PromptMessage::System { text: system.join("\n\n") });
        }
        prompt.extend(flatten(messages, model.id(), pictures));
        ModelRequest { messages: prompt, tools, parameters: self.agent.parameters }
    }

    fn system_text(&self) -> Vec<String> {
        let mut texts: Vec<String> = self.resolved.prompts.iter().map(|(_, text)| text.clone()).collect();
        texts.extend(self.markup_lesson());
        if !self.agent.system_prompt.trim().is_empty() {
            texts.push(self.agent.system_prompt.clone());
        }
        texts.extend(notice::missing_capabilities(&self.resolved.missing));
        texts
    }
}

/// The newest messages of a session, oldest first.
pub(crate) struct History {
    pub(crate) messages: Vec<Message>,
    /// False when there are older ones.
    pub(crate) complete: bool,
}

impl History {
    /// Were older messages left out, and perhaps the beginning of the current turn with them?
    fn begins_within(&self, current: TurnId) -> bool {
        !self.complete && self.messages.first().is_some_and(|first| first.turn_id == current)
    }

    /// The newest whole turns that fit into `room` tokens, and whether anything was left out. The current turn is
    /// always kept.
    fn within(self, room: u64, current: TurnId, weigh: impl Fn(&Message) -> u64) -> (Vec<Message>, bool) {
        let mut turns: Vec<Vec<Message>> = Vec::new();
        for message in self.messages {
            match turns.last_mut() {
                Some(turn) if turn.last().is_some_and(|last| last.turn_id == message.turn_id) => {
                    turn.push(message)
                }
                _ => turns.push(vec![message]),
            }
        }
        // The oldest turn may have lost its beginning where the rows were cut.
        let whole = turns
            .first()
            .and_then(|turn| turn.first())
            .is_none_or(|first| self.complete || first.turn_id == current || first.role == Role::User);
        if !whole {
            turns.remove(0);
        }
        let mut left = room;
        let mut first = turns.len();
        for (index, turn) in turns.iter().enumerate().rev() {
            let cost: u64 = turn.iter().map(&weigh).sum();
            let is_current = turn.first().is_some_and(|message| message.turn_id == current);
            if cost > left && !is_current {
                break;
            }
            left = left.saturating_sub(cost);
            first = index;
        }
        let left_out = !self.complete || !whole || first > 0;
        (turns.into_iter().skip(first).flatten().collect(), left_out)
    }
}

/// Tokens of one message, with the little that every message costs.
fn weight(message: &Message, model: &Model) -> u64 {
    let parts = message.parts.iter().map(|part| match part {
        Part::Call { name, arguments, .. } => {
            model.estimate(name).saturating_add(model.estimate(&arguments.to_string()))
        }
        Part::Native { model: maker, json, .. } if maker == model.id() => model.estimate(&json.to_string()),
        Part::Image { .. } => PICTURE_TOKENS,
        _ => 0,
    });
    parts.fold(model.estimate(&message.content).saturating_add(8), u64::saturating_add)
}

/// The transcript in the form providers take: every call directly followed by its result, in call order.
fn flatten(messages: Vec<Message>, model: &str, pictures: &Pictures) -> Vec<PromptMessage> {
    let mut results = Results::new();
    for part in messages.iter().flat_map(|message| &message.parts) {
        if let Part::Result { call_id, status, content, .. } = part {
            results.entry(*call_id).or_insert_with(|| (*status, content.clone()));
        }
    }
    let mut prompt = Vec::with_capacity(messages.len());
    for message in messages {
        match message.role {
            // The agent has it as the result of its call.
            Role::User if message.meta.kind == Some(MessageKind::Answer) => {}
            Role::User => prompt.push(PromptMessage::User { parts: user_parts(message, pictures) }),
            Role::System => prompt.push(PromptMessage::System { text: message.content }),
            // Placed behind the message that made the call, wherever it was stored.
            Role::Tool => {}
            Role::Assistant => flatten_assistant(message, model, &mut results, &mut prompt),
        }
    }
    if matches!(prompt.last(), Some(PromptMessage::Assistant { .. })) {
        prompt.push(PromptMessage::user(GO_ON));
    }
    prompt
}

/// The words, then the pictures that came with them.
fn user_parts(message: Message, pictures: &Pictures) -> Vec<UserPart> {
    let images: Vec<UserPart> = message.images().map(|id| pictures.part(id)).collect();
    let words = (!message.content.is_empty() || images.is_empty()).then_some(UserPart::Text(message.content));
    words.into_iter().chain(images).collect()
}

fn flatten_assistant(message: Message, model: &str, results: &mut Results, prompt: &mut Vec<PromptMessage>) {
    // What the program itself said about a limit or a failure is for people.
    if matches!(message.meta.kind, Some(MessageKind::Error | MessageKind::Limit)) {
        return;
    }
    let ids: Vec<CallId> = message.parts.iter().filter_map(native_call).collect();
    let feedback = feedback::message(&message.parts, results);
    let cut_off = message.stop_reason == Some(StopReason::Interrupted);
    let said = said_to(message, model);
    if said.is_empty() && feedback.is_none() {
        return;
    }
    match prompt.last_mut() {
        // A message that was cut off and the one that went on with it; providers want the roles to alternate.
        Some(PromptMessage::Assistant { parts }) => {
            parts.push(AssistantPart::Text("\n\n".to_owned()));
            parts.extend(said);
        }
        _ if said.is_empty() => {}
        _ => prompt.push(PromptMessage::Assistant { parts: said }),
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
    seen_text(dress::answered(message), message.markup)
}

fn seen_text(text: String, markup: Option<MarkupSettings>) -> String {
    match markup.filter(|markup| markup.mode == MarkupMode::On).and_then(options) {
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

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;
