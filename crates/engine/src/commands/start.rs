//! `/start`: what every session of the agent begins with, told once more.

use crate::commands::{About, Command, CommandAnswer, Form, Invocation, Need};
use crate::{error::Result, inbox::accept::NewMessage};
use async_trait::async_trait;
use domain::{InputMode, Permission};
use serde_json::{Value, json};

pub(super) struct Start;

const ABOUT: About = About {
    name: "start",
    summary: "tells the agent once more what its sessions begin with",
    details: "Sends the start-up processes of the agent as a message of yours, filled in anew.",
    category: "sessions",
    forms: &[Form::new("/start", "", "sends the start-up text as a message")],
};

#[async_trait]
impl Command for Start {
    fn about(&self) -> About {
        ABOUT
    }

    fn parameters(&self) -> Value {
        json!({ "type": "object", "properties": {}, "additionalProperties": false })
    }

    fn permission(&self) -> Permission {
        Permission::Allow
    }

    async fn run(&self, invocation: &Invocation, _arguments: Value) -> Result<CommandAnswer> {
        invocation.actor.check(Need::Talk)?;
        let (user_id, session_id) = (invocation.user(), invocation.session()?);
        let content = invocation.engine.start_text(user_id, session_id, invocation.actor.source).await?;
        let message = NewMessage {
            user_id,
            session_id,
            content,
            attachments: Vec::new(),
            typed: false,
            sender: None,
            mode: InputMode::Queue,
            answers: None,
            source: invocation.actor.source,
            idempotency_key: invocation.idempotency_key.clone(),
        };
        let accepted = invocation.engine.accept(message).await?;
        let answer = CommandAnswer::new("The start-up text is sent.", json!({ "turn_id": accepted.turn_id }));
        Ok(answer.following(session_id, accepted.turn_id, accepted.after))
    }
}
