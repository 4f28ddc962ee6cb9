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
    /// Ours too: whether words are shown as they come; none asks.
    Stream(Option<bool>),
    /// Ours too: the model that answers the next message.
    ModelOnce(String),
    /// Ours too: a file for the next message; none asks which there are.
    Attach(Option<String>),
}

/// What the server does not know of.
pub const HELP: &str = concat!(
    "\n\n**In this terminal**\n",
    "- `/quit` — leave the conversation (or press Ctrl-D)\n",
    "- `/stream on|off` — show words as they arrive, or only complete replies\n",
    "- `/attach PATH` — send a file with your next message (`/attach none` removes the files)\n",
    "- `/model once NAME` — another model answers your next message only\n",
    "- Alt-Enter, or a backslash at the end of a line, starts a new line. Ctrl-C stops the running reply. Tab completes commands.",
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
        if let Some(rest) =
            text.strip_prefix("/attach").filter(|rest| rest.is_empty() || rest.starts_with(' '))
        {
            // A path may have spaces; quotes around it are a shell's habit.
            let path = rest.trim().trim_matches(['"', '\'']);
            return Self::Attach((!path.is_empty()).then(|| path.to_owned()));
        }
        let mut words = text.split_whitespace();
        if let (Some("/model"), Some("once"), Some(model), None) =
            (words.next(), words.next(), words.next(), words.next())
        {
            return Self::ModelOnce(model.to_owned());
        }
        let mut words = text.split_whitespace();
        match (words.next().unwrap_or_default(), words.next(), words.next()) {
            ("/quit" | "/exit", None, _) => Self::Quit,
            ("/stream", setting @ (None | Some("on" | "off")), None) => {
                Self::Stream(setting.map(|setting| setting == "on"))
            }
            (word, ..) if is_command(word) => Self::Command(text.to_owned()),
            _ => Self::Message(text.to_owned()),
        }
    }
}

/// A path such as `/etc/hosts` is none.
fn is_command(word: &str) -> bool {
    let named = |name: &str| name == "?" || name.chars().all(|c| c == '_' || c.is_alphanumeric());
    word.strip_prefix('/').is_some_and(named)
}

/// The word that says which command it is, without its slash.
pub fn name(line: &str) -> &str {
    line.trim_start_matches('/').split_whitespace().next().unwrap_or_default()
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;
