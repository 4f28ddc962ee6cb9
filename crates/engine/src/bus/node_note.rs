//! What one node tells another: ids and numbers, which a forger could use for nothing but making a node look, and sealed words.

use domain::{SessionId, TurnId, UserId};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use uuid::Uuid;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NodeNote {
    /// The sender is there. `asks`: it wants to hear who else is.
    Hello { asks: bool },
    /// The sender had something to tell and could not: who hears it looks at everything it shows.
    Missed,
    /// The log of a session has grown by these events.
    Grown { user: UserId, session: SessionId, first: u64, last: u64 },
    /// A session has come or gone.
    Session { user: UserId, session: SessionId, what: SessionNews },
    /// The folders or prompts of a person are not as they were.
    Lists { user: UserId },
    /// Something is stored that the worker of a turn has to look at.
    Turn { turn: TurnId, what: TurnNews },
    /// A proof counts no more, or a person's role is another: what goes on with it is looked at.
    Ended,
    /// There is an owner.
    Settled,
    /// A person has too few slots at the sender: who took some ahead gives them back.
    Short,
    /// The sender changes the master key, or has.
    MasterKey,
    /// A person is gone, with everything they had.
    Removed { user: UserId },
    /// The sender has left turns to the others.
    Free,
    /// The sender has readers of a session and wants its live pieces; of the message that began at `since` it has `offset`.
    Want { session: SessionId, since: u64, offset: u64 },
    /// It still wants those of these sessions.
    Still(Vec<SessionId>),
    /// It wants those of these sessions no longer.
    Unwant(Vec<SessionId>),
    /// Live pieces, sealed: the `part`th part of the sender's `count`th note of this kind.
    Live { count: u64, part: u32, more: bool, sealed: String },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SessionNews {
    Created,
    Deleted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TurnNews {
    Stop,
    Answer,
}

/// Notes on their way, as one text.
#[derive(Serialize)]
struct Sent<'a> {
    v: u32,
    from: Uuid,
    notes: &'a [&'a RawValue],
}

#[derive(Deserialize)]
struct Received {
    from: Uuid,
    notes: Vec<Box<RawValue>>,
}

const VERSION: u32 = 1;
/// Of a text, besides its notes.
pub(super) const HEAD_BYTES: usize = 80;

pub(super) fn write(from: Uuid, notes: &[&RawValue]) -> Option<String> {
    serde_json::to_string(&Sent { v: VERSION, from, notes }).ok()
}

/// Who sent it, and what. Notes of a kind that a newer node has are passed over.
pub(super) fn read(text: &str) -> Option<(Uuid, Vec<NodeNote>)> {
    let Received { from, notes } = serde_json::from_str(text).ok()?;
    Some((from, notes.iter().filter_map(|note| serde_json::from_str(note.get()).ok()).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_come_back_and_unknown_ones_are_passed_over() {
        let hello = NodeNote::Hello { asks: true };
        let known = serde_json::value::to_raw_value(&hello).unwrap();
        let newer = RawValue::from_string(r#"{"weather":{"rain":true}}"#.to_owned()).unwrap();
        let from = Uuid::from_u128(7);
        let text = write(from, &[&newer, &known]).unwrap();
        assert_eq!(read(&text), Some((from, vec![hello])));
        assert_eq!(read("no note"), None);
    }
}
