//! Colours, where they can be seen and are wanted.

use std::io::IsTerminal as _;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    coloured: bool,
}

impl Look {
    /// Without colours, for what is not read by a person at a terminal.
    pub const PLAIN: Self = Self { coloured: false };

    /// For stdout: none when it is no terminal, when `NO_COLOR` is set, or on a terminal that cannot.
    pub fn detect() -> Self {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        Self { coloured: std::io::stdout().is_terminal() && !unwanted && !dumb }
    }

    #[cfg(test)]
    pub fn plain() -> Self {
        Self { coloured: false }
    }

    pub fn is_coloured(self) -> bool {
        self.coloured
    }

    pub fn dim(self, text: &str) -> String {
        self.painted("2", text)
    }

    pub fn bold(self, text: &str) -> String {
        self.painted("1", text)
    }

    pub fn green(self, text: &str) -> String {
        self.painted("32", text)
    }

    pub fn yellow(self, text: &str) -> String {
        self.painted("33", text)
    }

    pub fn red(self, text: &str) -> String {
        self.painted("31", text)
    }

    fn painted(self, code: &str, text: &str) -> String {
        if self.coloured && !text.is_empty() {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}
