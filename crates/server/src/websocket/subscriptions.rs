//! The sessions that a connection follows.
//!
//! Each is a reader that waits for something new. Those that have something are asked one after the other, in the order
//! in which it came, and only while the connection takes what they have.

use crate::problem::Problem;
use axum::http::StatusCode;
use domain::SessionId;
use engine::Reader;
use futures_util::{StreamExt, stream::FuturesUnordered};
use std::{collections::HashMap, future::pending, pin::Pin};
use tokio_util::sync::CancellationToken;

const MAXIMUM: usize = 100;

/// A session that has something to tell.
pub(super) struct Stirred {
    pub(super) session_id: SessionId,
    pub(super) reader: Reader,
    pub(super) outcome: engine::Result<()>,
    token: CancellationToken,
}

/// The reader is owned by its wait: a wait that is not over when something else happens just goes on.
type Waiting = Pin<Box<dyn Future<Output = Option<Stirred>> + Send>>;

#[derive(Default)]
pub(super) struct Subscriptions {
    waiting: FuturesUnordered<Waiting>,
    active: HashMap<SessionId, CancellationToken>,
}

impl Subscriptions {
    /// May this session be followed too?
    pub(super) fn check_room(&self, session_id: SessionId) -> Result<(), Problem> {
        if self.active.len() < MAXIMUM || self.contains(session_id) {
            return Ok(());
        }
        let detail =
            format!("One connection can follow at most {MAXIMUM} conversations. Unsubscribe from one first.");
        Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_many_subscriptions", detail))
    }

    /// In place of the reader of the same session that was there before.
    pub(super) fn add(&mut self, session_id: SessionId, reader: Reader) {
        let token = CancellationToken::new();
        if let Some(before) = self.active.insert(session_id, token.clone()) {
            before.cancel();
        }
        self.waiting.push(wait(session_id, reader, token));
    }

    /// False when it was not followed.
    pub(super) fn remove(&mut self, session_id: SessionId) -> bool {
        let removed = self.active.remove(&session_id);
        removed.map(|token| token.cancel()).is_some()
    }

    pub(super) fn contains(&self, session_id: SessionId) -> bool {
        self.active.contains_key(&session_id)
    }

    /// The next session that has something to tell. It is followed on only when it is given back.
    pub(super) async fn stirred(&mut self) -> Stirred {
        loop {
            match self.waiting.next().await {
                Some(Some(stirred)) if !stirred.token.is_cancelled() => return stirred,
                Some(_) => {}
                None => pending().await,
            }
        }
    }

    pub(super) fn give_back(&mut self, stirred: Stirred) {
        let Stirred { session_id, reader, token, .. } = stirred;
        self.waiting.push(wait(session_id, reader, token));
    }
}

fn wait(session_id: SessionId, mut reader: Reader, token: CancellationToken) -> Waiting {
    Box::pin(async move {
        let outcome = token.run_until_cancelled(reader.stirred()).await?;
        Some(Stirred { session_id, reader, outcome, token })
    })
}
