//! What there is, in Markdown for people.

use crate::commands::{
    answer::code_span,
    help_lists::{Help, PromptHelp},
};
use std::{borrow::Cow, fmt::Write as _};

/// What is typed most, and what it does in a few words.
const USUAL: [(&str, &str); 11] = [
    ("new", "start a new conversation"),
    ("sessions", "list your conversations"),
    ("session open ID", "continue another conversation"),
    ("session rename NAME", "give this conversation a name"),
    ("archive", "archive this conversation"),
    ("agents", "list your agents"),
    ("model NAME", "choose the model that answers here"),
    ("retry", "try the last reply again if it failed"),
    ("stop", "stop the running reply"),
    ("compact", "shorten a long conversation for the agent"),
    ("remember TEXT", "have something remembered"),
];
/// Of the person's own prompts.
const USUAL_PROMPTS: usize = 5;

impl Help {
    /// One screen for people, in Markdown: what is used most.
    pub(crate) fn short_text(&self) -> String {
        let mut text = String::new();
        let usual = USUAL.iter().map(|(usage, description)| (format!("/{usage}"), told(description, false)));
        section(&mut text, "Commands", usual);
        let prompts = self.prompts.iter().flatten().take(USUAL_PROMPTS);
        section(&mut text, "Your prompts", prompts.map(prompt_line));
        text.push_str("\nType `/help all` for everything, or `/help NAME` for more about a command.");
        text
    }

    /// For people, in Markdown.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let commands = self.commands.iter().flatten();
        section(
            &mut text,
            "Commands",
            commands.map(|one| (format!("/{}", one.name), told(one.description, false))),
        );
        section(&mut text, "Your prompts", self.prompts.iter().flatten().map(prompt_line));
        let tools = self.tools.iter().flatten();
        section(&mut text, "Tools", tools.map(|one| (one.name.clone(), told(&one.description, false))));
        let capabilities = self.capabilities.iter().flatten();
        let capabilities = capabilities.map(|one| (one.id.clone(), told(&one.description, one.is_quoted)));
        section(&mut text, "Capabilities", capabilities);
        let elements = self.elements.iter().flatten();
        section(
            &mut text,
            "Elements",
            elements.map(|one| (one.name.to_owned(), told(one.description, false))),
        );
        let abilities = self.abilities.iter().flatten();
        let abilities = abilities.map(|one| (one.name.clone(), told(&one.description, one.is_quoted)));
        section(&mut text, "Abilities", abilities);
        if text.is_empty() {
            return "Nothing found. `/help all` lists everything.".to_owned();
        }
        text.push_str("\n`/help NAME` says more about a command. To send a message that begins with a slash, type two: `//like this`.");
        text
    }
}

/// Within a span of code.
fn code_safe(words: &str) -> String {
    words.replace('`', "'")
}

fn prompt_line(prompt: &PromptHelp) -> (String, Cow<'_, str>) {
    (code_safe(&prompt.usage), told(&prompt.description, true))
}

/// The first line of a description. Where a person or a stranger has written it, it stands in a span of code: a client that
/// tells the program's own words in another language leaves it as it is.
fn told(description: &str, is_quoted: bool) -> Cow<'_, str> {
    let first = description.lines().next().unwrap_or_default();
    if is_quoted && !first.is_empty() { code_span(first).into() } else { first.into() }
}

fn section<'a>(text: &mut String, title: &str, items: impl Iterator<Item = (String, Cow<'a, str>)>) {
    let mut items = items.peekable();
    if items.peek().is_none() {
        return;
    }
    if !text.is_empty() {
        text.push('\n');
    }
    let _ = writeln!(text, "**{title}**");
    for (name, description) in items {
        let _ = writeln!(text, "- `{name}` — {description}");
    }
}
