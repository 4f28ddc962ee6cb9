//! What running calls say, as readers are told it: live, and gone with their result, which has the whole.
//!
//! It is no part of a cursor: a reader remembers what it has, and one that comes again is told everything once more. Each
//! piece says where it begins.

use domain::{CallId, Event, EventBody, TurnId};
use serde::{Deserialize, Serialize};

/// Of one call; what comes later is in the result, with head and tail kept.
const MOST_BYTES: usize = 128 << 10;

#[derive(Default)]
pub(crate) struct CallOutputs(Vec<CallOutput>);

struct CallOutput {
    call: CallId,
    turn: TurnId,
    text: String,
    /// Something did not fit any more: what comes after a gap would look as if it belonged to what is before it.
    full: bool,
    /// Another node runs it.
    mirrored: bool,
}

/// Something new that a call said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OutputPiece {
    pub(crate) call: CallId,
    pub(crate) turn: TurnId,
    pub(crate) offset: u64,
    pub(crate) text: String,
}

/// How much of each call a reader has.
#[derive(Default)]
pub(crate) struct Had(Vec<(CallId, usize)>);

impl CallOutputs {
    /// Whether there is room for more.
    pub(crate) fn push(&mut self, call: CallId, turn: TurnId, text: &str) -> bool {
        let place = self.0.iter().position(|output| output.call == call).unwrap_or_else(|| {
            self.0.push(CallOutput { call, turn, text: String::new(), full: false, mirrored: false });
            self.0.len() - 1
        });
        let Some(output) = self.0.get_mut(place) else { return false };
        output.full |= output.text.len() + text.len() > MOST_BYTES;
        if !output.full {
            output.text.push_str(text);
        }
        !output.full
    }

    /// Takes in what another node sends of a call, where it continues what is here.
    pub(crate) fn push_at(&mut self, piece: &OutputPiece) {
        let OutputPiece { call, turn, offset, text } = piece;
        let known = self.of(*call).map_or(0, str::len);
        let skipped = usize::try_from(*offset).ok().and_then(|offset| known.checked_sub(offset));
        if let Some(text) = skipped.and_then(|skipped| text.get(skipped..)) {
            self.push(*call, *turn, text);
            self.0.iter_mut().filter(|output| output.call == *call).for_each(|output| output.mirrored = true);
        }
    }

    /// As [`Self::after`], of the calls that run here.
    pub(crate) fn own_after(&self, had: &Had) -> Vec<OutputPiece> {
        let mut pieces = self.after(had);
        pieces.retain(|piece| self.0.iter().any(|output| output.call == piece.call && !output.mirrored));
        pieces
    }

    /// Whatever has its result is silent, and so is everybody in a turn that begins again or is over.
    pub(crate) fn note(&mut self, event: &Event) {
        match &event.body {
            EventBody::ToolResult { call_id, .. } => self.0.retain(|output| output.call != *call_id),
            EventBody::TurnStarted { .. } | EventBody::TurnEnded { .. } => {
                self.0.retain(|output| Some(output.turn) != event.turn_id);
            }
            _ => {}
        }
    }

    pub(crate) fn of(&self, call: CallId) -> Option<&str> {
        self.0.iter().find(|output| output.call == call).map(|output| output.text.as_str())
    }

    /// What a reader has not had yet.
    pub(crate) fn after(&self, had: &Had) -> Vec<OutputPiece> {
        let new = self.0.iter().filter_map(|output| {
            let from = had.of(output.call);
            let text = output.text.get(from..).filter(|text| !text.is_empty())?;
            let (call, turn) = (output.call, output.turn);
            Some(OutputPiece {
                call,
                turn,
                offset: u64::try_from(from).unwrap_or(u64::MAX),
                text: text.to_owned(),
            })
        });
        new.collect()
    }
}

impl Had {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn of(&self, call: CallId) -> usize {
        self.0.iter().find(|(known, _)| *known == call).map_or(0, |(_, had)| *had)
    }

    pub(crate) fn add(&mut self, heard: &OutputPiece) {
        let had = self.of(heard.call) + heard.text.len();
        self.0.retain(|(known, _)| *known != heard.call);
        self.0.push((heard.call, had));
    }

    pub(crate) fn forget(&mut self, call: CallId) {
        self.0.retain(|(known, _)| *known != call);
    }
}

#[cfg(test)]
#[path = "tool_output_tests.rs"]
mod tests;
