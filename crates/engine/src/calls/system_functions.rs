//! What the house itself does for an agent that asks in its text: `@system(help)`, `@system(update_prompt, {…})`.

use crate::{claim::planned_call::CallOutcome, engine::Engine, error::Error};
use domain::{EffectClass, Label, MessageId, ResultStatus, SessionId, UserId};
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Help,
    UpdatePrompt,
}

impl Function {
    pub(crate) const ALL: [Self; 2] = [Self::Help, Self::UpdatePrompt];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Help => "help",
            Self::UpdatePrompt => "update_prompt",
        }
    }

    /// One line for the agent.
    pub(crate) const fn about(self) -> &'static str {
        match self {
            Self::Help => {
                "lists commands, tools, elements, capabilities and abilities; `filter` narrows it down"
            }
            Self::UpdatePrompt => {
                "records what the person answered to an `<hml-prompt>` in the chat: `message_id`, `prompt_id`, `answer`"
            }
        }
    }

    /// Each with its line, for agents to read.
    pub(crate) fn lines() -> [(&'static str, &'static str); 2] {
        Self::ALL.map(|function| (function.name(), function.about()))
    }

    pub(crate) fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|function| function.name() == name)
    }

    /// THREAT[help-02] Abilities and capabilities are also words of the person: a peer of a bridge hears them when that person
    /// says so.
    const fn reads(self) -> Label {
        match self {
            Self::Help => Label::TRUSTED_PRIVATE,
            Self::UpdatePrompt => Label::TRUSTED_PUBLIC,
        }
    }

    pub(crate) const fn class(self) -> EffectClass {
        match self {
            Self::Help => EffectClass::Read,
            // Recording the same answer once more changes nothing.
            Self::UpdatePrompt => EffectClass::Idem,
        }
    }
}

/// On whose behalf, and where.
#[derive(Clone, Copy)]
pub(crate) struct FunctionCaller {
    pub(crate) user: UserId,
    pub(crate) session: SessionId,
    /// Of what the agent was told.
    pub(crate) label: Label,
}

impl Engine {
    pub(crate) async fn run_function(
        &self,
        function: Function,
        caller: FunctionCaller,
        arguments: &Value,
    ) -> CallOutcome {
        let result = match function {
            Function::Help => self.help_for_agent(caller.user, arguments).await,
            Function::UpdatePrompt => self.update_prompt(caller, arguments).await,
        };
        match result {
            Ok(value) => {
                let outcome = CallOutcome::new(ResultStatus::Ok, value.to_string());
                CallOutcome { label: function.reads(), ..outcome }
            }
            Err(Error::Store(error)) => {
                tracing::error!(%error, "a function failed inside");
                CallOutcome::error(ResultStatus::Error, "an internal error occurred")
            }
            Err(error) => CallOutcome::error(ResultStatus::Error, &error.to_string()),
        }
    }

    async fn help_for_agent(&self, user: UserId, arguments: &Value) -> Result<Value, Error> {
        self.command_port()?.help(self, user, arguments).await
    }

    /// THREAT[markup-10]: an agent records answers in its own conversation only, whatever id it writes.
    async fn update_prompt(&self, caller: FunctionCaller, arguments: &Value) -> Result<Value, Error> {
        let text = |name: &str| {
            let missing = || Error::invalid("bad_field", format!("{name} is missing."));
            match arguments.get(name) {
                Some(Value::String(text)) if !text.is_empty() => Ok(text.clone()),
                Some(value @ (Value::Number(_) | Value::Bool(_))) => Ok(value.to_string()),
                _ => Err(missing()),
            }
        };
        let (prompt_id, answer) = (text("prompt_id")?, text("answer")?);
        let message: MessageId = text("message_id")?.parse().map_err(|_| Error::NotFound("message"))?;
        self.note_answer(caller.user, caller.session, message, prompt_id.clone(), (answer, caller.label))
            .await?;
        Ok(json!({ "success": true, "message_id": message, "prompt_id": prompt_id, "updated": true }))
    }
}
