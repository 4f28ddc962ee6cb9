//! `/start`: what every session of the agent begins with, told once more.

use crate::commands::{About, Command, CommandAnswer, Form, Invocation, LineWork, Need};
use crate::{
    claim::new_input::NewMessage,
    engine::Engine,
    error::{Error, Result},
};
use async_trait::async_trait;
use domain::{InputMode, Permission, SessionId, Source, UserId};
use prompt::{placeholder_values, refresh};
use serde_json::{Value, json};

pub(super) struct SlashStart;

const ABOUT: About = About {
    name: "start",
    summary: "send the agent its start-up text again",
    details: "Sends the start-up abilities of the agent as a message from you, with current values.",
    category: "sessions",
    forms: &[Form::new("/start", "", "send the start-up text as a message")],
};

#[async_trait]
impl Command for SlashStart {
    fn about(&self) -> About {
        ABOUT
    }

    fn parameters(&self) -> Value {
        json!({ "type": "object", "properties": {}, "additionalProperties": false })
    }

    fn permission(&self) -> Permission {
        Permission::Allow
    }

    fn work(&self) -> LineWork {
        LineWork::BeginsTurn
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
            model: None,
            idempotency_key: invocation.idempotency_key.clone(),
        };
        let accepted = invocation.engine.accept(message).await?;
        let answer =
            CommandAnswer::new("The start-up text was sent.", json!({ "turn_id": accepted.turn_id }));
        Ok(answer.following(session_id, accepted.turn_id, accepted.after))
    }
}

impl Engine {
    /// The start-up text of a session's agent as it is now, to be sent as a message from `source`.
    pub async fn start_text(&self, user: UserId, session: SessionId, source: Source) -> Result<String> {
        let session = self.session(user, session).await?;
        let agent = self.agent(user, session.agent_id).await?;
        let registry = self.registry_of(&agent).await?;
        let resolved = registry.resolve(&agent.capabilities, &agent.allowed_tools);
        let resolved = resolved.map_err(|error| Error::invalid("bad_capabilities", error.to_string()))?;
        let person = self.people().user(user).await?;
        // The message counts as its sender's own words, and a title may be made of anything that was said.
        let is_theirs = source.rules().hears_private && !session.label.is_untrusted();
        let place = Some((session.id, session.name.as_deref().filter(|_| is_theirs)));
        let values =
            placeholder_values(user, Some(&person.name), place).set_at(self.now(), &person.time_zone);
        refresh(&resolved, &values).ok_or_else(|| {
            Error::conflict(
                "no_startup",
                "This agent has no start-up ability. Add an ability with startup to its capabilities.",
            )
        })
    }
}
