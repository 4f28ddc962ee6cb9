//! What a line means when it begins with a slash.

/// What a person typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    Nothing,
    Message(String),
    /// For the server, which knows the commands.
    Command(String),
    /// Ours alone.
    Quit,
}

/// What the server does not know of.
pub const HELP: &str = concat!(
    "**Here**\n",
    "- `/quit` — leaves, and so does Ctrl-D\n",
    "- Alt-Enter, or a backslash at the end of a line, begins a new line. Ctrl-C stops the reply. Tab completes commands.",
);

impl Line {
    pub fn parse(text: &str) -> Self {
        let text = text.replace("\\\n", "\n");
        let text = text.trim();
        if text.is_empty() {
            return Self::Nothing;
        }
        if let Some(escaped) = text.strip_prefix("//") {
            return Self::Message(format!("/{escaped}"));
        }
        match text {
            "/quit" | "/exit" => Self::Quit,
            text if text.starts_with('/') => Self::Command(text.to_owned()),
            text => Self::Message(text.to_owned()),
        }
    }
}

/// The word that says which command it is, without its slash.
pub fn name(line: &str) -> &str {
    line.trim_start_matches('/').split_whitespace().next().unwrap_or_default()
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;
