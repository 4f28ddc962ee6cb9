//! What a client is told, besides the events themselves.

use super::client::About;
use crate::{problem::Problem, route::me::Me};
use domain::{Cursor, SessionId, SessionStatus, TurnId};
use engine::{CommandAnswer, Glance, Hint, What};
use serde::Serialize;

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ServerMessage<'a> {
    Hello {
        user: &'a Me,
        sessions: &'a [Glance],
    },
    /// It is done, and where it had to be, durable.
    Ack(Ack),
    Pong,
    /// What became of a command.
    CommandResult {
        #[serde(skip_serializing_if = "Option::is_none")]
        session_id: Option<SessionId>,
        #[serde(skip_serializing_if = "Option::is_none")]
        idempotency_key: Option<String>,
        #[serde(flatten)]
        answer: Box<CommandAnswer>,
    },
    Problem {
        #[serde(flatten)]
        about: MessageNamed<'a>,
        status: u16,
        code: &'static str,
        detail: String,
    },
    /// The person's folders, their files or prompts are not as they were: a client that shows them reads them again.
    ListsChanged,
    /// Something happened in a session that this connection does not follow.
    Notice {
        session_id: SessionId,
        last_seq: u64,
        status: SessionStatus,
        event_type: &'static str,
    },
}

#[derive(Default, Serialize)]
pub(super) struct Ack {
    pub(super) of: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session_id: Option<SessionId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) idempotency_key: Option<String>,
    /// Of `abort`: absent when nothing ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) turn_id: Option<TurnId>,
    /// Of `subscribe`: after which the events come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cursor: Option<Cursor>,
}

/// The message a problem is about, as far as it could be read.
#[derive(Serialize)]
pub(super) struct MessageNamed<'a> {
    of: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    idempotency_key: Option<&'a str>,
}

impl<'a> ServerMessage<'a> {
    pub(super) fn problem(about: &'a About, problem: &Problem) -> Self {
        let about = MessageNamed {
            of: about.of.as_deref(),
            session_id: about.session_id.as_deref(),
            idempotency_key: about.idempotency_key.as_deref(),
        };
        let (status, code) = (problem.status.as_u16(), problem.code);
        Self::Problem { about, status, code, detail: problem.shown_detail() }
    }

    pub(super) fn notice(hint: Hint) -> Self {
        let Glance { session_id, last_seq, status } = hint.glance;
        let event_type = match hint.what {
            What::Created => "session_created",
            What::Deleted => "session_deleted",
            What::Event { event_type, .. } => event_type,
        };
        Self::Notice { session_id, last_seq, status, event_type }
    }
}
