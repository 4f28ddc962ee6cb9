//! `/session`: one's conversations.

use crate::commands::{About, Command, CommandAnswer, Form, Invocation, Need, answer::code_span};
use crate::{
    error::{Error, Result},
    sessions::{NewSession, SessionChange, fork::Fork},
};
use async_trait::async_trait;
use domain::{Agent, Change, Session, SessionId, SessionKind};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use store::{Page, sessions::SessionFilter};

/// What a list shows.
const LISTED: u32 = 20;
/// Of the last message of a session without a name.
const SHOWN_CHARS: usize = 40;

pub(super) struct SlashSession;

const ABOUT: About = About {
    name: "session",
    summary: "list, start, rename, fork and archive your conversations",
    details: "An action without an ID applies to this conversation. `/sessions` is short for `/session list`, `/archive` for \
              `/session archive`.",
    category: "sessions",
    forms: FORMS,
};

#[derive(Debug, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case", deny_unknown_fields)]
enum SessionAction {
    Show {},
    List {
        #[serde(default)]
        archived: Option<Value>,
    },
    Create {
        name: Option<String>,
        agent: Option<String>,
    },
    Open {
        id: String,
    },
    Rename {
        name: Option<String>,
        id: Option<String>,
    },
    Archive {
        id: Option<String>,
    },
    Unarchive {
        id: Option<String>,
    },
    Fork {
        id: Option<String>,
        #[serde(default, deserialize_with = "number")]
        after_seq: Option<u64>,
    },
}

#[async_trait]
impl Command for SlashSession {
    fn about(&self) -> About {
        ABOUT
    }

    fn parameters(&self) -> Value {
        let actions = ["show", "list", "create", "open", "rename", "archive", "unarchive", "fork"];
        json!({
            "type": "object",
            "properties": {
                "action": { "type": "string", "enum": actions },
                "id": { "type": "string", "description": "Id of a conversation; this one if left out." },
                "name": { "type": "string", "description": "For create and rename." },
                "agent": { "type": "string", "description": "For create: name or id of the agent." },
                "archived": { "type": "boolean", "description": "For list: the archived ones." },
                "after_seq": { "type": "integer", "minimum": 0, "description": "For fork: the last event to copy." }
            },
            "required": ["action"],
            "additionalProperties": false
        })
    }

    async fn run(&self, invocation: &Invocation, arguments: Value) -> Result<CommandAnswer> {
        let deed: SessionAction = invocation.read(with_action(invocation, arguments)?)?;
        let need = match &deed {
            SessionAction::Show {}
            | SessionAction::List { .. }
            | SessionAction::Create { .. }
            | SessionAction::Open { .. }
            | SessionAction::Fork { .. } => Need::Talk,
            SessionAction::Rename { .. }
            | SessionAction::Archive { .. }
            | SessionAction::Unarchive { .. } => Need::Manage,
        };
        invocation.actor.check(need)?;
        match deed {
            SessionAction::Show {} => invocation.show_session().await,
            SessionAction::List { archived } => invocation.list_sessions(archived).await,
            SessionAction::Create { name, agent } => invocation.begin_session(name, agent).await,
            SessionAction::Open { id } => invocation.open_session(&id).await,
            SessionAction::Rename { name, id } => invocation.rename_session(name, id).await,
            SessionAction::Archive { id } => invocation.put_away(id, true).await,
            SessionAction::Unarchive { id } => invocation.put_away(id, false).await,
            SessionAction::Fork { id, after_seq } => invocation.fork(id, after_seq).await,
        }
    }
}

const FORMS: &[Form] = &[
    Form::new("/session", "", "show this conversation").words(&["id"]),
    Form::new("/session list [archived=true]", "list", "your newest conversations").named(&["archived"]),
    Form::new(
        "/session create [agent=AGENT] [NAME]",
        "create",
        "start a conversation, with this agent or another",
    )
    .rest("name")
    .named(&["agent"]),
    Form::new("/session open ID", "open", "continue another conversation; `/session ID` does the same")
        .words(&["id"]),
    Form::new(
        "/session rename [id=ID] NAME",
        "rename",
        "rename a conversation; without a name it is named automatically",
    )
    .rest("name")
    .named(&["id"]),
    Form::new("/session archive [ID]", "archive", "archive a conversation").words(&["id"]),
    Form::new("/session unarchive [ID]", "unarchive", "restore an archived conversation").words(&["id"]),
    Form::new(
        "/session fork [ID] [after_seq=N]",
        "fork",
        "copy this conversation, or its part up to an event, into a new one",
    )
    .words(&["id"])
    .named(&["after_seq"]),
];

/// Without an action an id is opened, and nothing is shown.
fn with_action(invocation: &Invocation, mut arguments: Value) -> Result<Value> {
    let Some(fields) = arguments.as_object_mut() else {
        return Err(invocation.misuse("arguments are missing"));
    };
    if fields.contains_key("action") {
        return Ok(arguments);
    }
    let action = match fields.get("id").and_then(Value::as_str) {
        None => "show",
        Some(id) if id.parse::<SessionId>().is_ok() => "open",
        Some(other) => {
            let shown: String = other.chars().take(40).collect();
            return Err(
                invocation.misuse(&format!("{shown:?} is neither an action nor the id of a conversation"))
            );
        }
    };
    fields.insert("action".to_owned(), action.into());
    Ok(arguments)
}

