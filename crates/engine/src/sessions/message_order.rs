//! The order in which a transcript is read: what came of a call stands behind the message that made it.
//!
//! A call in the text of a message is done while the agent still writes, so that its result is stored before the message
//! is. Pages are cut by `seq`, which is the order of storing; so a page ends where no message is parted from its results.

use domain::{CallId, Message, Part};
use std::collections::{HashMap, HashSet};
use store::Paged;

/// A page with each result behind its call. `forward`: its end is cut, not its beginning.
pub(crate) fn in_order(mut page: Paged<Message>, forward: bool) -> Paged<Message> {
    if page.next_cursor.is_some() {
        let cut = if forward { kept(&page.items) } else { left_out(&page.items) };
        match forward {
            true => page.items.truncate(cut),
            false => drop(page.items.drain(..cut)),
        }
        let edge = if forward { page.items.last() } else { page.items.first() };
        page.next_cursor = edge.map(|message| message.seq.to_string());
    }
    page.items = behind_their_calls(page.items);
    page
}

fn behind_their_calls(messages: Vec<Message>) -> Vec<Message> {
    let made: HashMap<CallId, usize> =
        (0..).zip(&messages).flat_map(|(at, message)| calls(message).map(move |call| (call, at))).collect();
    let mut early: HashMap<usize, Vec<Message>> = HashMap::new();
    let mut ordered = Vec::with_capacity(messages.len());
    for (at, message) in messages.into_iter().enumerate() {
        let caller = results(&message).filter_map(|call| made.get(&call).copied()).max();
        if let Some(caller) = caller.filter(|caller| *caller > at) {
            early.entry(caller).or_default().push(message);
            continue;
        }
        ordered.push(message);
        ordered.extend(early.remove(&at).unwrap_or_default());
    }
    ordered
}

/// How many of the oldest messages go to the page before: up to the first that made calls, if results of those may be
/// there. None where nothing would be left.
fn left_out(messages: &[Message]) -> usize {
    let here: HashSet<CallId> = messages.iter().flat_map(results).collect();
    let caller = messages.iter().position(|message| calls(message).next().is_some());
    let parted = |at: &usize| {
        messages.get(*at).is_some_and(|message| calls(message).any(|call| !here.contains(&call)))
    };
    caller.filter(parted).map(|at| at + 1).filter(|cut| *cut < messages.len()).unwrap_or(0)
}

/// How many of the messages stay: those before the first result whose message is still to come. All where none would.
fn kept(messages: &[Message]) -> usize {
    let made: HashSet<CallId> = messages.iter().flat_map(calls).collect();
    let waits =
        |message: &Message| message.offset.is_some() && results(message).any(|call| !made.contains(&call));
    messages.iter().position(waits).filter(|at| *at > 0).unwrap_or(messages.len())
}

fn calls(message: &Message) -> impl Iterator<Item = CallId> + '_ {
    message.parts.iter().filter_map(|part| match part {
        Part::Call { call_id, .. } => Some(*call_id),
        _ => None,
    })
}

fn results(message: &Message) -> impl Iterator<Item = CallId> + '_ {
    message.parts.iter().filter_map(|part| match part {
        Part::Result { call_id, .. } => Some(*call_id),
        _ => None,
    })
}

#[cfg(test)]
#[path = "message_order_tests.rs"]
mod tests;
