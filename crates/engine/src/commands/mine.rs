//! `/mine`: who wrote what is added to the session.

use crate::commands::{About, Command, CommandAnswer, Form, Invocation, Need};
use crate::{error::Result, sessions::SessionChange};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) struct SlashMine;

const ABOUT: About = About {
    name: "mine",
    summary: "trust the files, pictures and long texts that you add, because you wrote them",
    details: "Without it they are untrusted: once an agent has read them, it asks before it sends anything out. This applies to \
              what you add from now on; use `/trust` for what is already here.",
    category: "sessions",
    forms: &[
        Form::new("/mine", "", "trust what you add from now on"),
        Form::new("/mine off", "off", "do not trust what you add from now on"),
    ],
};

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct MineArguments {
    action: Option<String>,
}

#[async_trait]
impl Command for SlashMine {
    fn about(&self) -> About {
        ABOUT
    }

    fn parameters(&self) -> Value {
        json!({ "type": "object", "properties": { "action": { "enum": ["off"] } }, "additionalProperties": false })
    }

    /// THREAT[label-01] Whoever wrote what is not trusted must not be able to declare it so.
    fn is_tool(&self) -> bool {
        false
    }

    async fn run(&self, invocation: &Invocation, arguments: Value) -> Result<CommandAnswer> {
        let deed: MineArguments = invocation.read(arguments)?;
        invocation.actor.check(Need::Manage)?;
        let own = deed.action.is_none();
        let change = SessionChange { own_files: Some(own), ..SessionChange::default() };
        let session =
            invocation.engine.change_session(invocation.principal(), invocation.session()?, change).await?;
        let text = match own {
            true => "Files, pictures and long texts that you add from now on are trusted.",
            false => "Files, pictures and long texts that you add from now on are untrusted.",
        };
        Ok(CommandAnswer::new(text, json!({ "session": session })))
    }
}
