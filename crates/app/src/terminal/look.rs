//! Colours, where they can be seen and are wanted.

use std::io::IsTerminal as _;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    coloured: bool,
    /// A person reads it on a screen: Markdown is laid out there, and printed as it is elsewhere.
    on_screen: bool,
}

impl Look {
    /// Without colours, for what is not read by a person at a terminal.
    pub const PLAIN: Self = Self { coloured: false, on_screen: false };

    /// For stdout: none when it is no terminal, when `NO_COLOR` is set, or on a terminal that cannot.
    pub fn detect() -> Self {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        let on_screen = std::io::stdout().is_terminal();
        Self { coloured: on_screen && !unwanted && !dumb, on_screen }
    }

    #[cfg(test)]
    pub fn plain() -> Self {
        Self::PLAIN
    }

    #[cfg(test)]
    pub fn screen(coloured: bool) -> Self {
        Self { coloured, on_screen: true }
    }

    pub fn is_on_screen(self) -> bool {
        self.on_screen
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

    pub fn painted(self, code: &str, text: &str) -> String {
        if self.coloured && !text.is_empty() {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}
