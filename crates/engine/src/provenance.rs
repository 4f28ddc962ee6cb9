//! Where what a model is told comes from: the label of a step, and what made it so, in words for people.
//!
//! Labels are joined and never lost: an agent's words and what its calls gave back carry the label of the prompt they came
//! from, whatever later becomes of that prompt. Only a person lowers one, for a whole session (`crates/engine/src/trust.rs`).

use domain::{Label, Message, Part, Role};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, PoisonError};

/// The label of what a model was told for one step, and what is to blame for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Provenance {
    pub(crate) label: Label,
    /// What was private first.
    pub(crate) private: Option<String>,
    /// What was untrusted first.
    pub(crate) untrusted: Option<String>,
}

/// Of what nothing is known, the worst is assumed.
impl Default for Provenance {
    fn default() -> Self {
        Self { label: Label::WORST, private: None, untrusted: None }
    }
}

impl Provenance {
    /// Of a prompt that holds nothing yet.
    pub(crate) const NOTHING: Self = Self { label: Label::TRUSTED_PUBLIC, private: None, untrusted: None };

    /// Of the messages that a model is told. Those up to `trusted_seq` were declared trusted.
    pub(crate) fn of(messages: &[Message], trusted_seq: u64) -> Self {
        let mut whole = Self::NOTHING;
        for message in messages {
            whole.add(declared(message.label, message.seq, trusted_seq), || described(message));
        }
        whole
    }

    pub(crate) fn add(&mut self, label: Label, what: impl Fn() -> String) {
        if label.is_private() && !self.label.is_private() {
            self.private = Some(what());
        }
        if label.is_untrusted() && !self.label.is_untrusted() {
            self.untrusted = Some(what());
        }
        self.label = self.label.join(label);
    }

    /// Why a call that leads outside needs a person, if what the model was told is both private and untrusted.
    pub(crate) fn concern(&self) -> Option<String> {
        let both = self.label.is_untrusted() && self.label.is_private();
        let named = |what: &Option<String>, else_: &str| what.clone().unwrap_or_else(|| else_.to_owned());
        both.then(|| {
            format!(
                "the agent has read something private ({}) and something that others wrote ({}), and this would act outside of \
                 the session",
                named(&self.private, "earlier in this session"),
                named(&self.untrusted, "earlier in this session")
            )
        })
    }
}

/// A label as its person has declared it.
pub(crate) fn declared(label: Label, seq: u64, trusted_seq: u64) -> Label {
    if seq <= trusted_seq && seq > 0 { label.declared_trusted() } else { label }
}

/// A message in a few words, none of which come from it: whoever is asked must not read what an attacker wrote.
fn described(message: &Message) -> String {
    match message.role {
        Role::User if message.asker.is_some() => "what another agent said".to_owned(),
        Role::User if message.images().next().is_some() => "a file that came with a message".to_owned(),
        Role::User => "a message that somebody else sent".to_owned(),
        Role::Tool => match message.parts.first() {
            Some(Part::Result { name, .. }) if is_plain(name) => format!("what {name} gave back"),
            _ => "what a tool gave back".to_owned(),
        },
        Role::Assistant | Role::System => "what was said earlier in this session".to_owned(),
    }
}

/// THREAT[label-02] The name of a tool that does not exist was written by a model.
fn is_plain(name: &str) -> bool {
    name.len() <= 64 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
}

/// What a call has seen through its ports, joined as it goes.
#[derive(Clone, Debug)]
pub(crate) struct Seen(Arc<Mutex<Label>>);

impl Seen {
    pub(crate) fn from(label: Label) -> Self {
        Self(Arc::new(Mutex::new(label)))
    }

    pub(crate) fn add(&self, label: Label) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *seen = seen.join(label);
    }

    pub(crate) fn label(&self) -> Label {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[path = "provenance_tests.rs"]
mod tests;
