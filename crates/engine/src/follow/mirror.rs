//! The open message of a turn that runs at another node, as that node sends it piece by piece.
//!
//! Offsets are the other node's: a piece is taken only where it continues what is here, so that a cursor means the same bytes at
//! every node.

use crate::follow::{
    feed::{Feed, FeedState},
    live_wants::RelayedMessage,
    open_message::{Live, OpenMessage, Stream},
    tool_output::OutputPiece,
};

/// What became of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mirrored {
    /// It is shown, or it was before.
    Taken,
    /// Something before it is missing: of the message since `since` there is `offset`.
    Gap { since: u64, offset: u64 },
    /// Its message began before this feed was looked at, and may be over: the log says so.
    Unsure { since: u64 },
    /// Its message is over, or written here.
    Late,
}

impl Feed {
    /// Takes in a piece of the open message.
    pub(crate) fn mirror(&self, piece: RelayedMessage) -> Mirrored {
        self.change(|state| state.mirror(piece))
    }

    /// The log says that the message since `since` is open: its pieces are taken from now on.
    pub(crate) fn mirror_from(&self, open: OpenMessage) {
        self.change(|state| state.mirror_from(open));
    }

    /// The log says that no message since before `seq` is open.
    pub(crate) fn note_closed(&self, seq: u64) {
        self.change(|state| state.message_seq = state.message_seq.max(seq));
    }

    /// Takes in what a call at another node has said.
    pub(crate) fn mirror_output(&self, piece: &OutputPiece) {
        self.change(|state| state.outputs.push_at(piece));
    }
}

impl FeedState {
    fn mirror(&mut self, piece: RelayedMessage) -> Mirrored {
        let RelayedMessage { id, turn, since, offset, live } = piece;
        if since < self.message_seq {
            return Mirrored::Late;
        }
        if since > self.message_seq {
            if since <= self.heard {
                return Mirrored::Unsure { since };
            }
            // Its beginning is on the way.
            self.mirror_from(OpenMessage::mirror(id, turn, since));
        }
        let Some(open) = self.open_mut().filter(|open| open.mirrored && open.since == since) else {
            return Mirrored::Late;
        };
        let length = open.length();
        if offset > length {
            return Mirrored::Gap { since, offset: length };
        }
        for live in behind(live, length - offset) {
            open.push(live);
        }
        Mirrored::Taken
    }

    fn mirror_from(&mut self, open: OpenMessage) {
        if open.since > self.message_seq {
            self.message_seq = open.since;
            self.open = Some(open);
        }
    }
}

/// The pieces without their first `known` bytes, as cursors count.
fn behind(live: Vec<Live>, mut known: u64) -> impl Iterator<Item = Live> {
    live.into_iter().filter_map(move |live| {
        let length = live.length();
        let skipped = known.min(length);
        known -= skipped;
        match live {
            _ if skipped == length => None,
            Live::Words(stream, text) if skipped > 0 => rest(stream, &text, skipped),
            live => Some(live),
        }
    })
}

fn rest(stream: Stream, text: &str, skipped: u64) -> Option<Live> {
    let text = text.get(usize::try_from(skipped).ok()?..)?;
    Some(Live::Words(stream, text.to_owned()))
}

#[cfg(test)]
#[path = "mirror_tests.rs"]
mod tests;
