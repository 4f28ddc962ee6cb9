//! `/model`: which model answers in the conversation.

use crate::commands::{About, Command, CommandAnswer, Form, Invocation, Need};
use crate::{error::Result, sessions::SessionChange};
use async_trait::async_trait;
use domain::Change;
use provider::{ModelInfo, Price};
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt::Write as _;

pub(super) struct SlashModel;

/// The word that gives the conversation back to its agent's model.
const AGENTS_OWN: &str = "default";

const ABOUT: About = About {
    name: "model",
    summary: "choose the model that answers in this conversation",
    details: "The choice counts from the next message on, in this conversation only. You can choose in conversations with \
              your own agents. In the terminal, /model once NAME is for your next message alone.",
    category: "sessions",
    forms: &[Form::new(
        "/model [NAME|default]",
        "",
        "show the models, have one of them answer, or the agent's model again",
    )
    .words(&["name"])],
};

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ModelArguments {
    name: Option<String>,
}

#[async_trait]
impl Command for SlashModel {
    fn about(&self) -> About {
        ABOUT
    }

    fn parameters(&self) -> Value {
        json!({ "type": "object", "properties": { "name": { "type": "string" } }, "additionalProperties": false })
    }

    /// Which model thinks, and what that costs, is decided by people.
    fn is_tool(&self) -> bool {
        false
    }

    async fn run(&self, invocation: &Invocation, arguments: Value) -> Result<CommandAnswer> {
        let deed: ModelArguments = invocation.read(arguments)?;
        let (engine, user, id) = (&invocation.engine, invocation.user(), invocation.session()?);
        let Some(name) = deed.name else {
            invocation.actor.check(Need::Talk)?;
            let session = engine.session(user, id).await?;
            let agent = engine.agent(user, session.agent_id).await?;
            engine.refresh_models().await?;
            let models = engine.models().list();
            let answers = engine.model_name(session.model.as_deref().or(agent.model.as_deref()));
            let text = listed(&models, &answers);
            return Ok(CommandAnswer::new(text, json!({ "model": answers, "models": models })));
        };
        invocation.actor.check(Need::Manage)?;
        let model = if name == AGENTS_OWN { Change::Reset } else { Change::Set(name.clone()) };
        let change = SessionChange { model, ..SessionChange::default() };
        let session = engine.change_session(invocation.principal(), id, change).await?;
        let text = match &session.model {
            Some(model) => format!("`{model}` answers in this conversation from the next message on."),
            None => "The agent's model answers in this conversation again.".to_owned(),
        };
        Ok(CommandAnswer::new(text, json!({ "session": session })))
    }
}

/// The models with their prices, one in a line.
fn listed(models: &[ModelInfo], answers: &str) -> String {
    let mut text = format!("`{answers}` answers in this conversation.\n");
    for model in models {
        let _ = match model.id == answers {
            true => write!(text, "\n- `{}`: {} (answers here)", model.id, about(model)),
            false => write!(text, "\n- `{}`: {}", model.id, about(model)),
        };
    }
    text
}

/// What a model costs and what it can do, in plain words.
fn about(model: &ModelInfo) -> String {
    let able = |ability: &str, words: &'static str| {
        model.abilities.iter().any(|known| known == ability).then(|| words.to_owned())
    };
    let mut parts = vec![price_words(model.price)];
    parts.extend(able("images", "sees pictures"));
    parts.extend(able("reasoning", "thinks first"));
    parts.push(format!("reads {} tokens", short(model.window)));
    parts.extend(model.default.then(|| "default model".to_owned()));
    parts.join(", ")
}

/// A count of tokens in a few characters.
fn short(count: u64) -> String {
    match count {
        1_000_000.. => format!("{}m", count / 1_000_000),
        1_000.. => format!("{}k", count / 1_000),
        _ => count.to_string(),
    }
}

/// What a model costs, in plain words.
fn price_words(price: Option<Price>) -> String {
    let dollars = |microusd: u64| format!("${}.{:02}", microusd / 1_000_000, microusd % 1_000_000 / 10_000);
    match price {
        None => "price unknown".to_owned(),
        Some(Price::FREE) => "free".to_owned(),
        Some(price) => {
            format!("{} per million tokens read and {} written", dollars(price.input), dollars(price.output))
        }
    }
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
