//! What the model says while the program is killed: replies of every kind, with effects that are counted.

use serde_json::json;
use std::{collections::BTreeSet, time::Duration};
use testkit::model::{Recorded, Reply};

/// Kinds of replies, one after the other.
pub const KINDS: usize = 6;
/// Ends the tags that are counted by calls in a text.
pub const INLINE: &str = "/inline";

/// What the last person said, and how many calls have come to something since, natively or in the text.
pub fn asked(request: &Recorded) -> (&str, usize) {
    let mut results = 0;
    for message in request.messages().iter().rev() {
        let content = message["content"].as_str().unwrap_or_default();
        match message["role"].as_str() {
            Some("tool") => results += 1,
            Some("user") if content.starts_with("[@") => {
                results += content.lines().filter(|line| line.starts_with("[@")).count();
            }
            Some("user") => return (content, results),
            _ => {}
        }
    }
    ("", results)
}

/// What the model does depends on the message alone, so that every restart meets the same model. Words come at this pace.
pub fn reply(request: &Recorded, pace: Duration) -> Reply {
    if let Some(summary) = summary(request) {
        return summary;
    }
    let (said, results) = asked(request);
    let number: usize = said.rsplit('-').next().and_then(|digits| digits.parse().ok()).unwrap_or(0);
    let words: Vec<String> = (0..30).map(|word| format!("{said}-word{word} ")).collect();
    let text = Reply::pieces(words.clone()).pace(pace);
    // A call in the middle of the text, written in pieces, with words behind it.
    let inline = |call: String| {
        let call = format!("\n{call}\n");
        let (before, behind) = words.split_at(words.len() / 2);
        let (first, second) = call.split_at(call.len() / 2);
        let pieces = [before, &[first.to_owned(), second.to_owned()], behind].concat();
        Reply::pieces(pieces).pace(pace)
    };
    match (number % KINDS, results) {
        (0, 0) => inline(format!("@system(count_effect, {{tag: \"{said}{INLINE}\"}})")),
        (1, 0) => text.then_calls([
            ("count_effect", json!({ "tag": said })),
            ("get_current_time", json!({})),
            ("count_read", json!({ "tag": said })),
        ]),
        (2, 0) => {
            Reply::calls([("count_idem", json!({ "tag": said })), ("add", json!({ "a": 1, "b": number }))])
        }
        (3, 0) => Reply::calls([("count_effect", json!({ "tag": format!("{said}/first") }))]),
        (3, 1) => text.then_calls([("count_effect", json!({ "tag": format!("{said}/second") }))]),
        (4, 0) => {
            let call = json!({ "interaction_id": "a", "target_id": "@system", "target_property": "count_effect",
                "payload": { "tag": format!("{said}{INLINE}") } });
            inline(format!("<bash>ls</bash> <interaction>{call}</interaction>"))
        }
        (5, 0) => {
            let call = |tag: &str| {
                format!("<tool_use name=\"count_effect\">{{\"tag\": \"{said}/{tag}\"}}</tool_use>")
            };
            inline(format!("{}\n{}", call("first"), call("second")))
                .then_calls([("count_effect", json!({ "tag": format!("{said}/third") }))])
        }
        _ => text,
    }
}

/// The answer of a model that is asked for a summary: it knows nothing but what it was given, and keeps every word that
/// begins with a number sign. `None` for every other request.
pub fn summary(request: &Recorded) -> Option<Reply> {
    let system = request.messages().first()?["content"].as_str()?;
    if !system.starts_with("Summarise the conversation") {
        return None;
    }
    let given = request.last_user();
    let is_fact = |word: &&str| word.starts_with('#') && !word.starts_with("##");
    let facts: BTreeSet<&str> = given.split_whitespace().filter(is_fact).collect();
    let facts = facts.into_iter().collect::<Vec<_>>().join("\n");
    let pieces = ["## Key facts\n".to_owned(), facts, "\n## Current conversation\nThey talked.".to_owned()];
    Some(Reply::pieces(pieces).pace(Duration::from_millis(3)))
}
