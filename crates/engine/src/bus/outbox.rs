//! What waits to be told to other nodes. Bounded: where there is too much, the others are told to look for themselves.

use crate::bus::node_note::{self, HEAD_BYTES, NodeNote};
use domain::SessionId;
use serde_json::value::{RawValue, to_raw_value};
use std::{
    collections::{HashSet, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};
use store::NOTE_BYTES;
use tokio::sync::Notify;
use uuid::Uuid;

/// Notes that may wait, and bytes of live pieces.
const MOST_NOTES: usize = 4_096;
const MOST_LIVE_BYTES: usize = 4 << 20;
/// How many notes are looked at for one that a new one continues.
const RECENT: usize = 64;

#[derive(Default)]
pub(crate) struct Outbox {
    waiting: Mutex<WaitingNotes>,
    stirred: Notify,
}

/// What is sent next.
#[derive(Default)]
pub(super) struct WaitingNotes {
    /// To all nodes.
    pub(super) notes: VecDeque<NodeNote>,
    /// Live pieces as JSON, each for one node.
    pub(super) live: Vec<(Uuid, String)>,
    live_bytes: usize,
    /// Whose live pieces have become more.
    pub(super) sessions: HashSet<SessionId>,
}

impl Outbox {
    fn waiting(&self) -> MutexGuard<'_, WaitingNotes> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, note: NodeNote) {
        self.waiting().add(note);
        self.stirred.notify_one();
    }

    /// Live pieces of a session whose feed will not have them any more.
    pub(crate) fn add_live(&self, pieces: Vec<(Uuid, String)>) {
        let mut waiting = self.waiting();
        let bytes: usize = pieces.iter().map(|(_, piece)| piece.len()).sum();
        if waiting.live_bytes + bytes <= MOST_LIVE_BYTES {
            waiting.live_bytes += bytes;
            waiting.live.extend(pieces);
        }
        drop(waiting);
        self.stirred.notify_one();
    }

    /// There are new live pieces of a session, which another node wants.
    pub(crate) fn stir(&self, session: SessionId) {
        self.waiting().sessions.insert(session);
        self.stirred.notify_one();
    }

    /// Returns when something waits.
    pub(super) async fn stirred(&self) {
        self.stirred.notified().await;
    }

    pub(super) fn take(&self) -> WaitingNotes {
        std::mem::take(&mut *self.waiting())
    }

    /// It could not be sent: what came in the meantime comes after it.
    pub(super) fn put_back(&self, notes: VecDeque<NodeNote>) {
        let mut waiting = self.waiting();
        let later = std::mem::take(&mut waiting.notes);
        let kept = notes.into_iter().filter(|note| !matches!(note, NodeNote::Hello { .. }));
        kept.chain(later).for_each(|note| waiting.add(note));
        drop(waiting);
        self.stirred.notify_one();
    }
}

impl WaitingNotes {
    fn add(&mut self, note: NodeNote) {
        if self.notes.iter_mut().rev().take(RECENT).any(|known| continues(known, &note)) {
            return;
        }
        if self.notes.len() >= MOST_NOTES {
            self.notes.clear();
            self.notes.push_back(NodeNote::Missed);
        }
        self.notes.push_back(note);
    }
}

/// Does a note that waits say the same, or does it now?
fn continues(known: &mut NodeNote, note: &NodeNote) -> bool {
    match (known, note) {
        (
            NodeNote::Grown { session, first, last, .. },
            NodeNote::Grown { session: other, first: from, last: to, .. },
        ) if session == other => {
            (*first, *last) = ((*first).min(*from), (*last).max(*to));
            true
        }
        (known, note) => known == note,
    }
}

/// The notes in as few texts as they fit into.
pub(super) fn pack(from: Uuid, notes: &VecDeque<NodeNote>) -> Vec<String> {
    let raw: Vec<Box<RawValue>> = notes.iter().filter_map(|note| to_raw_value(note).ok()).collect();
    let (mut texts, mut together, mut bytes) = (Vec::new(), Vec::new(), HEAD_BYTES);
    for note in &raw {
        let more = note.get().len() + 1;
        if bytes + more > NOTE_BYTES && !together.is_empty() {
            texts.extend(node_note::write(from, &together));
            together.clear();
            bytes = HEAD_BYTES;
        }
        together.push(&**note);
        bytes += more;
    }
    if !together.is_empty() {
        texts.extend(node_note::write(from, &together));
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::UserId;

    fn grown(session: u128, first: u64, last: u64) -> NodeNote {
        let (user, session) =
            (UserId::from_uuid(Uuid::from_u128(1)), SessionId::from_uuid(Uuid::from_u128(session)));
        NodeNote::Grown { user, session, first, last }
    }

    #[test]
    fn what_a_session_has_grown_by_is_one_note() {
        let outbox = Outbox::default();
        outbox.add(grown(1, 4, 5));
        outbox.add(grown(2, 9, 9));
        outbox.add(grown(1, 6, 6));
        assert_eq!(outbox.take().notes, [grown(1, 4, 6), grown(2, 9, 9)]);
    }

    #[test]
    fn who_is_told_too_much_is_told_to_look() {
        let outbox = Outbox::default();
        (0..=MOST_NOTES as u128).for_each(|session| outbox.add(grown(session, 1, 1)));
        assert_eq!(outbox.take().notes, [NodeNote::Missed, grown(MOST_NOTES as u128, 1, 1)]);
    }

    #[test]
    fn what_could_not_be_sent_comes_first_and_hellos_are_not_kept() {
        let outbox = Outbox::default();
        outbox.add(grown(2, 1, 1));
        outbox.put_back([NodeNote::Hello { asks: false }, grown(1, 1, 1)].into());
        assert_eq!(outbox.take().notes, [grown(1, 1, 1), grown(2, 1, 1)]);
    }

    #[test]
    fn no_text_is_longer_than_a_note_may_be_and_none_is_lost() {
        let notes: VecDeque<NodeNote> =
            (0..500).map(|session| grown(session, u64::MAX - 1, u64::MAX)).collect();
        let from = Uuid::from_u128(3);
        let texts = pack(from, &notes);
        assert!(texts.iter().all(|text| text.len() <= NOTE_BYTES));
        let read: Vec<NodeNote> = texts.iter().flat_map(|text| node_note::read(text).unwrap().1).collect();
        assert_eq!(VecDeque::from(read), notes);
        assert!(texts.len() < 20, "{}", texts.len());
    }
}
