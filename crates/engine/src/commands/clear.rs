//! `/clear`: a fresh beginning with the same agent.

use crate::commands::{About, Command, CommandAnswer, Form, Invocation, Need};
use crate::{error::Result, sessions::NewSession};
use async_trait::async_trait;
use serde_json::{Value, json};

pub(super) struct SlashClear;

const ABOUT: About = About {
    name: "clear",
    summary: "start a new conversation with the same agent",
    details: "Nothing is deleted: this conversation stays in the list. `/new` does the same.",
    category: "sessions",
    forms: &[Form::new("/clear", "", "start a new conversation; the old one is kept")],
};

#[async_trait]
impl Command for SlashClear {
    fn about(&self) -> About {
        ABOUT
    }

    fn parameters(&self) -> Value {
        json!({ "type": "object", "properties": {}, "additionalProperties": false })
    }

    async fn run(&self, invocation: &Invocation, _arguments: Value) -> Result<CommandAnswer> {
        invocation.actor.check(Need::Talk)?;
        let engine = &invocation.engine;
        let before = engine.session(invocation.user(), invocation.session()?).await?;
        let memory = before.memory;
        let new = NewSession { model: before.model, memory, ..NewSession::with(before.agent_id) };
        let key = invocation.idempotency_key.clone();
        let session = engine.create_session_once(invocation.user(), new, key).await?;
        let text = format!(
            "This is a new conversation. The previous one is kept: `/session open {}` goes back to it.",
            before.id
        );
        Ok(CommandAnswer::new(text, json!({ "session": session, "before": before.id })).opening(session.id))
    }
}
