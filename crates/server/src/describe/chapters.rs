//! The chapters of the description, and which route belongs where.

use serde_json::{Value, json};

/// Without a version in them; the same is at `/v1` and this.
pub(super) const SECOND_ADDRESSES: [&str; 1] = ["/chat"];

/// The chapters of the document, in the order in which one needs them.
const CHAPTERS: [(&str, &str, &[&str]); 4] = [
    (
        "conversations",
        "Sessions with agents: send messages, follow replies, read them again.",
        &[
            "sessions",
            "folders",
            "knowledge",
            "saved-prompts",
            "links",
            "shared",
            "events",
            "chat",
            "uploads",
            "ws",
        ],
    ),
    (
        "agents",
        "Agents, abilities, schedules, models and providers.",
        &["agents", "abilities", "schedules", "capabilities", "models", "providers", "help"],
    ),
    (
        "people",
        "Accounts, signing in and API keys.",
        &["setup", "login", "logout", "logins", "me", "users", "account-links", "join", "api-keys"],
    ),
    ("house", "The server itself: health, audit log, usage and backups.", &[]),
];

pub(super) fn chapters() -> Vec<Value> {
    let chapter = |(name, about, _): &(&str, &str, _)| json!({ "name": name, "description": about });
    CHAPTERS.iter().map(chapter).collect()
}

/// Whatever is in no other chapter belongs to the last.
pub(super) fn tag(path: &str) -> &'static str {
    let [rest @ .., last] = &CHAPTERS;
    rest.iter().find(|(_, _, nouns)| nouns.contains(&noun(path))).unwrap_or(last).0
}

/// Where in its chapter a path belongs. Second addresses come last.
pub(super) fn rank(path: &str) -> (bool, Option<usize>) {
    let place = CHAPTERS.iter().find_map(|(_, _, nouns)| nouns.iter().position(|known| *known == noun(path)));
    (SECOND_ADDRESSES.contains(&path), place)
}

fn noun(path: &str) -> &str {
    path.split('/').find(|word| !word.is_empty() && *word != "v1").unwrap_or_default()
}
