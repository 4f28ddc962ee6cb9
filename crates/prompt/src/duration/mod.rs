//! How long a message takes part in what the model is told.
//!
//! A message with a duration of n is part of the next n model calls after it was made. A call and its results are judged
//! together, paired by the call's id, so that neither is ever told without the other.

use domain::{CallId, Message, Role};
use std::collections::HashMap;

/// Leaves out what has had its time.
pub fn unexpired(messages: Vec<Message>) -> Vec<Message> {
    if messages.iter().all(|message| message.meta.duration.is_none()) {
        return messages;
    }
    let keep = kept(&messages);
    messages.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(message, _)| message).collect()
}

fn kept(messages: &[Message]) -> Vec<bool> {
    let owners = owners(messages);
    let mut results: HashMap<usize, Vec<Option<u32>>> = HashMap::new();
    let owner_of = |message: &Message| message.results().find_map(|(call, _)| owners.get(call).copied());
    for message in messages.iter().filter(|message| message.role == Role::Tool) {
        if let Some(owner) = owner_of(message) {
            results.entry(owner).or_default().push(message.meta.duration);
        }
    }
    let later = later_calls(messages);
    let lives = |index: usize| {
        let own = messages.get(index).and_then(|message| message.meta.duration);
        let life = results.get(&index).map_or(own, |results| together(own, results));
        life.is_none_or(|life| later.get(index).is_none_or(|later| *later < u64::from(life)))
    };
    let judge = |(index, message): (usize, &Message)| match message.role {
        Role::Tool => owner_of(message).is_none_or(&lives),
        _ => lives(index),
    };
    messages.iter().enumerate().map(judge).collect()
}

/// Which message made a call.
fn owners(messages: &[Message]) -> HashMap<CallId, usize> {
    let calls = |(index, message): (usize, &Message)| {
        message.calls().map(|(call, ..)| (*call, index)).collect::<Vec<_>>()
    };
    messages.iter().enumerate().flat_map(calls).collect()
}

/// How many model calls have been made after each message.
fn later_calls(messages: &[Message]) -> Vec<u64> {
    let mut count = 0;
    let mut later: Vec<u64> = messages
        .iter()
        .rev()
        .map(|message| {
            let before = count;
            // What the program itself said about a limit or a failure was no call.
            count += u64::from(message.role == Role::Assistant && message.meta.kind.is_none());
            before
        })
        .collect();
    later.reverse();
    later
}

/// A call lives as long as the result that lives longest; one without a duration lives for ever.
fn together(own: Option<u32>, results: &[Option<u32>]) -> Option<u32> {
    let longest = results.iter().copied().try_fold(0, |longest, result| Some(longest.max(result?)))?;
    Some(longest.max(own.unwrap_or(0)))
}

#[cfg(test)]
#[path = "duration_tests.rs"]
mod tests;
