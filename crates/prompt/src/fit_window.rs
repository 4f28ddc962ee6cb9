//! Shortening what is long: before whole turns are left out, the longest words of the conversation are cut.
//!
//! What people say in the current turn, and what the agent has just asked for, is never touched.

use domain::{CallId, Message, Part, Role, TurnId};
use std::collections::HashSet;

/// Bytes that one old piece may have, tried in this order. Fixed steps, so that the same words are cut at the same place
/// in the next prompt.
const MOST: [usize; 5] = [32_000, 16_000, 8_000, 4_000, 2_000];
const TRUNCATED: &str = "\n[truncated]";

/// Cuts as little as makes everything fit into `room` tokens, or as much as may be. Says whether anything was cut.
pub(crate) fn shorten(
    messages: &mut [Message],
    room: u64,
    current: TurnId,
    weigh: impl Fn(&Message) -> u64,
) -> bool {
    let weight = |messages: &[Message]| messages.iter().map(&weigh).fold(0, u64::saturating_add);
    if weight(messages) <= room {
        return false;
    }
    let fresh = just_asked(messages, current);
    let mut cut = false;
    for most in MOST {
        for message in messages.iter_mut().filter(|message| may_be_cut(message, current, &fresh)) {
            cut |= cut_to(message, most);
        }
        if weight(messages) <= room {
            break;
        }
    }
    cut
}

/// The calls of the newest message that made any, if the current turn did.
fn just_asked(messages: &[Message], current: TurnId) -> HashSet<CallId> {
    let newest = messages.iter().rev().find(|message| message.role == Role::Assistant);
    let newest = newest.filter(|message| message.turn_id == current);
    newest.into_iter().flat_map(Message::calls).map(|(id, ..)| *id).collect()
}

fn may_be_cut(message: &Message, current: TurnId, fresh: &HashSet<CallId>) -> bool {
    match message.role {
        Role::Tool => !message.results().any(|(id, _)| fresh.contains(id)),
        Role::User => message.turn_id != current,
        // What made calls, or came in blocks of its own, is told as it was made.
        Role::Assistant => {
            let plain = |part: &Part| matches!(part, Part::Text { .. } | Part::Thinking { .. });
            message.turn_id != current && message.parts.iter().all(plain)
        }
        Role::System => false,
    }
}

fn cut_to(message: &mut Message, most: usize) -> bool {
    let mut cut = truncate(&mut message.content, most);
    for part in &mut message.parts {
        if let Part::Text { text } | Part::Result { content: text, .. } = part {
            cut |= truncate(text, most);
        }
    }
    cut
}

fn truncate(text: &mut String, most: usize) -> bool {
    if text.len() <= most {
        return false;
    }
    let words = text.strip_suffix(TRUNCATED).unwrap_or(text);
    let end = words.floor_char_boundary(most.saturating_sub(TRUNCATED.len()));
    text.truncate(end);
    text.push_str(TRUNCATED);
    true
}

#[cfg(test)]
#[path = "fit_window_tests.rs"]
mod tests;
