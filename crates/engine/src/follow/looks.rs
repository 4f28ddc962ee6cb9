//! What a look at the database finds that no note told: sessions that have come, grown or gone at another node.
//!
//! Most looks are at the sessions of a person that changed last. The first one after a reader began is at all of them, and so is each after
//! a gap and every few besides: only a whole list says what is gone.

use super::hints::{Hints, Ring, What, lock};
use domain::{SessionId, UserId};
use std::collections::HashSet;

/// A session as the database has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredSession {
    pub(crate) session: SessionId,
    pub(crate) last_seq: u64,
    /// It is in the list that a reader begins with: neither archived nor another version.
    pub(crate) listed: bool,
}

/// A look at what one person has, from before the database is read.
#[derive(Debug)]
pub(crate) struct ListLook {
    pub(crate) user: UserId,
    /// At all sessions that they have.
    pub(crate) whole: bool,
    /// What readers had heard of by then: what the database does not have of it is gone.
    known: HashSet<SessionId>,
}

impl Hints {
    /// Of everybody whose everything is followed. `whole`: something may have been missed.
    pub(crate) fn begin_looks(&self, whole: bool) -> Vec<ListLook> {
        let looks = self.people().into_iter().filter_map(|user| {
            let ring = self.existing(user)?;
            let mut state = lock(&ring.state);
            state.gone_since.clear();
            state.more_gone = false;
            let whole = whole || !state.looked;
            let known = if whole { state.heard.keys().copied().collect() } else { HashSet::new() };
            Some(ListLook { user, whole, known })
        });
        looks.collect()
    }

    /// Takes in what a look has found. Gives the sessions whose logs are to be read, and from where to where.
    pub(crate) fn end_look(&self, look: ListLook, found: &[StoredSession]) -> Vec<(SessionId, u64, u64)> {
        let Some(ring) = self.existing(look.user) else { return Vec::new() };
        let mut behind = Vec::new();
        for one in found {
            let (is_new, heard) = ring.compare(*one);
            if is_new {
                self.session(look.user, one.session, What::Created);
            }
            if heard < one.last_seq {
                behind.push((one.session, heard, one.last_seq));
            }
        }
        if look.whole {
            let there: HashSet<SessionId> = found.iter().map(|one| one.session).collect();
            for gone in look.known.into_iter().filter(|known| !there.contains(known)) {
                if lock(&ring.state).heard.contains_key(&gone) {
                    self.session(look.user, gone, What::Deleted);
                }
            }
            lock(&ring.state).looked = true;
        }
        behind
    }
}

impl Ring {
    /// Did readers not know of it? And how far they have heard of it. What was there before they began counts as heard.
    fn compare(&self, StoredSession { session, last_seq, listed }: StoredSession) -> (bool, u64) {
        let mut state = lock(&self.state);
        if let Some(heard) = state.heard.get(&session) {
            return (false, *heard);
        }
        // It went while the database was being read. One of which that is not certain is found with the next look.
        if state.may_have_gone(session) {
            return (false, last_seq);
        }
        let is_new = state.looked || (state.began && listed);
        // A reader of everything begins at the beginning of a session that is new to it; what is hinted at is what fits.
        let heard = if is_new { last_seq.saturating_sub(MOST_HINTED) } else { last_seq };
        state.heard.insert(session, heard);
        (is_new, heard)
    }
}

