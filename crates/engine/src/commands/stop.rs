//! `/stop`: ends the running turn.

use crate::commands::{About, Command, CommandAnswer, Form, Invocation, Need};
use crate::error::Result;
use async_trait::async_trait;
use serde_json::{Value, json};

pub(super) struct SlashStop;

const ABOUT: About = About {
    name: "stop",
    summary: "stop the running reply",
    details: "What the agent has written so far is kept.",
    category: "sessions",
    forms: &[Form::new("/stop", "", "stop the running reply")],
};

#[async_trait]
impl Command for SlashStop {
    fn about(&self) -> About {
        ABOUT
    }

    fn parameters(&self) -> Value {
        json!({ "type": "object", "properties": {}, "additionalProperties": false })
    }

    fn is_tool(&self) -> bool {
        false
    }

    async fn run(&self, invocation: &Invocation, _arguments: Value) -> Result<CommandAnswer> {
        invocation.actor.check(Need::Talk)?;
        let (session, key) = (invocation.session()?, invocation.idempotency_key.clone());
        let turn = invocation.engine.abort(invocation.user(), session, key).await?;
        let text = if turn.is_some() { "Stopping…" } else { "Nothing is running." };
        Ok(CommandAnswer::new(text, json!({ "turn_id": turn })))
    }
}
