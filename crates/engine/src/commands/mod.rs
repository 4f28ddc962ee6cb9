//! Commands: what a person types with a slash before it, in every client, and what an agent calls by the same name.
//!
//! One command is one file and one line in [`all`]. It says how it is written ([`Form`]) and what its arguments are
//! ([`Command::parameters`]); a slash line and a tool call both become the same arguments, and [`Command::run`] calls the
//! method of the engine that the command's route calls, too.
//!
//! **Owns** the slash commands and how they are written.
//! **Must never** do what the command's route would refuse: a command asks for the same rights.
//! **Start at** [`clear`], a small one, then [`all`].

pub(crate) mod ability;
pub(crate) mod agent;
pub(crate) mod answer;
pub(crate) mod clear;
pub(crate) mod compact;
pub(crate) mod did_you_mean;
pub(crate) mod forget;
pub(crate) mod form;
pub(crate) mod help;
pub(crate) mod help_lists;
pub(crate) mod help_text;
pub(crate) mod line;
pub(crate) mod memory;
pub(crate) mod mine;
pub(crate) mod model;
pub(crate) mod peer_line;
pub(crate) mod remember;
pub(crate) mod retry;
pub(crate) mod rights;
pub(crate) mod saved_prompts;
pub(crate) mod session;
pub(crate) mod start;
pub(crate) mod stop;
pub(crate) mod tools;
pub(crate) mod trust;
pub(crate) mod undo;

pub use crate::commands::{
    answer::{CommandAnswer, CommandEffect},
    form::Form,
};
pub(crate) use crate::commands::{
    rights::{Actor, Need},
    tools::{AgentCommandPort, CommandTools},
};

use crate::commands::{
    answer::code_span,
    form::arguments,
    line::{LINE_BYTES, Words},
};
use crate::{
    engine::Engine,
    error::{Error, Result},
};
use async_trait::async_trait;
use domain::{EffectClass, Permission, SessionId, Source, UploadId, UserId};
use people::Principal;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What people are told of a command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About {
    pub(crate) name: &'static str,
    /// One line.
    pub(crate) summary: &'static str,
    /// For a person who asks for details: what the forms do not say.
    pub(crate) details: &'static str,
    pub(crate) category: &'static str,
    /// How it is written. One without an action is what the command does when no action is named.
    pub(crate) forms: &'static [Form],
}

/// What a slash line asks of a server that may have too much to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineWork {
    /// It passes, whatever else has to wait.
    Little,
    /// It stores what a message does, and a turn runs behind it.
    BeginsTurn,
    /// It answers when a model has, which may take minutes.
    AwaitsModel,
}

#[async_trait]
pub(crate) trait Command: Send + Sync {
    fn about(&self) -> About;

    /// The JSON Schema of its arguments, for agents.
    fn parameters(&self) -> Value;

    /// Whether an agent may run it without asking a person. The default is the careful one.
    fn permission(&self) -> Permission {
        Permission::AskEveryTime
    }

    /// What may happen with a started call of an agent after a crash. The default is the careful one: never again.
    fn class(&self) -> EffectClass {
        EffectClass::Effect
    }

    /// What only a person at a conversation needs is no tool.
    fn is_tool(&self) -> bool {
        true
    }

    /// What it asks of the server: what is more than a little is refused as messages are when there are too many.
    fn work(&self) -> LineWork {
        LineWork::Little
    }

    async fn run(&self, invocation: &Invocation, arguments: Value) -> Result<CommandAnswer>;
}

/// In the order in which they are listed.
pub(crate) fn all() -> &'static [&'static dyn Command] {
    &[
        &crate::commands::help::SlashHelp,
        &crate::commands::clear::SlashClear,
        &crate::commands::session::SlashSession,
        &crate::commands::agent::SlashAgent,
        &crate::commands::ability::SlashAbility,
        &crate::commands::start::SlashStart,
        &crate::commands::stop::SlashStop,
        &crate::commands::retry::SlashRetry,
        &crate::commands::compact::SlashCompact,
        &crate::commands::mine::SlashMine,
        &crate::commands::model::SlashModel,
        &crate::commands::trust::SlashTrust,
        &crate::commands::remember::SlashRemember,
        &crate::commands::forget::SlashForget,
        &crate::commands::memory::SlashMemory,
        &crate::commands::undo::SlashUndo,
    ]
}

/// Other words for the same.
pub(crate) const ALIASES: [(&str, &str); 5] = [
    ("?", "help"),
    ("new", "clear"),
    ("sessions", "session list"),
    ("archive", "session archive"),
    ("agents", "agent list"),
];

/// Agents may write it before a command's name; both names are the same command.
const PREFIX: &str = "command_";

/// A command's own name, for any name that it answers to; every other name as it is.
pub(crate) fn bare_name(name: &str) -> &str {
    let bare = name.strip_prefix(PREFIX).unwrap_or(name);
    if named(bare).is_some() { bare } else { name }
}

pub(crate) fn named(name: &str) -> Option<&'static dyn Command> {
    let bare = name.strip_prefix(PREFIX).unwrap_or(name);
    all().iter().copied().find(|command| command.about().name == bare)
}

/// What goes with a prompt that a person sends by its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SentAlong {
    pub attachments: Vec<UploadId>,
    /// The model that is to answer it, instead of the conversation's.
    pub model: Option<String>,
}

