//! What a line means when it begins with a slash.

/// Handled here; never sent to the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    Help,
    New,
    Sessions,
    Session(String),
    Stop,
    Retry,
    Quit,
}

/// What a person typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    Nothing,
    Message(String),
    Command(Command),
    /// A slash, and no command.
    Unknown(String),
}

pub const HELP: &str = concat!(
    "  /new            begin a new session\n",
    "  /sessions       list your sessions\n",
    "  /session ID     go on with one of them\n",
    "  /stop           stop what runs in this session\n",
    "  /retry          run the last turn again if it failed\n",
    "  /help           this list\n",
    "  /quit           leave (or Ctrl-D)\n",
    "Alt-Enter, or a backslash at the end of a line, begins a new line. Ctrl-C stops the reply.\n",
    "A message that begins with a slash is written with two: //like this",
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
        if !text.starts_with('/') {
            return Self::Message(text.to_owned());
        }
        let (word, rest) =
            text.split_once(char::is_whitespace).map_or((text, ""), |(word, rest)| (word, rest.trim()));
        let command = match (word, rest) {
            ("/help" | "/?", "") => Command::Help,
            ("/new", "") => Command::New,
            ("/sessions", "") => Command::Sessions,
            ("/session", id) if !id.is_empty() => Command::Session(id.to_owned()),
            ("/stop", "") => Command::Stop,
            ("/retry", "") => Command::Retry,
            ("/quit" | "/exit", "") => Command::Quit,
            _ => return Self::Unknown(text.to_owned()),
        };
        Self::Command(command)
    }
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;
