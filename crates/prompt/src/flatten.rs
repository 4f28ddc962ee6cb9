//! A tree becomes the messages of a prompt.
//!
//! Each node at the top is one message: its words and those of its descendants without a role, depth first, nothing in
//! between, trimmed. Every descendant with a role follows as a message of its own, in the order of the tree. What is
//! switched off is not there, at any depth, and nothing below it.

use crate::{
    conditions::CONDITIONS,
    transcript::{GO_ON, ToldMessage},
};
use domain::{PromptNode, Role};
use provider::{AssistantPart, PromptMessage};

/// Said when a hook wants another round and no person has spoken since.
const ANOTHER_ROUND: &str = "[Go on.]";

struct Flat {
    /// Emptied as they are told: each piece of the conversation is said once, however often it stands in the tree.
    told: Vec<ToldMessage>,
    messages: Vec<PromptMessage>,
}

/// `told` are the pieces of the conversation that nodes carry; from `current` on they are the current turn's, which comes
/// last and is always told, whatever became of its nodes.
pub(crate) fn flatten(tree: &[PromptNode], mut told: Vec<ToldMessage>, current: usize) -> Vec<PromptMessage> {
    let last = told.split_off(current.min(told.len()));
    let mut flat = Flat { messages: Vec::with_capacity(told.len() + last.len() + 8), told };
    for node in tree.iter().filter(|node| node.enabled && !is_last(node)) {
        flat.top(node);
    }
    let mut messages = flat.messages;
    messages.extend(last.into_iter().flat_map(|told| told.messages));
    joined(messages)
}

/// What stands behind the current turn.
pub(crate) fn last(tree: &[PromptNode]) -> Vec<PromptMessage> {
    let mut flat = Flat { messages: Vec::new(), told: Vec::new() };
    for node in tree.iter().filter(|node| node.enabled && is_last(node)) {
        flat.top(node);
    }
    flat.messages
}

fn is_last(node: &PromptNode) -> bool {
    node.id == CONDITIONS && node.role == Some(Role::User)
}

impl Flat {
    fn top(&mut self, node: &PromptNode) {
        match node.carries {
            Some(index) => self.tell(index),
            None => self.say(node),
        }
        self.roles_below(node);
    }

    fn say(&mut self, node: &PromptNode) {
        let mut words = String::new();
        gather(node, &mut words);
        let words = words.trim();
        if words.is_empty() && node.role.is_none() {
            return;
        }
        self.messages.push(match node.role.unwrap_or(Role::System) {
            Role::System => PromptMessage::system(words),
            // There is no call that it could be the result of.
            Role::User | Role::Tool => PromptMessage::user(words),
            Role::Assistant => PromptMessage::assistant(words),
        });
    }

    fn tell(&mut self, index: usize) {
        if let Some(told) = self.told.get_mut(index) {
            self.messages.append(&mut told.messages);
        }
    }

    fn roles_below(&mut self, node: &PromptNode) {
        for child in node.children.iter().filter(|child| child.enabled) {
            if is_message(child) {
                self.top(child);
            } else {
                self.roles_below(child);
            }
        }
    }
}

fn is_message(node: &PromptNode) -> bool {
    node.role.is_some() || node.carries.is_some()
}

fn gather(node: &PromptNode, words: &mut String) {
    words.push_str(&node.text);
    for child in node.children.iter().filter(|child| child.enabled && !is_message(child)) {
        gather(child, words);
    }
}

/// A message of the agent that was cut off and the one that went on with it are one: providers want the roles to
/// alternate, and something to answer at the end.
fn joined(messages: Vec<PromptMessage>) -> Vec<PromptMessage> {
    let mut joined: Vec<PromptMessage> = Vec::with_capacity(messages.len());
    for message in messages {
        match (joined.last_mut(), message) {
            (Some(PromptMessage::Assistant { parts }), PromptMessage::Assistant { parts: more }) => {
                parts.push(AssistantPart::Text("\n\n".to_owned()));
                parts.extend(more);
            }
            (_, message) => joined.push(message),
        }
    }
    joined
}

/// What the agent is told when the last word is its own.
pub(crate) fn go_on(messages: &mut Vec<PromptMessage>, finished: bool) {
    if matches!(messages.last(), Some(PromptMessage::Assistant { .. })) {
        messages.push(PromptMessage::user(if finished { ANOTHER_ROUND } else { GO_ON }));
    }
}

#[cfg(test)]
#[path = "flatten_tests.rs"]
mod tests;
