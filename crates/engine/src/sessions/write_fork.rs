//! Writing a fork: piece by piece, so that no other write waits long for the store, and shown to no client before it is whole.
//!
//! Invariant: until the last transaction the new session is in no list and its id is known to no client. What a crash
//! leaves of it is dropped later ([`Engine::drop_unfinished_forks`]).

use crate::{
    bus::node_note::SessionNews,
    engine::Engine,
    error::{Error, Result},
    files::uploads,
    idempotency_key,
    sessions::fork::Copy,
};
use domain::{SessionId, UserId};
use store::{
    DataKey, Tx, compactions,
    idempotency::{self, KeyUse, Keyed},
    log::{self, Entry},
    session_files, sessions,
};

/// What one transaction writes.
const PIECE_BYTES: usize = 1 << 20;
const PIECE_ENTRIES: usize = 200;
/// No fork takes as long: what is older was left by a crash.
const UNFINISHED_MS: i64 = 3_600 * 1_000;

/// What came of writing a copy.
pub(crate) enum CopyOutcome<T> {
    Made(T),
    /// The idempotency key made this one before; nothing new is there.
    Before(SessionId),
}

impl Engine {
    pub(crate) async fn write_fork(&self, user: UserId, key: DataKey, copy: Copy) -> Result<SessionId> {
        let id = copy.session.id;
        match self.write_copy(user, key, copy, |_| Ok::<(), store::Error>(())).await? {
            CopyOutcome::Made(()) => Ok(id),
            CopyOutcome::Before(made) => Ok(made),
        }
    }

    /// Writes a copy. What `finish` does is part of its last transaction: a refusal of it leaves no copy behind.
    pub(crate) async fn write_copy<T, E, F>(
        &self,
        user: UserId,
        key: DataKey,
        copy: Copy,
        finish: F,
    ) -> Result<CopyOutcome<T>>
    where
        T: Send + 'static,
        E: From<store::Error> + Into<Error> + Send + 'static,
        F: FnOnce(&mut Tx) -> Result<T, E> + Send + 'static,
    {
        let id = copy.session.id;
        let written = match self.write_pieces(&key, copy, finish).await {
            Ok(written) => written,
            Err(error) => {
                self.drop_fork(user, id).await;
                return Err(match error.into() {
                    // Its parent, or a picture with it, was deleted in this moment.
                    Error::Store(store::Error::Constraint(_) | store::Error::NotFound) => {
                        Error::NotFound("session")
                    }
                    other => other,
                });
            }
        };
        fail::fail_point!("fork_after_commit");
        let made = match written {
            Ok(made) => made,
            Err(noted) => {
                self.drop_fork(user, id).await;
                return idempotency_key::made(noted).map(|before| CopyOutcome::Before(before.unwrap_or(id)));
            }
        };
        self.hint_session(user, id, SessionNews::Created);
        Ok(CopyOutcome::Made(made))
    }

    /// The inner error is a key that was used before.
    async fn write_pieces<T, E, F>(
        &self,
        key: &DataKey,
        copy: Copy,
        besides: F,
    ) -> Result<Result<T, KeyUse>, E>
    where
        T: Send + 'static,
        E: From<store::Error> + Send + 'static,
        F: FnOnce(&mut Tx) -> Result<T, E> + Send + 'static,
    {
        let Copy { session, entries, summary, uploads, files, keyed, departure } = copy;
        let (id, user, now) = (session.id, session.user_id, session.created_at);
        let sealing = key.clone();
        let begin = move |tx: &mut Tx| {
            let numbers = sessions::begin_copy(tx, &sealing, &session, now)?;
            if let Some((viewed, departure)) = departure {
                sessions::set_departure(tx, user, id, viewed, departure)?;
            }
            Ok(numbers)
        };
        let mut numbers = self.store().write(begin).await?;
        for piece in pieces(entries) {
            let (sealing, taken) = (key.clone(), numbers.take(piece.len() as u64));
            let append = move |tx: &mut Tx| log::append(tx, &sealing, taken, now, piece).map(drop);
            self.store().write(append).await?;
            fail::fail_point!("fork_between_pieces");
        }
        for piece in files.into_iter().flat_map(|files| files.pieces(PIECE_BYTES)) {
            let sealing = key.clone();
            let insert = move |tx: &mut Tx| session_files::insert_copies(tx, &sealing, piece);
            self.store().write(insert).await?;
        }
        fail::fail_point!("fork_before_commit");
        let (engine, key) = (self.clone(), key.clone());
        let finish = move |tx: &mut Tx| {
            if let Some(repeat) = repeated(tx, &engine, keyed)? {
                return Ok(Err(repeat));
            }
            if let Some(summary) = summary {
                compactions::add(tx, &key, id, &summary)?;
            }
            for (upload, label) in &uploads {
                store::uploads::use_in(tx, user, id, &[*upload], *label, uploads::fresh_since(now))?;
            }
            sessions::finish_copy(tx, id)?;
            besides(tx).map(Ok)
        };
        self.store().attempt(finish).await
    }

    /// What is left of it is dropped later, where this does not succeed.
    async fn drop_fork(&self, user: UserId, id: SessionId) {
        let delete = move |tx: &mut Tx| sessions::drop_copy(tx, user, id);
        if let Err(error) = self.store().write(delete).await {
            tracing::warn!(%error, "an unfinished fork could not be dropped; it is tried again");
        }
    }

    /// What crashes have left of forks.
    pub async fn drop_unfinished_forks(&self) -> Result<()> {
        let before = self.now().plus_millis(-UNFINISHED_MS);
        loop {
            let drop = move |tx: &mut Tx| sessions::drop_copies(tx, before);
            if !self.store().write(drop).await? {
                return Ok(());
            }
        }
    }
}

fn repeated(tx: &mut Tx, engine: &Engine, keyed: Option<Keyed>) -> store::Result<Option<KeyUse>> {
    let Some(keyed) = keyed else { return Ok(None) };
    let noted = idempotency::note(tx, engine.store().vault(), &keyed)?;
    Ok((noted != KeyUse::First).then_some(noted))
}

/// In their order, each with as much as one transaction writes.
fn pieces(entries: Vec<Entry>) -> Vec<Vec<Entry>> {
    let mut pieces: Vec<Vec<Entry>> = Vec::new();
    let mut held = usize::MAX;
    for entry in entries {
        let bytes = match &entry {
            Entry::Message(message) => serde_json::to_string(message).map_or(0, |text| text.len()),
            Entry::Event { body, .. } => serde_json::to_string(body).map_or(0, |text| text.len()),
        };
        held = held.saturating_add(bytes);
        match pieces.last_mut() {
            Some(last) if held <= PIECE_BYTES && last.len() < PIECE_ENTRIES => last.push(entry),
            _ => {
                held = bytes;
                pieces.push(vec![entry]);
            }
        }
    }
    pieces
}
