//! `/trust`: what the session holds was looked at.

use crate::commands::{About, Command, CommandAnswer, Form, Invocation, Need};
use crate::error::Result;
use async_trait::async_trait;
use serde_json::{Value, json};

pub(super) struct SlashTrust;

const ABOUT: About = About {
    name: "trust",
    summary: "mark this conversation as trusted after you have read it",
    details: "Web pages, files and messages of other people are untrusted. If a conversation also has private data, the server asks \
              before anything is sent out. Mark them as trusted after you have read them. What came after SEQ stays untrusted. \
              The page and the terminal fill in SEQ: the newest event that they have shown you.",
    category: "sessions",
    forms: &[Form::new("/trust SEQ", "", "everything up to event SEQ, the newest that you have read")
        .words(&["seq"])],
};

#[async_trait]
impl Command for SlashTrust {
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
            return Err(invocation.misuse("name the newest event that you have read"));
        };
        let session =
            invocation.engine.trust_session(invocation.principal(), invocation.session()?, seq).await?;
        let text = match session.label.is_untrusted() {
            false => "This conversation is trusted up to here. Untrusted content that arrives later is not.",
            true => {
                "What you have read is now trusted. Newer content stays untrusted until you mark it, too."
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