/// Who runs a command, and where.
pub(crate) struct Invocation {
    pub(crate) engine: Engine,
    pub(crate) actor: Actor,
    /// The conversation it was typed in; it is the actor's own.
    pub(crate) session: Option<SessionId>,
    /// The same key, the same thing, where the deed knows such keys.
    pub(crate) idempotency_key: Option<String>,
    about: About,
}

impl Invocation {
    pub(crate) fn user(&self) -> UserId {
        self.actor.user_id
    }

    pub(crate) fn principal(&self) -> &Principal {
        &self.actor.principal
    }

    /// The conversation it was typed in.
    pub(crate) fn session(&self) -> Result<SessionId> {
        self.session.ok_or_else(|| {
            let detail = format!(
                "/{} needs a conversation, and there is none yet. Send a message first, or name a conversation as session_id.",
                self.about.name
            );
            Error::invalid("no_session", detail)
        })
    }

    /// The arguments as the command's own type.
    pub(crate) fn read<T: DeserializeOwned>(&self, arguments: Value) -> Result<T> {
        serde_json::from_value(arguments).map_err(|error| self.misuse(&error.to_string()))
    }

    /// For the person or the agent that wrote it wrongly: what is wrong, and how it is written.
    pub(crate) fn misuse(&self, problem: &str) -> Error {
        crate::commands::form::misuse(&self.about, problem)
    }
}

impl Engine {
    /// Runs what a person typed, with the rights they have. `source` is where they typed it.
    pub async fn command(
        &self,
        principal: &Principal,
        source: Source,
        session: Option<SessionId>,
        line: &str,
        idempotency_key: Option<String>,
    ) -> Result<CommandAnswer> {
        self.command_with(principal, source, session, line, SentAlong::default(), idempotency_key).await
    }

    /// The same for a line that comes with files, or with the model that is to answer: a prompt of the person's own takes
    /// them, and no other command does.
    pub async fn command_with(
        &self,
        principal: &Principal,
        source: Source,
        session: Option<SessionId>,
        line: &str,
        along: SentAlong,
        idempotency_key: Option<String>,
    ) -> Result<CommandAnswer> {
        crate::idempotency_key::check_key(idempotency_key.as_deref())?;
        let actor = Actor::person(principal, source);
        let parsed = parse(line);
        if let Some(id) = session {
            self.session(principal.user_id, id).await?;
        }
        // What is no command of the server may be a prompt of this person's own.
        let is_unknown = matches!(parsed, Err(Error::Invalid { code: "unknown_command", .. }));
        if is_unknown && source.rules().may_command {
            let key = idempotency_key.clone();
            if let Some(answer) = self.send_saved_prompt(&actor, session, line, along.clone(), key).await? {
                return Ok(answer);
            }
        }
        let (command, arguments) = parsed?;
        if along != SentAlong::default() {
            let detail = "Files and a model go with your own prompts only. Leave them out of this command.";
            return Err(Error::invalid("bad_command", detail));
        }
        self.run_command(command, actor, session, arguments, idempotency_key).await
    }

    pub(crate) async fn run_command(
        &self,
        command: &dyn Command,
        actor: Actor,
        session: Option<SessionId>,
        arguments: Value,
        idempotency_key: Option<String>,
    ) -> Result<CommandAnswer> {
        let (engine, about) = (self.clone(), command.about());
        let invocation = Invocation { engine, actor, session, idempotency_key, about };
        let mut answer = command.run(&invocation, arguments).await?;
        answer.command = about.name;
        Ok(answer)
    }
}

/// What a slash line may ask of the server. What is no command of the server may be a prompt of a person's own.
pub fn work_of(line: &str) -> LineWork {
    match parse(line) {
        Ok((command, _)) => command.work(),
        Err(Error::Invalid { code: "unknown_command", .. }) => LineWork::BeginsTurn,
        Err(_) => LineWork::Little,
    }
}

/// The command of a slash line, and its arguments.
fn parse(line: &str) -> Result<(&'static dyn Command, Value)> {
    if line.len() > LINE_BYTES {
        return Err(Error::TooLarge(format!(
            "This command is too long. The limit is {}.",
            domain::size_words(LINE_BYTES as u64)
        )));
    }
    let (name, rest) = name_and_rest(line);
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
    let meant = alias.map_or(name.as_str(), |(_, meant)| meant);
    let (name, action) = meant.split_once(' ').unwrap_or((meant, ""));
    let Some(command) = named(name) else { return Err(unknown(name)) };
    let rest = format!("{action} {rest}");
    Ok((command, arguments(&command.about(), &mut Words::new(&rest))?))
}

/// The first word of a slash line, in small letters, and what stands behind it.
fn name_and_rest(line: &str) -> (String, &str) {
    let line = line.trim();
    let line = line.strip_prefix('/').unwrap_or(line);
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    (name.to_lowercase(), rest)
}

fn unknown(name: &str) -> Error {
    let names = all().iter().map(|command| command.about().name).chain(ALIASES.iter().map(|(name, _)| *name));
    let near = crate::commands::did_you_mean::nearest(name, names);
    let shown: String = name.chars().take(40).collect();
    let hint = match near.as_slice() {
        [] => String::new(),
        [one] => format!(" Did you mean /{one}?"),
        several => {
            let named: Vec<String> = several.iter().map(|name| format!("/{name}")).collect();
            format!(" Did you mean one of these: {}?", named.join(", "))
        }
    };
    let detail = format!(
        "Unknown command: {}.{hint} Type /help for a list of commands.",
        code_span(&format!("/{shown}"))
    );
    Error::invalid("unknown_command", detail)
}

#[cfg(test)]
#[path = "commands_tests.rs"]
mod tests;
