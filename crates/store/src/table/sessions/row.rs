//! A session as its row holds it, and how that is opened.

use super::label_from;
use crate::{DataKey, Result, crypto::seal::CellPlace, database::row::row, messages::MessageRow};
use domain::{
    AgentId, FolderId, Keeping, LastMessage, Message, Session, SessionId, SessionKind, SessionStatus, Source,
    Timestamp, Usage, UserId,
};

/// How much of the newest message a list shows.
const PREVIEW_CHARACTERS: usize = 200;

row! {
    pub(super) struct SessionRow {
        pub(super) id: SessionId,
        pub(super) user_id: UserId,
        pub(super) agent_id: AgentId,
        pub(super) parent_id: Option<SessionId>,
        pub(super) status: SessionStatus,
        pub(super) archived: bool,
        pub(super) message_count: u64,
        pub(super) last_seq: u64,
        pub(super) read_seq: u64,
        pub(super) input_tokens: u64,
        pub(super) output_tokens: u64,
        pub(super) cached_tokens: u64,
        pub(super) cost_microusd: Option<u64>,
        pub(super) label: i64,
        pub(super) trusted_seq: u64,
        pub(super) doubted_seq: u64,
        pub(super) own_files: bool,
        pub(super) memory: bool,
        pub(super) created_at: Timestamp,
        pub(super) updated_at: Timestamp,
        pub(super) name: Option<Vec<u8>>,
        pub(super) handler: Option<String>,
        pub(super) model: Option<String>,
        pub(super) kind: SessionKind,
        pub(super) narrowing: Option<Vec<u8>>,
        pub(super) pinned: bool,
        pub(super) folder_id: Option<FolderId>,
        pub(super) delete_at: Option<Timestamp>,
        pub(super) version_of: Option<SessionId>,
        pub(super) hidden: bool,
    }
}

pub(super) const COLUMNS: &str = "s.id, s.user_id, s.agent_id, s.parent_id, s.status, s.archived, s.message_count, \
     s.last_seq, s.read_seq, s.input_tokens, s.output_tokens, s.cached_tokens, s.cost_microusd, s.label, \
     s.trusted_seq, s.doubted_seq, s.own_files, s.memory, s.created_at, s.updated_at, s.name, s.handler, s.model, s.kind, s.narrowing, \
     s.pinned, s.folder_id, s.delete_at, s.version_of, s.hidden";

/// The door through which the first message came.
pub(super) const FIRST_SOURCE: &str =
    "(SELECT t.source FROM turns t WHERE t.session_id = s.id ORDER BY t.position LIMIT 1)";

/// The newest message that a person or the agent wrote.
pub(super) const JOIN_LAST_MESSAGE: &str = "LEFT JOIN messages m ON m.session_id = s.id AND m.seq = (\
     SELECT n.seq FROM messages n WHERE n.session_id = s.id AND n.role IN ('user', 'assistant') \
     ORDER BY n.seq DESC LIMIT 1)";

pub(super) fn place(id: &SessionId) -> CellPlace<'_> {
    CellPlace::new("sessions", "name", id)
}

pub(super) fn narrowing_place(id: &SessionId) -> CellPlace<'_> {
    CellPlace::new("sessions", "narrowing", id)
}

pub(crate) fn seal_name(key: &DataKey, id: &SessionId, name: &str) -> Result<Vec<u8>> {
    key.seal(place(id), name.as_bytes())
}

pub(crate) fn open_name(key: &DataKey, id: &SessionId, sealed: &[u8]) -> Result<String> {
    key.open_text(place(id), sealed)
}

impl SessionRow {
    pub(super) fn open(self, key: &DataKey, last: Option<MessageRow>) -> Result<Session> {
        let name = self.name.map(|sealed| key.open_text(place(&self.id), &sealed)).transpose()?;
        let sealed = self.narrowing.as_deref();
        let narrowing = sealed.map(|sealed| key.open_json(narrowing_place(&self.id), sealed)).transpose()?;
        Ok(Session {
            last_message: last.map(|row| preview(key, &self.id, row)).transpose()?,
            id: self.id,
            user_id: self.user_id,
            name,
            agent_id: self.agent_id,
            handler: self.handler,
            model: self.model,
            status: self.status,
            archived: self.archived,
            kind: self.kind,
            parent_id: self.parent_id,
            narrowing,
            message_count: self.message_count,
            last_seq: self.last_seq,
            read_seq: self.read_seq,
            usage: Usage {
                input_tokens: self.input_tokens,
                output_tokens: self.output_tokens,
                cached_tokens: self.cached_tokens,
                cost_microusd: self.cost_microusd,
            },
            label: label_from(self.label),
            trusted_seq: self.trusted_seq,
            doubted_seq: self.doubted_seq,
            own_files: self.own_files,
            memory: self.memory,
            keeping: Keeping {
                pinned: self.pinned,
                folder_id: self.folder_id,
                delete_at: self.delete_at,
                version_of: self.version_of,
                hidden: self.hidden,
                ..Keeping::default()
            },
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

/// A session with the door that its first message came through and its newest message.
pub(super) type ListedRow = (SessionRow, Option<Source>, Option<MessageRow>);

pub(super) fn open_listed(key: &DataKey, (row, source, last): ListedRow) -> Result<Session> {
    let mut session = row.open(key, last)?;
    session.keeping.source = source;
    Ok(session)
}

fn preview(key: &DataKey, session: &SessionId, row: MessageRow) -> Result<LastMessage> {
    let message = row.open(key, session)?;
    let content = message.content.chars().take(PREVIEW_CHARACTERS).collect();
    let Message { seq, role, created_at, .. } = message;
    Ok(LastMessage { seq, role, content, created_at })
}
