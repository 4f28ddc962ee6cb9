//! What a client says.

use crate::{
    json,
    problem::Problem,
    request::extract::Noun,
    route::messages::{Attachment, Outgoing},
};
use domain::{Answers, ApprovalDecision, ApprovalId, Cursor, InputMode, QuestionId, RuleScope, SessionId};
use engine::{ApprovalAnswer, Start};
use serde::{Deserialize, de::IgnoredAny};

/// What a message may have, unless it carries words.
const SMALL: usize = 64 << 10;

/// A message of the client, understood.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ClientMessage {
    Subscribe { session_id: SessionId, start: Start },
    Unsubscribe { session_id: SessionId },
    Send(Outgoing),
    Abort { session_id: SessionId },
    Command(TypedCommand),
    QuestionResponse { question_id: QuestionId, answer: String },
    ApprovalResponse { approval_id: ApprovalId, answer: ApprovalAnswer },
    Ping,
}

/// What a person typed with a slash before it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TypedCommand {
    pub(super) session_id: Option<SessionId>,
    pub(super) line: String,
    pub(super) idempotency_key: Option<String>,
}

/// By which a client finds out what an answer answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct About {
    pub(super) of: Option<String>,
    pub(super) session_id: Option<String>,
    pub(super) idempotency_key: Option<String>,
}

/// The fields that every message may have, read leniently: what is wrong with them is said by the strict reading.
#[derive(Deserialize)]
struct Head {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    session_id: Lenient,
    #[serde(default)]
    idempotency_key: Lenient,
}

#[derive(Default, Deserialize)]
#[serde(untagged)]
enum Lenient {
    Text(String),
    #[default]
    Nothing,
    Other(IgnoredAny),
}

impl Lenient {
    /// What a client sent is given back to it, unless it is absurdly long.
    fn short(self) -> Option<String> {
        match self {
            Self::Text(text) if text.len() <= 255 => Some(text),
            _ => None,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Subscribe {
    #[serde(rename = "type")]
    _kind: IgnoredAny,
    session_id: String,
    after: Option<After>,
}

/// A cursor; a whole number is one too.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "a cursor is a number, or two joined by a dot, for instance \"41\" or \"41.1380\""
)]
enum After {
    Text(String),
    Seq(u64),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfSession {
    #[serde(rename = "type")]
    _kind: IgnoredAny,
    session_id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Send {
    #[serde(rename = "type")]
    _kind: IgnoredAny,
    session_id: String,
    content: String,
    mode: Option<InputMode>,
    answers: Option<Answers>,
    attachments: Option<Vec<Attachment>>,
    idempotency_key: String,
    typed: Option<bool>,
    model: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CommandLine {
    #[serde(rename = "type")]
    _kind: IgnoredAny,
    session_id: Option<String>,
    line: String,
    idempotency_key: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuestionResponse {
    #[serde(rename = "type")]
    _kind: IgnoredAny,
    question_id: String,
    answer: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ApprovalResponse {
    #[serde(rename = "type")]
    _kind: IgnoredAny,
    approval_id: String,
    decision: ApprovalDecision,
    scope: Option<RuleScope>,
    digest: String,
    reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ping {
    #[serde(rename = "type")]
    _kind: IgnoredAny,
}

/// Understands a text frame, or says what is wrong with it and, where that can be seen, which message it was.
pub(super) fn understand(text: &str) -> (About, Result<ClientMessage, Problem>) {
    let head: Head = match json::parse("message", text.as_bytes()) {
        Ok(head) => head,
        Err(problem) => return (About::default(), Err(problem)),
    };
    let about = About {
        of: Some(head.kind.chars().take(64).collect()),
        session_id: head.session_id.short(),
        idempotency_key: head.idempotency_key.short(),
    };
    (about, message(&head.kind, text))
}

fn message(kind: &str, text: &str) -> Result<ClientMessage, Problem> {
    if kind != "send" && text.len() > SMALL {
        return Err(Problem::too_large(format!(
            "A message of this type may have at most {}.",
            domain::size_words(SMALL as u64)
        )));
    }
    let bytes = text.as_bytes();
    let of_session = || json::parse::<OfSession>("message", bytes).and_then(|of| id(&of.session_id));
    match kind {
        "subscribe" => subscribe(json::parse("message", bytes)?),
        "unsubscribe" => Ok(ClientMessage::Unsubscribe { session_id: of_session()? }),
        "send" => send(json::parse("message", bytes)?).map(ClientMessage::Send),
        "abort" => Ok(ClientMessage::Abort { session_id: of_session()? }),
        "command" => command(json::parse("message", bytes)?),
        // Two names for one message.
        "question_response" | "question_answer" => {
            let QuestionResponse { question_id, answer, .. } = json::parse("message", bytes)?;
            let question_id = question_id.parse().map_err(|_| Problem::not_found(QuestionId::NOUN))?;
            Ok(ClientMessage::QuestionResponse { question_id, answer })
        }
        "approval_response" => {
            let response: ApprovalResponse = json::parse("message", bytes)?;
            let ApprovalResponse { approval_id, decision, scope, digest, reason, .. } = response;
            let approval_id = approval_id.parse().map_err(|_| Problem::not_found(ApprovalId::NOUN))?;
            let scope = scope.unwrap_or(RuleScope::Once);
            let answer = ApprovalAnswer { decision, scope, digest, reason };
            Ok(ClientMessage::ApprovalResponse { approval_id, answer })
        }
        "ping" => json::parse::<Ping>("message", bytes).map(|_| ClientMessage::Ping),
        _ => {
            let detail = "type must be subscribe, unsubscribe, send, abort, command, question_response, \
                          approval_response or ping.";
            Err(Problem::bad_request("unknown_type", detail))
        }
    }
}

fn command(
    CommandLine { session_id, line, idempotency_key, .. }: CommandLine,
) -> Result<ClientMessage, Problem> {
    let session_id = session_id.as_deref().map(id).transpose()?;
    Ok(ClientMessage::Command(TypedCommand { session_id, line, idempotency_key }))
}

fn subscribe(Subscribe { session_id, after, .. }: Subscribe) -> Result<ClientMessage, Problem> {
    let session_id = id(&session_id)?;
    let start = match after {
        None => Start::Now,
        Some(After::Seq(seq)) => Start::After(Cursor { seq, offset: 0 }),
        Some(After::Text(text)) => {
            let cursor = text.parse::<Cursor>();
            Start::After(cursor.map_err(|error| Problem::bad_request("bad_cursor", error.to_string()))?)
        }
    };
    Ok(ClientMessage::Subscribe { session_id, start })
}

fn send(send: Send) -> Result<Outgoing, Problem> {
    let Send { session_id, content, mode, answers, attachments, idempotency_key, typed, model, .. } = send;
    let (session_id, mode) = (id(&session_id)?, mode.unwrap_or_default());
    let attachments = attachments.unwrap_or_default();
    let attachments = attachments.into_iter().map(|attachment| attachment.upload_id).collect();
    let typed = typed.unwrap_or_default();
    let idempotency_key = Some(idempotency_key);
    Ok(Outgoing { session_id, content, attachments, mode, answers, idempotency_key, typed, model })
}

/// What is not an id names nothing.
fn id(text: &str) -> Result<SessionId, Problem> {
    text.parse().map_err(|_| Problem::not_found(SessionId::NOUN))
}

#[cfg(test)]
#[path = "client_tests.rs"]
mod tests;
