//! `/compact`: the earlier part of the conversation becomes a summary.

use crate::commands::{About, Command, CommandAnswer, Form, Invocation, LineWork, Need};
use crate::error::Result;
use async_trait::async_trait;
use domain::{EffectClass, Permission};
use serde_json::{Value, json};

pub(super) struct SlashCompact;

const ABOUT: About = About {
    name: "compact",
    summary: "replace the earlier part of this conversation with a summary, for the agent",
    details: "Nothing is deleted: all messages stay readable and can be found by searching. This happens automatically when a \
              conversation becomes too long for its model.",
    category: "sessions",
    forms: &[Form::new("/compact", "", "summarise everything before the newest messages")],
};

#[async_trait]
impl Command for SlashCompact {
    fn about(&self) -> About {
        ABOUT
    }

    fn parameters(&self) -> Value {
        json!({ "type": "object", "properties": {}, "additionalProperties": false })
    }

    /// It changes nothing but how much of its own conversation the agent is told.
    fn permission(&self) -> Permission {
        Permission::Allow
    }

    /// A summary of what is summarised already is not made: to run it again does no harm.
    fn class(&self) -> EffectClass {
        EffectClass::Idem
    }

    fn work(&self) -> LineWork {
        LineWork::AwaitsModel
    }

    async fn run(&self, invocation: &Invocation, _arguments: Value) -> Result<CommandAnswer> {
        invocation.actor.check(Need::Talk)?;
        let session = invocation.session()?;
        let compacted = invocation.engine.compact_session(invocation.user(), session).await?;
        Ok(CommandAnswer::new(compacted.detail.clone(), json!(compacted)))
    }
}
