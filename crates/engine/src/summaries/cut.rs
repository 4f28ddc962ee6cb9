//! Where to cut: at the end of a turn, so that the newest part is kept and no call is parted from its result.

use crate::summaries::compact::Keep;
use domain::{CallId, Message};
use std::collections::HashSet;

/// What a summary is to stand for.
#[derive(Debug, PartialEq)]
pub(super) struct Portion<'a> {
    pub(super) replaced: &'a [Message],
    /// There is more that should be replaced, once this is.
    pub(super) more: bool,
}

/// `said` are the oldest messages that no summary stands for, `all` whether there are no newer ones. The newest turn is
/// always kept: it may be running, or be run once more. At most `most` tokens are replaced at once, but always a turn.
pub(super) fn portion(
    said: &[Message],
    all: bool,
    keep: Keep,
    most: u64,
    weigh: impl Fn(&Message) -> u64,
) -> Option<Portion<'_>> {
    let turns: Vec<&[Message]> = said.chunk_by(|one, next| one.turn_id == next.turn_id).collect();
    let weights: Vec<u64> =
        turns.iter().map(|turn| turn.iter().map(&weigh).fold(0, u64::saturating_add)).collect();
    let total = weights.iter().copied().fold(0, u64::saturating_add);
    let may_keep = match keep {
        // Behind what was read there is more than is to be kept already.
        _ if !all => 0,
        Keep::Tokens(tokens) => tokens,
        Keep::Half(tokens) => tokens.min(total / 2),
    };
    let (mut kept, mut first_kept) = (0_u64, turns.len().checked_sub(1)?);
    kept = kept.saturating_add(weights.last().copied().unwrap_or(0));
    while let Some(older) = first_kept.checked_sub(1) {
        kept = kept.saturating_add(weights.get(older).copied().unwrap_or(0));
        if kept > may_keep {
            break;
        }
        first_kept = older;
    }
    let (mut taken, mut end) = (0_u64, 0);
    for weight in weights.iter().take(first_kept) {
        taken = taken.saturating_add(*weight);
        if taken > most && end > 0 {
            break;
        }
        end += 1;
    }
    while end > 0 && parts_a_pair(said, messages(&turns, end)) {
        end -= 1;
    }
    let replaced = said.get(..messages(&turns, end)).filter(|replaced| !replaced.is_empty())?;
    Some(Portion { replaced, more: end < first_kept || !all })
}

fn messages(turns: &[&[Message]], end: usize) -> usize {
    turns.iter().take(end).map(|turn| turn.len()).sum()
}

/// Is a call on one side of this place and its result on the other?
fn parts_a_pair(said: &[Message], at: usize) -> bool {
    let (before, after) = said.split_at(at.min(said.len()));
    let calls = |side: &[Message]| -> HashSet<CallId> {
        side.iter().flat_map(Message::calls).map(|(id, ..)| *id).collect()
    };
    let results = |side: &[Message]| -> HashSet<CallId> {
        side.iter().flat_map(Message::results).map(|(id, _)| *id).collect()
    };
    !calls(before).is_disjoint(&results(after)) || !results(before).is_disjoint(&calls(after))
}

#[cfg(test)]
#[path = "cut_tests.rs"]
mod tests;