impl Invocation {
    /// The one that was named, or the one it was typed in.
    fn session_or(&self, id: Option<String>) -> Result<SessionId> {
        match id {
            Some(id) => id.parse().map_err(|_| Error::NotFound("session")),
            None => self.session(),
        }
    }

    async fn show_session(&self) -> Result<CommandAnswer> {
        let session = self.engine.session(self.user(), self.session()?).await?;
        Ok(CommandAnswer::new(line(&session), json!({ "session": session })))
    }

    async fn list_sessions(&self, archived: Option<Value>) -> Result<CommandAnswer> {
        let archived = match archived {
            None => false,
            Some(Value::Bool(value)) => value,
            Some(Value::String(text)) if text == "true" || text == "false" => text == "true",
            Some(_) => return Err(self.misuse("archived must be true or false")),
        };
        let kind = Some(SessionKind::Own);
        let filter = SessionFilter { archived: Some(archived), kind, ..SessionFilter::default() };
        let found = self.engine.sessions(self.user(), filter, Page::first(LISTED)).await?;
        let text = match found.items.as_slice() {
            [] if archived => "No archived conversations.".to_owned(),
            [] => "No conversations yet.".to_owned(),
            items => items.iter().map(line).collect::<Vec<_>>().join("\n"),
        };
        let more = found.total.saturating_sub(found.items.len() as u64);
        let text = match (found.total_is_more, more) {
            (true, _) => format!("{text}\n\n… and more than {more} more"),
            (false, 0) => text,
            (false, _) => format!("{text}\n\n… and {more} more"),
        };
        let mut data = json!({ "items": found.items, "total": found.total });
        if found.total_is_more {
            data["total_is_more"] = Value::Bool(true);
        }
        Ok(CommandAnswer::new(text, data))
    }

    async fn begin_session(&self, name: Option<String>, agent: Option<String>) -> Result<CommandAnswer> {
        let agent_id = match (agent, self.session) {
            (Some(agent), _) => self.agent_named(&agent).await?.id,
            (None, Some(here)) => self.engine.session(self.user(), here).await?.agent_id,
            (None, None) => self.agent_named(Agent::MAIN).await?.id,
        };
        let new = NewSession { name, ..NewSession::with(agent_id) };
        let key = self.idempotency_key.clone();
        let session = self.engine.create_session_once(self.user(), new, key).await?;
        let answer = CommandAnswer::new("This is a new conversation.", json!({ "session": session }));
        Ok(answer.opening(session.id))
    }

    async fn open_session(&self, id: &str) -> Result<CommandAnswer> {
        let id = id.parse().map_err(|_| Error::NotFound("session"))?;
        let session = self.engine.session(self.user(), id).await?;
        Ok(CommandAnswer::new(line(&session), json!({ "session": session })).opening(id))
    }

    async fn rename_session(&self, name: Option<String>, id: Option<String>) -> Result<CommandAnswer> {
        let id = self.session_or(id)?;
        let name = name.map_or(Change::Reset, Change::Set);
        let change = SessionChange { name, ..SessionChange::default() };
        let session = self.engine.change_session(self.principal(), id, change).await?;
        let text = match &session.name {
            Some(name) => format!("This conversation is now called {}.", code_span(name)),
            None => "The name of this conversation was removed.".to_owned(),
        };
        Ok(CommandAnswer::new(text, json!({ "session": session })))
    }

    async fn put_away(&self, id: Option<String>, archived: bool) -> Result<CommandAnswer> {
        let id = self.session_or(id)?;
        let session = self.engine.archive_session(self.user(), id, archived).await?;
        let text = match archived {
            true => format!("Archived. `/session unarchive {id}` restores it."),
            false => "Restored.".to_owned(),
        };
        Ok(CommandAnswer::new(text, json!({ "session": session })))
    }

    async fn fork(&self, id: Option<String>, after_seq: Option<u64>) -> Result<CommandAnswer> {
        let id = self.session_or(id)?;
        let key = self.idempotency_key.clone();
        let session = self.engine.fork_session(self.user(), id, Fork { after_seq }, key).await?;
        let text = format!("This is a copy. `/session open {id}` goes back to the original.");
        Ok(CommandAnswer::new(text, json!({ "session": session })).opening(session.id))
    }
}

fn line(session: &Session) -> String {
    let said = session.last_message.as_ref().map(|last| last.content.chars().take(SHOWN_CHARS).collect());
    let name = session
        .name
        .clone()
        .or(said)
        .map_or_else(|| "no messages yet".to_owned(), |name: String| code_span(&name));
    let Session { id, message_count, .. } = session;
    let state = match session.archived {
        true => [session.status.as_str(), "archived"].join(", "),
        false => session.status.as_str().to_owned(),
    };
    match message_count {
        1 => format!("- {name} · {state} · 1 message · `{id}`"),
        _ => format!("- {name} · {state} · {message_count} messages · `{id}`"),
    }
}

/// A line has only text.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<u64>, D::Error> {
    let bad = || serde::de::Error::custom("after_seq must be a whole number");
    match Option::<Value>::deserialize(deserializer)? {
        None => Ok(None),
        Some(Value::String(text)) => text.parse().map(Some).map_err(|_| bad()),
        Some(value) => value.as_u64().map(Some).ok_or_else(bad),
    }
}
