//! As much of the conversation as fits, in whole turns.

use crate::{
    attached::{self, PICTURE_TOKENS},
    section_order::HISTORY,
    sender_header,
};
use domain::{Label, Message, Part, PromptNode, Role, TurnId};
use provider::Model;

/// What stands before the summary of what was said earlier.
pub(crate) const SUMMARY_HEADING: &str = "[Summary of earlier conversation]";

/// What is told in the place of the older messages of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    pub text: String,
    /// The last message that it stands for.
    pub up_to_seq: u64,
    /// The worst among what it stands for.
    pub label: Label,
}

/// The newest messages of a session, oldest first.
#[derive(Default)]
pub struct History {
    /// Of everything before them.
    pub summary: Option<Summary>,
    pub messages: Vec<Message>,
    /// False when there are older ones that no summary stands for.
    pub complete: bool,
}

impl History {
    /// Were older messages left out, and perhaps the beginning of the current turn with them?
    pub fn begins_within(&self, current: TurnId) -> bool {
        !self.complete && self.messages.first().is_some_and(|first| first.turn_id == current)
    }

    /// The newest whole turns that fit into `room` tokens, and whether anything was left out. The current turn is
    /// always kept.
    pub(crate) fn within(
        self,
        room: u64,
        current: TurnId,
        weigh: impl Fn(&Message) -> u64,
    ) -> (Vec<Message>, bool) {
        let mut turns: Vec<Vec<Message>> = Vec::new();
        for message in self.messages {
            match turns.last_mut() {
                Some(turn) if turn.last().is_some_and(|last| last.turn_id == message.turn_id) => {
                    turn.push(message)
                }
                _ => turns.push(vec![message]),
            }
        }
        // The oldest turn may have lost its beginning where the rows were cut.
        let whole = turns
            .first()
            .and_then(|turn| turn.first())
            .is_none_or(|first| self.complete || first.turn_id == current || first.role == Role::User);
        if !whole {
            turns.remove(0);
        }
        let mut left = room;
        let mut first = turns.len();
        for (index, turn) in turns.iter().enumerate().rev() {
            let cost: u64 = turn.iter().map(&weigh).sum();
            let is_current = turn.first().is_some_and(|message| message.turn_id == current);
            if cost > left && !is_current {
                break;
            }
            left = left.saturating_sub(cost);
            first = index;
        }
        let left_out = !self.complete || !whole || first > 0;
        (turns.into_iter().skip(first).flatten().collect(), left_out)
    }
}

/// The summary as the model is told it.
pub(crate) fn summary_node(summary: &Summary) -> PromptNode {
    PromptNode {
        role: Some(Role::User),
        ..PromptNode::new("history.summary", format!("{SUMMARY_HEADING}\n{}", summary.text))
            .captioned("Summary of earlier conversation")
            .from_source([HISTORY, "summary"])
    }
}

/// Tokens of one message, with the little that every message costs.
pub fn weight(message: &Message, model: &Model) -> u64 {
    let parts = message.parts.iter().map(|part| match part {
        Part::Call { name, arguments, .. } => {
            model.estimate(name).saturating_add(model.estimate(&arguments.to_string()))
        }
        Part::Native { model: maker, json, .. } if maker == model.id() => model.estimate(&json.to_string()),
        Part::Image { .. } => PICTURE_TOKENS,
        Part::File { file } => attached::file_tokens(file),
        _ => 0,
    });
    let header = if message.sender.is_some() { sender_header::TOKENS } else { 0 };
    parts.fold(model.estimate(&message.content).saturating_add(8 + header), u64::saturating_add)
}
