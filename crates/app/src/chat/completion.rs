//! Commands are completed while they are typed, and the rest of how they are written is shown behind the cursor.

use reedline::{Completer, CompletionResult, Hinter, History, Span, Suggestion};
use serde_json::Value;

/// One way to write a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownCommand {
    /// With everything that it can have.
    pub usage: String,
    pub description: String,
}

impl KnownCommand {
    /// Its fixed words: `/session rename` of `/session rename [id=ID] NAME`.
    fn words(&self) -> &str {
        let fixed = |word: &&str| word.chars().all(|c| c == '/' || c == '_' || c.is_ascii_lowercase());
        let length: usize = self.usage.split(' ').take_while(fixed).map(|word| word.len() + 1).sum();
        self.usage.get(..length.saturating_sub(1)).unwrap_or_default()
    }
}

/// From the answer of `GET /v1/help`.
pub fn known(help: &Value) -> Vec<KnownCommand> {
    let text =
        |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let commands = help.get("commands").and_then(Value::as_array).into_iter().flatten();
    let forms = commands.filter_map(|command| command.get("forms").and_then(Value::as_array)).flatten();
    let forms =
        forms.map(|form| KnownCommand { usage: text(form, "usage"), description: text(form, "description") });
    let here = [
        ("/quit", "Leave the conversation"),
        ("/stream on|off", "Show words as they arrive, or only complete replies"),
        ("/attach PATH", "Send a file with your next message"),
        ("/model once NAME", "Another model answers your next message only"),
    ];
    let here =
        here.map(|(usage, says)| KnownCommand { usage: usage.to_owned(), description: says.to_owned() });
    forms.chain(here).collect()
}

pub struct CommandCompleter(pub Vec<KnownCommand>);

impl Completer for CommandCompleter {
    fn complete(&mut self, line: &str, position: usize) -> CompletionResult {
        let typed = line.get(..position).unwrap_or_default();
        if !typed.starts_with('/') || typed.starts_with("//") {
            return CompletionResult::fresh(Vec::new());
        }
        let fitting = self.0.iter().filter(|known| known.words().starts_with(typed));
        let suggestion = |known: &KnownCommand| Suggestion {
            value: known.words().to_owned(),
            description: Some(known.description.clone()),
            span: Span { start: 0, end: position },
            append_whitespace: true,
            ..Suggestion::default()
        };
        CompletionResult::fresh(fitting.map(suggestion).collect::<Vec<_>>())
    }
}

pub struct UsageHinter {
    known: Vec<KnownCommand>,
}

impl UsageHinter {
    pub fn new(known: Vec<KnownCommand>) -> Self {
        Self { known }
    }

    /// What may follow the line, and what it does.
    pub fn of(&self, line: &str) -> String {
        let typed = line.trim_end();
        let exact = |known: &&KnownCommand| !typed.is_empty() && known.words() == typed;
        let Some(known) = self.known.iter().find(exact) else { return String::new() };
        let rest = known.usage.get(typed.len()..).unwrap_or_default().trim_start();
        let space = if line.ends_with(' ') { "" } else { " " };
        let rest = if rest.is_empty() { String::new() } else { format!("{rest} ") };
        format!("{space}{rest}— {}", known.description)
    }
}

impl Hinter for UsageHinter {
    fn handle(&mut self, line: &str, position: usize, _: &dyn History, coloured: bool, _: &str) -> String {
        let hint = if position == line.len() { self.of(line) } else { String::new() };
        if coloured && !hint.is_empty() { format!("\u{1b}[2m{hint}\u{1b}[0m") } else { hint }
    }

    /// It is there to be read, and is never typed for anybody.
    fn complete_hint(&self) -> String {
        String::new()
    }

    fn next_hint_token(&self) -> String {
        String::new()
    }
}

#[cfg(test)]
#[path = "completion_tests.rs"]
mod tests;