/// Of a session that has come at another node, so many events are hinted at, which leave room in the ring.
const MOST_HINTED: u64 = super::hints::RING as u64 / 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::follow::{hint_reader::HintReader, hints::Glance};
    use domain::SessionStatus;
    use futures_util::FutureExt as _;
    use uuid::Uuid;

    fn user() -> UserId {
        UserId::from_uuid(Uuid::from_u128(1))
    }

    fn session(number: u128) -> SessionId {
        SessionId::from_uuid(Uuid::from_u128(number))
    }

    fn stored(number: u128, last_seq: u64) -> StoredSession {
        StoredSession { session: session(number), last_seq, listed: true }
    }

    fn look(hints: &Hints, whole: bool, found: &[StoredSession]) -> Vec<(SessionId, u64, u64)> {
        let mut looks = hints.begin_looks(whole);
        let look = looks.pop().expect("a person is followed");
        hints.end_look(look, found)
    }

    fn told(reader: &mut HintReader) -> Vec<(SessionId, What)> {
        let next = || reader.next().now_or_never().map(|hint| hint.unwrap());
        std::iter::from_fn(next).map(|hint| (hint.glance.session_id, hint.what)).collect()
    }

    fn begun(hints: &Hints) -> HintReader {
        let mut reader = hints.listen(user());
        let glance = Glance { session_id: session(1), last_seq: 4, status: SessionStatus::Idle };
        reader.begin_after(&[glance]);
        reader
    }

    #[test]
    fn what_was_there_counts_as_heard_and_what_comes_is_new() {
        let hints = Hints::default();
        let mut reader = begun(&hints);
        let archived = StoredSession { listed: false, ..stored(2, 9) };
        assert_eq!(look(&hints, false, &[stored(1, 4), archived]), []);
        assert_eq!(told(&mut reader), []);
        assert_eq!(
            look(&hints, false, &[stored(1, 6), stored(3, 5)]),
            [(session(1), 4, 6), (session(3), 0, 5)]
        );
        assert_eq!(told(&mut reader), [(session(3), What::Created)]);
    }

    /// Between the moment in which a reader begins and the first look, too.
    #[test]
    fn what_came_before_the_first_look_is_new() {
        let hints = Hints::default();
        let mut reader = begun(&hints);
        assert_eq!(look(&hints, false, &[stored(1, 4), stored(3, 0)]), []);
        assert_eq!(told(&mut reader), [(session(3), What::Created)]);
    }

    #[test]
    fn only_a_whole_look_finds_what_is_gone() {
        let hints = Hints::default();
        let mut reader = begun(&hints);
        look(&hints, false, &[stored(1, 4), stored(2, 1)]);
        told(&mut reader);
        look(&hints, false, &[stored(2, 1)]);
        assert_eq!(told(&mut reader), []);
        look(&hints, true, &[stored(2, 1)]);
        assert_eq!(told(&mut reader), [(session(1), What::Deleted)]);
        look(&hints, true, &[stored(2, 1)]);
        assert_eq!(told(&mut reader), []);
    }

    #[test]
    fn what_happens_during_a_look_is_not_told_again() {
        let hints = Hints::default();
        let mut reader = begun(&hints);
        look(&hints, false, &[stored(1, 4)]);
        let under_way = hints.begin_looks(true).pop().unwrap();
        hints.session(user(), session(1), What::Deleted);
        hints.session(user(), session(2), What::Created);
        let happened = told(&mut reader);
        assert_eq!(happened, [(session(1), What::Deleted), (session(2), What::Created)]);
        // It was read before both.
        assert_eq!(hints.end_look(under_way, &[stored(1, 4)]), []);
        assert_eq!(told(&mut reader), []);
        // One that was taken back has been heard of as far as before.
        hints.session(user(), session(1), What::Created);
        assert_eq!(look(&hints, true, &[stored(1, 4), stored(2, 0)]), []);
    }

    /// A server that is alone looks at nothing, so nothing forgets for it what has gone.
    #[test]
    fn what_has_gone_is_kept_only_so_far() {
        let hints = Hints::default();
        let mut reader = begun(&hints);
        look(&hints, false, &[stored(1, 4)]);
        let under_way = hints.begin_looks(false).pop().unwrap();
        let many = 2 * super::super::hints::RING as u128;
        for number in 100..100 + many {
            hints.session(user(), session(number), What::Created);
            hints.session(user(), session(number), What::Deleted);
        }
        let ring = hints.existing(user()).unwrap();
        assert_eq!(lock(&ring.state).gone_since.len(), super::super::hints::RING);
        reader.next().now_or_never().unwrap().expect_err("it was too slow for the ring");
        // It was read before the last of them went, which is not among those that are kept; nothing says that it came.
        let gone = stored(99 + many, 1);
        assert_eq!(hints.end_look(under_way, &[gone]), []);
        assert!(!lock(&ring.state).heard.contains_key(&gone.session));
        // The next look is as sure as ever.
        assert_eq!(look(&hints, false, &[stored(3, 2)]), [(session(3), 0, 2)]);
        assert!(lock(&ring.state).gone_since.is_empty());
    }

    /// A request that waits for turns that park has no list; nothing of what there is is new to it.
    #[test]
    fn without_a_list_nothing_is_new_at_first() {
        let hints = Hints::default();
        let _reader = hints.listen_for_parking(user());
        assert_eq!(look(&hints, false, &[stored(1, 4)]), []);
        assert_eq!(look(&hints, false, &[stored(1, 5)]), [(session(1), 4, 5)]);
    }
}
