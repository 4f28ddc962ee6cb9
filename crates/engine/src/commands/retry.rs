//! `/retry`: the last turn once more.

use crate::commands::{About, Command, CommandAnswer, Form, Invocation, LineWork, Need};
use crate::error::Result;
use async_trait::async_trait;
use serde_json::{Value, json};

pub(super) struct SlashRetry;

const ABOUT: About = About {
    name: "retry",
    summary: "try the last reply again if it failed",
    details: "Your message is not sent a second time.",
    category: "sessions",
    forms: &[Form::new("/retry", "", "try the last reply again")],
};

#[async_trait]
impl Command for SlashRetry {
    fn about(&self) -> About {
        ABOUT
    }

    fn parameters(&self) -> Value {
        json!({ "type": "object", "properties": {}, "additionalProperties": false })
    }

    fn is_tool(&self) -> bool {
        false
    }

    fn work(&self) -> LineWork {
        LineWork::BeginsTurn
    }

    async fn run(&self, invocation: &Invocation, _arguments: Value) -> Result<CommandAnswer> {
        invocation.actor.check(Need::Talk)?;
        let session = invocation.session()?;
        let (turn, after) = invocation.engine.retry(invocation.user(), session).await?;
        let answer = CommandAnswer::new("Trying the last reply again.", json!({ "turn_id": turn }));
        Ok(answer.following(session, turn, after))
    }
}
