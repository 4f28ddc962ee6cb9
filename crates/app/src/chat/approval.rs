//! A request on a terminal: what would run, with which arguments, why somebody is asked, and what can be answered.
//!
//! THREAT[terminal-02] The words in it come from a model, spelt out by the server; nothing that an agent writes elsewhere
//! is ever taken for a request, because only the next line that is typed after a real one is an answer.

use crate::terminal::{Look, neutral, one_line};
use domain::{Approval, Danger, RuleScope};

const LABEL: usize = 200;
const WHY: usize = 1_000;
/// What is asked about where a model has no price: no tool, but the model itself.
const USE_MODEL: &str = "use_model";

/// What a person typed when they were asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    Yes(RuleScope),
    No(Option<String>),
    /// Something else: whether it is a no, with these words as its reason, is asked once more.
    Words,
}

/// `y`, `s`, `a` and `n` with or without a reason; every other word is not one of them.
pub fn reply(line: &str) -> Reply {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    match word.to_lowercase().as_str() {
        "y" | "yes" | "once" if rest.is_empty() => Reply::Yes(RuleScope::Once),
        "s" | "session" if rest.is_empty() => Reply::Yes(RuleScope::Session),
        "a" | "always" if rest.is_empty() => Reply::Yes(RuleScope::Always),
        "n" | "no" => Reply::No((!rest.is_empty()).then(|| rest.to_owned())),
        _ => Reply::Words,
    }
}

/// The request in a frame of its own. Long values are shown whole: what is approved must be readable.
pub fn lines(look: Look, approval: &Approval) -> String {
    let danger = match approval.danger {
        Danger::Safe => look.green("safe"),
        Danger::Moderate => look.yellow("moderate"),
        Danger::Dangerous => look.red("dangerous"),
    };
    let title = match approval.tool.as_str() {
        USE_MODEL => "┏ May this model be used?".to_owned(),
        tool => format!("┏ May {} run?", one_line(tool, LABEL)),
    };
    let mut lines = format!("{} ({danger})", look.bold(&title));
    if approval.shown.is_empty() {
        lines.push_str("\n┃ without arguments");
    }
    for argument in &approval.shown {
        let value = neutral(&argument.value);
        let mut values = value.lines();
        let first = values.next().unwrap_or_default();
        lines.push_str(&format!("\n┃ {}: {first}", one_line(&argument.name, LABEL)));
        for line in values {
            lines.push_str(&format!("\n┃   {line}"));
        }
    }
    for why in &approval.why {
        lines.push_str(&format!("\n┃ {}", look.dim(&format!("why: {}", one_line(why, WHY)))));
    }
    let until = format!("no answer by {} is a no", approval.expires_at);
    lines.push_str(&format!("\n┃ {}", look.dim(&until)));
    lines.push_str(&format!("\n┗ {}", keys(approval)));
    lines
}

/// What can be typed.
fn keys(approval: &Approval) -> String {
    let mut keys = vec!["y once".to_owned()];
    if approval.scopes.contains(&RuleScope::Session) {
        keys.push(match (&approval.host, approval.tool.as_str()) {
            (Some(host), _) => format!("s {} in this conversation", one_line(host, LABEL)),
            (None, USE_MODEL) => "s this model in this conversation".to_owned(),
            (None, _) => "s this tool in this conversation".to_owned(),
        });
    }
    if approval.scopes.contains(&RuleScope::Always) {
        keys.push("a always exactly this".to_owned());
    }
    keys.push("n [reason] deny".to_owned());
    format!("{}; other words are not an answer yet", keys.join(" · "))
}

/// What is said to words that are neither a yes nor a no.
pub fn doubt(approval: &Approval, words: &str) -> String {
    let (words, tool) = (one_line(words, LABEL), one_line(&approval.tool, LABEL));
    format!(
        "“{words}” is neither a yes nor a no, and nothing has happened. Type n to deny {tool} with these words as the \
         reason, or y to approve it once."
    )
}

#[cfg(test)]
#[path = "approval_tests.rs"]
mod tests;
