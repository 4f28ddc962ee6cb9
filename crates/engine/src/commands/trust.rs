//! `/trust`: what the session holds was looked at.

use crate::commands::{About, Command, CommandAnswer, Form, Invocation, Need};
use crate::error::Result;
use async_trait::async_trait;
use serde_json::{Value, json};

pub(super) struct Trust;

const ABOUT: About = About {
    name: "trust",
    summary: "marks what you have read here as trusted",
    details: "Pages, files of others and messages of strangers count as untrusted: together with private things they make the \
              server ask before anything leaves it. Mark them as trusted when you have read them. What came after SEQ counts again. \
              The page and the terminal fill in SEQ: the newest event that they have shown you.",
    category: "sessions",
    forms: &[Form::new("/trust SEQ", "", "everything up to event SEQ, the newest that you have read")
        .words(&["seq"])],
};

#[async_trait]
impl Command for Trust {
    fn about(&self) -> About {
        ABOUT
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": { "seq": { "type": ["integer", "string"], "description": "The newest event that was read." } },
            "additionalProperties": false
        })
    }

    /// THREAT[label-01] Whoever wrote what is not trusted must not be able to declare it so.
    fn is_tool(&self) -> bool {
        false
    }

    async fn run(&self, invocation: &Invocation, arguments: Value) -> Result<CommandAnswer> {
        invocation.actor.check(Need::Manage)?;
        let Some(seq) = number(arguments.get("seq")) else {
            return Err(invocation.misuse("say up to which event you have read"));
        };
        let session =
            invocation.engine.trust_session(invocation.principal(), invocation.session()?, seq).await?;
        let text = match session.label.is_untrusted() {
            false => "What this conversation holds so far counts as trusted. What comes later counts again.",
            true => {
                "What you have read counts as trusted. Something came later, and stays untrusted until you have read that, too."
            }
        };
        Ok(CommandAnswer::new(text, json!({ "session": session })))
    }
}

/// Typed as words, it comes as a string.
fn number(value: Option<&Value>) -> Option<u64> {
    match value? {
        Value::String(text) => text.parse().ok(),
        value => value.as_u64(),
    }
}
