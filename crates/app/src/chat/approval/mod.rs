//! An approval on a terminal, in this order: what the agent wants to do, with which arguments, where it happens, why the
//! person is asked, how long they have, and for how long each answer holds.
//!
//! THREAT[terminal-02] The words in it come from a model, spelt out by the server; nothing that an agent writes elsewhere
//! is ever taken for a request, because only the next line that is typed after a real one is an answer.

mod action;

use crate::terminal::{Look, moment, neutral, one_line};
use domain::{Approval, ApprovalStatus, Danger, RuleScope, Workplace};

const LABEL: usize = 200;
const WHY: usize = 1_000;
/// Hosts that are named; the others are counted.
const NAMED: usize = 5;
/// What is asked about where a model has no price: no tool, but the model itself.
const USE_MODEL: &str = "use_model";

/// What a person typed when they were asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovalReply {
    Yes(RuleScope),
    No(Option<String>),
    /// Something else: whether it is a no, with these words as its reason, is asked once more.
    Words,
}

/// `y`, `s`, `a` and `n` with or without a reason; every other word is not one of them.
pub fn reply(line: &str) -> ApprovalReply {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    match word.to_lowercase().as_str() {
        "y" | "yes" | "once" if rest.is_empty() => ApprovalReply::Yes(RuleScope::Once),
        "s" | "session" if rest.is_empty() => ApprovalReply::Yes(RuleScope::Session),
        "a" | "always" if rest.is_empty() => ApprovalReply::Yes(RuleScope::Always),
        "n" | "no" => ApprovalReply::No((!rest.is_empty()).then(|| rest.to_owned())),
        _ => ApprovalReply::Words,
    }
}

/// The request in a frame of its own. Long values are shown whole: what is approved must be readable.
pub fn lines(look: Look, approval: &Approval) -> String {
    let danger = match approval.danger {
        Danger::Safe => look.green("low risk"),
        Danger::Moderate => look.yellow("medium risk"),
        Danger::Dangerous => look.red("high risk"),
    };
    let tool = one_line(&approval.tool, LABEL);
    let action = action::of(approval).map_or_else(|| format!("using {tool}"), str::to_owned);
    let title = format!("┏ Approve {action}?");
    let mut lines = format!("{} ({tool}, {danger})", look.bold(&title));
    if approval.shown.is_empty() {
        lines.push_str("\n┃ no input");
    }
    for argument in &approval.shown {
        lines.push_str(&format!("\n┃ {}:", one_line(&argument.name, LABEL)));
        let value = neutral(&argument.value);
        match value.contains('\n') {
            false => lines.push_str(&format!(" {value}")),
            // A bar at each line of a value keeps it apart from what the terminal itself says below it.
            true => value.split('\n').for_each(|line| lines.push_str(&format!("\n┃ │ {line}"))),
        }
    }
    let mut note = |text: &str| lines.push_str(&format!("\n┃ {}", look.dim(text)));
    note(&format!("Where: {}", place(approval)));
    for why in &approval.why {
        note(&format!("Why you are asked: {}", one_line(why, WHY)));
    }
    note(&format!("If you do not answer by {}, it is denied.", moment(approval.expires_at)));
    lines.push_str(&format!("\n┗ {}", keys(approval)));
    lines
}

/// Where the call does its work, as the server says.
fn place(approval: &Approval) -> String {
    if let Some(host) = &approval.host {
        return format!("On the network: {}.", one_line(host, LABEL));
    }
    let Some(workplace) = approval.workplace else {
        return "The server does not say where this tool works.".to_owned();
    };
    let words = match (workplace, &approval.reaches) {
        (Workplace::Sandbox, Some(hosts)) if hosts.is_empty() => "In the sandbox. No network.",
        (Workplace::Sandbox, Some(hosts)) => {
            return format!("In the sandbox. Network: only {}.", some_of(hosts));
        }
        (Workplace::Sandbox, None) => {
            "In the sandbox. Network: only hosts listed in the agent's settings; none by default."
        }
        (Workplace::SandboxWithPackages, Some(hosts)) if hosts.is_empty() => {
            "In the sandbox. Network: only the Python package index."
        }
        (Workplace::SandboxWithPackages, Some(hosts)) => {
            return format!("In the sandbox. Network: only the Python package index, {}.", some_of(hosts));
        }
        (Workplace::SandboxWithPackages, None) => {
            "In the sandbox. Network: the Python package index, and hosts listed in the agent's settings."
        }
        (Workplace::SessionFiles, _) => "In the files of this conversation. No network.",
        (Workplace::Server, _) => "On this server. No network.",
        (Workplace::Network, _) => "On the network.",
        (Workplace::SearchService, Some(names)) => {
            return format!("On the network: the search service {}.", some_of(names));
        }
        (Workplace::SearchService, None) => "On the network: the search service of this server.",
        (Workplace::OtherAgent, _) => "On this server: another agent does it, with that agent's own tools.",
        (Workplace::Peer, _) => "Outside this server.",
        (Workplace::ModelProvider, _) => "On the network: the provider of the model.",
    };
    words.to_owned()
}

/// The first names, and how many there are besides.
fn some_of(names: &[String]) -> String {
    let (first, rest) = names.split_at(names.len().min(NAMED));
    let mut some = first.iter().map(|name| one_line(name, LABEL)).collect::<Vec<_>>().join(", ");
    if !rest.is_empty() {
        some.push_str(&format!(" and {} more hosts of the agent's settings", rest.len()));
    }
    some
}

/// What became of an approval.
pub const fn settled(status: ApprovalStatus) -> &'static str {
    match status {
        ApprovalStatus::Pending => "Still waiting for an answer.",
        ApprovalStatus::Approved => "Approved.",
        ApprovalStatus::Denied => "Denied.",
        ApprovalStatus::Expired => "Not answered in time, so it was denied.",
    }
}

/// What can be typed.
fn keys(approval: &Approval) -> String {
    let mut keys = vec!["[y] once".to_owned()];
    if approval.scopes.contains(&RuleScope::Session) {
        keys.push(match (&approval.host, approval.tool.as_str()) {
            (Some(host), _) => format!("[s] every request to {} in this conversation", one_line(host, LABEL)),
            (None, USE_MODEL) => "[s] this model in this conversation".to_owned(),
            (None, tool) => format!("[s] every use of {} in this conversation", one_line(tool, LABEL)),
        });
    }
    if approval.scopes.contains(&RuleScope::Always) {
        keys.push("[a] always for exactly this".to_owned());
    }
    keys.push("[n] deny, or n and a reason".to_owned());
    format!("{}. Other text decides nothing.", keys.join("  "))
}

/// What is said to words that are neither a yes nor a no.
pub fn doubt(approval: &Approval, words: &str) -> String {
    let (words, tool) = (one_line(words, LABEL), one_line(&approval.tool, LABEL));
    format!(
        "“{words}” is not an answer, so nothing has happened. Type n to deny {tool} with this text as the reason, or y to \
         approve it once."
    )
}

#[cfg(test)]
#[path = "approval_tests.rs"]
mod tests;
