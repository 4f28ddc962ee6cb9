//! `/clear`: a fresh beginning with the same agent.

use crate::commands::{About, Command, CommandAnswer, Form, Invocation, Need};
use crate::{error::Result, sessions::NewSession};
use async_trait::async_trait;
use serde_json::{Value, json};

pub(super) struct Clear;

const ABOUT: About = About {
    name: "clear",
    summary: "begins a new session with the same agent",
    details: "Nothing is deleted: the conversation so far stays in the list of sessions. `/new` is the same.",
    category: "sessions",
    forms: &[Form::new("/clear", "", "a new session; the old one is kept")],
};

#[async_trait]
impl Command for Clear {
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
        let new = NewSession { agent_id: before.agent_id, name: None, handler: None };
        let key = invocation.idempotency_key.clone();
        let session = engine.create_session_once(invocation.user(), new, key).await?;
        let text = format!(
            "A new session begins. The one before is kept: `/session open {}` goes back to it.",
            before.id
        );
        Ok(CommandAnswer::new(text, json!({ "session": session, "before": before.id })).opening(session.id))
    }
}
