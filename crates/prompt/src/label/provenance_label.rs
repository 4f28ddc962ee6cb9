//! Where what a model is told comes from: the label of a step, and what made it so, in words for people.
//!
//! Labels are joined and never lost: an agent's words and what its calls gave back carry the label of the prompt they came
//! from, whatever later becomes of that prompt. Only a person lowers one, for a whole session (`crates/engine/src/sessions/trust.rs`).

use crate::label::{input_label::TYPED_CHARS, known_addresses::KnownAddresses};
use domain::{Label, Message, Part, Role, Session};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, PoisonError};

/// The label of what a model was told for one step, and what is to blame for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    pub label: Label,
    /// What was private first.
    pub private: Option<String>,
    /// What was untrusted first.
    pub untrusted: Option<String>,
    /// Addresses that are no way out.
    #[serde(default)]
    pub known: KnownAddresses,
}

/// Of what nothing is known, the worst is assumed.
impl Default for Provenance {
    fn default() -> Self {
        Self { label: Label::WORST, private: None, untrusted: None, known: KnownAddresses::default() }
    }
}

impl Provenance {
    /// Of a prompt that holds nothing yet.
    pub fn nothing() -> Self {
        Self { label: Label::TRUSTED_PUBLIC, ..Self::default() }
    }

    /// Of the messages that a model is told, as their person has declared them.
    pub fn of(messages: &[Message], declared: Declared) -> Self {
        let mut whole = Self::nothing();
        for message in messages {
            let label = declared.message(message);
            whole.add(label, || described(message, label));
        }
        whole
    }

    pub fn add(&mut self, label: Label, what: impl Fn() -> String) {
        if label.is_private() && !self.label.is_private() {
            self.private = Some(what());
        }
        if label.is_untrusted() && !self.label.is_untrusted() {
            self.untrusted = Some(what());
        }
        self.label = self.label.join(label);
    }

    /// Why a call that leads outside needs a person, if what the model was told is both private and untrusted.
    pub fn concern(&self) -> Option<String> {
        let both = self.label.is_untrusted() && self.label.is_private();
        let named = |what: &Option<String>, else_: &str| what.clone().unwrap_or_else(|| else_.to_owned());
        both.then(|| {
            format!(
                "This conversation has seen private data ({}) and untrusted text ({}); this action would send data out.",
                named(&self.private, "earlier in this conversation"),
                named(&self.untrusted, "earlier in this conversation")
            )
        })
    }
}

/// What is known of a session's labels besides the labels: how far its person has declared it trusted, and how far older
/// rules trusted more than they should.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    trusted_seq: u64,
    doubted_seq: u64,
}

impl Declared {
    pub fn of(session: &Session) -> Self {
        Self { trusted_seq: session.trusted_seq, doubted_seq: session.doubted_seq }
    }

    /// What was stored with the event `seq`.
    pub fn label(self, label: Label, seq: u64) -> Label {
        match () {
            () if seq == 0 => label,
            () if seq <= self.trusted_seq => label.declared_trusted(),
            () if seq <= self.doubted_seq => label.join(Label::UNTRUSTED_PUBLIC),
            () => label,
        }
    }

    pub fn message(self, message: &Message) -> Label {
        self.label(message.label, message.seq)
    }

    /// What stood there before the first event.
    pub fn beginning(self, label: Label) -> Label {
        if self.trusted_seq > 0 { label.declared_trusted() } else { label }
    }
}

/// A message in a few words, none of which come from it: the person who is asked must not read what an attacker wrote.
fn described(message: &Message, label: Label) -> String {
    match message.role {
        Role::User if message.asker.is_some() => "a message from another agent".to_owned(),
        Role::User if message.uploads().next().is_some() => "a file that came with a message".to_owned(),
        Role::User if !label.is_untrusted() => "what you wrote".to_owned(),
        Role::User if message.sender.is_none() && message.content.len() > TYPED_CHARS => {
            "a long text that came with a message".to_owned()
        }
        Role::User => "a message from another person".to_owned(),
        Role::Tool => match message.parts.first() {
            Some(Part::Result { name, .. }) if is_plain(name) => format!("the result of {name}"),
            _ => "the result of a tool".to_owned(),
        },
        Role::Assistant | Role::System => "earlier messages of this conversation".to_owned(),
    }
}

/// THREAT[label-02] The name of a tool that does not exist was written by a model.
fn is_plain(name: &str) -> bool {
    name.len() <= 64 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
}

/// What a call has seen through its ports, joined as it goes.
#[derive(Clone, Debug)]
pub struct SeenLabel(Arc<Mutex<Label>>);

impl SeenLabel {
    pub fn from(label: Label) -> Self {
        Self(Arc::new(Mutex::new(label)))
    }

    pub fn add(&self, label: Label) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *seen = seen.join(label);
    }

    pub fn label(&self) -> Label {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[path = "provenance_label_tests.rs"]
mod tests;
