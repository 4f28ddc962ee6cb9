//! Which other nodes want the live pieces of a session whose turn runs here, and what they have of it.

use crate::follow::{
    feed::FeedState,
    open_message::{Live, OpenMessage},
    tool_output::{Had, OutputPiece},
};
use domain::{MessageId, SessionId, TurnId};
use serde::{Deserialize, Serialize};
use std::{collections::HashMap, time::Duration};
use tokio::time::Instant;
use uuid::Uuid;

/// A node that does not say that it still wants them is given no more after this.
const FORGOTTEN: Duration = Duration::from_secs(30);
/// Of one message in one piece; the rest follows with the next.
const MOST_AT_ONCE: u64 = 256 << 10;

/// Live pieces of one session on their way to another node.
#[derive(Serialize, Deserialize)]
pub(crate) struct RelayedPieces {
    pub(crate) session: SessionId,
    pub(crate) message: Option<RelayedMessage>,
    pub(crate) outputs: Vec<OutputPiece>,
}

/// A part of the open message.
#[derive(Serialize, Deserialize)]
pub(crate) struct RelayedMessage {
    pub(crate) id: MessageId,
    pub(crate) turn: Option<TurnId>,
    /// As in [`OpenMessage`].
    pub(crate) since: u64,
    /// Where it begins.
    pub(crate) offset: u64,
    pub(crate) live: Vec<Live>,
}

/// The nodes that want them.
#[derive(Default)]
pub(crate) struct LiveWants(Vec<LiveWant>);

struct LiveWant {
    node: Uuid,
    until: Instant,
    /// The message that was sent last, and how much of it.
    since: u64,
    sent: u64,
    had: Had,
}

impl LiveWants {
    /// A node wants them; of the message since `since` it has `offset`.
    pub(crate) fn want(&mut self, node: Uuid, (since, offset): (u64, u64), now: Instant) {
        self.leave(node);
        let until = now + FORGOTTEN;
        self.0.push(LiveWant { node, until, since, sent: offset, had: Had::default() });
    }

    /// A node still wants them. `true`: it was not known to.
    pub(crate) fn keep(&mut self, node: Uuid, now: Instant) -> bool {
        match self.0.iter_mut().find(|want| want.node == node) {
            Some(want) => {
                want.until = now + FORGOTTEN;
                false
            }
            None => {
                self.want(node, (0, 0), now);
                true
            }
        }
    }

    pub(crate) fn leave(&mut self, node: Uuid) {
        self.0.retain(|want| want.node != node);
    }

    /// What was sent may not have arrived.
    pub(crate) fn begin_again(&mut self) {
        for want in &mut self.0 {
            (want.since, want.sent) = (0, 0);
            want.had = Had::default();
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn forget(&mut self, now: Instant) {
        self.0.retain(|want| want.until > now);
    }
}

/// The sessions whose live pieces other nodes want, and since when.
#[derive(Default)]
pub(crate) struct WantedSessions(HashMap<SessionId, Vec<(Uuid, Instant)>>);

impl WantedSessions {
    pub(crate) fn add(&mut self, session: SessionId, node: Uuid, now: Instant) {
        if self.0.len() >= 64 && self.0.len().is_power_of_two() {
            self.0.retain(|_, nodes| {
                nodes.retain(|(_, since)| *since + FORGOTTEN > now);
                !nodes.is_empty()
            });
        }
        let nodes = self.0.entry(session).or_default();
        nodes.retain(|(known, _)| *known != node);
        nodes.push((node, now));
    }

    pub(crate) fn leave(&mut self, session: SessionId, node: Uuid) {
        if let Some(nodes) = self.0.get_mut(&session) {
            nodes.retain(|(known, _)| *known != node);
        }
    }

    pub(crate) fn of(&self, session: SessionId) -> Vec<(Uuid, Instant)> {
        self.0.get(&session).cloned().unwrap_or_default()
    }
}

impl FeedState {
    /// What the other nodes have not had yet, as JSON, and whether there is still more.
    pub(crate) fn for_others(&mut self, session: SessionId, now: Instant) -> (Vec<(Uuid, String)>, bool) {
        self.wants.forget(now);
        let mut wants = std::mem::take(&mut self.wants);
        let (mut pieces, mut more) = (Vec::new(), false);
        for want in &mut wants.0 {
            let message = self.open().filter(|open| !open.mirrored).and_then(|open| want.rest_of(open));
            let outputs = self.outputs().own_after(&want.had);
            outputs.iter().for_each(|piece| want.had.add(piece));
            more |= message.is_some() && self.open().is_some_and(|open| want.sent < open.length());
            if message.is_some() || !outputs.is_empty() {
                let piece = serde_json::to_string(&RelayedPieces { session, message, outputs });
                pieces.extend(piece.ok().map(|piece| (want.node, piece)));
            }
        }
        self.wants = wants;
        (pieces, more)
    }
}

impl LiveWant {
    fn rest_of(&mut self, open: &OpenMessage) -> Option<RelayedMessage> {
        if self.since != open.since {
            (self.since, self.sent) = (open.since, 0);
        }
        let (live, until) = open.from(self.sent, MOST_AT_ONCE).or_else(|| {
            self.sent = 0;
            open.from(0, MOST_AT_ONCE)
        })?;
        let offset = std::mem::replace(&mut self.sent, until);
        let (id, turn, since) = (open.message_id, open.turn_id, open.since);
        (until > offset).then_some(RelayedMessage { id, turn, since, offset, live })
    }
}
