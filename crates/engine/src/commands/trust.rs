//! `/trust`: what the session holds was looked at.

use super::{About, Command, CommandAnswer, Form, Invocation, Need};
use crate::error::Result;
use async_trait::async_trait;
use serde_json::{Value, json};

pub(super) struct Trust;

const ABOUT: About = About {
    name: "trust",
    summary: "declares what this session holds so far trusted",
    details: "Pages, files of others and messages of strangers count as untrusted: together with private things they make the \
              house ask before anything leaves it. Declare them trusted when you have read them. What comes later counts again.",
    category: "sessions",
    forms: &[Form::new("/trust", "", "everything so far counts as your own")],
};

#[async_trait]
impl Command for Trust {
    fn about(&self) -> About {
        ABOUT
    }

    fn parameters(&self) -> Value {
        json!({ "type": "object", "properties": {}, "additionalProperties": false })
    }

    /// THREAT[label-01] Whoever wrote what is not trusted must not be able to declare it so.
    fn is_tool(&self) -> bool {
        false
    }

    async fn run(&self, invocation: &Invocation, _arguments: Value) -> Result<CommandAnswer> {
        invocation.actor.check(Need::Manage)?;
        let session = invocation.engine.trust_session(invocation.principal(), invocation.session()?).await?;
        let text = "What this session holds so far counts as trusted. What comes later counts again.";
        Ok(CommandAnswer::new(text, json!({ "session": session })))
    }
}
