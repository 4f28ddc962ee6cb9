//! Calls that say everything anew: of several only the newest is told whole.
//!
//! A list of tasks is written again with every step; ten old ones would cost more than the conversation. They stay as
//! calls with a result, so that no call is split from its result, but without what they said.

use domain::{CallId, Message, Part};
use serde_json::json;
use std::collections::{HashMap, HashSet};

const TOLD: &str = r#"{"superseded":"a later call replaced this one"}"#;

/// Shortens what a later call of the same tool has replaced. Only a call that worked replaces another.
pub(crate) fn shorten(messages: &mut [Message], supersedes: impl Fn(&str) -> bool) {
    let worked: HashSet<CallId> = messages.iter().flat_map(successes).collect();
    let mut newest: HashMap<String, CallId> = HashMap::new();
    let mut old: HashSet<CallId> = HashSet::new();
    for (id, name) in messages.iter().flat_map(|message| message.calls().map(|(id, name, ..)| (*id, name))) {
        if worked.contains(&id) && supersedes(name) {
            old.extend(newest.insert(name.to_owned(), id));
        }
    }
    if old.is_empty() {
        return;
    }
    for message in messages {
        let mut changed = false;
        for part in &mut message.parts {
            match part {
                Part::Call { call_id, arguments, .. } if old.contains(call_id) => *arguments = json!({}),
                Part::Result { call_id, content, .. } if old.contains(call_id) => {
                    TOLD.clone_into(content);
                    changed = true;
                }
                _ => {}
            }
        }
        // A result that stands alone is the whole message.
        if changed && message.parts.len() == 1 {
            TOLD.clone_into(&mut message.content);
        }
    }
}

fn successes(message: &Message) -> impl Iterator<Item = CallId> {
    message.parts.iter().filter_map(|part| match part {
        Part::Result { call_id, status: domain::ResultStatus::Ok, .. } => Some(*call_id),
        _ => None,
    })
}

#[cfg(test)]
#[path = "superseded_calls_tests.rs"]
mod tests;
