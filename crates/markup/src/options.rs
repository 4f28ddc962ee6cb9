//! What a parser looks for, and how much it is willing to hold.

use domain::{MarkupMode, MarkupSettings};

/// What becomes of markup in an agent's replies. An agent whose markup is off needs no parser.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Elements are shown; nothing is ever called. Interactions and tool patterns are text.
    Display,
    /// Elements are shown, and what can run is proposed.
    #[default]
    On,
}

/// Memory is bounded by these; what goes beyond is text, or an element that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one tag with its attributes. A longer one is text.
    pub tag: usize,
    /// Bytes of one interaction, tool pattern or block of assertions. A longer one is text.
    pub call: usize,
    /// Bytes of one element's own content, and of one part of it. A longer one is shown, and fails when it closes.
    pub content: usize,
    /// Elements inside each other. A deeper opening tag is text.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { tag: 8 << 10, call: 256 << 10, content: 1 << 20, depth: 32 }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    pub mode: Mode,
    /// A reply that is one json code fence of valid operations is a block of assertions.
    pub assertions: bool,
    pub limits: Limits,
}

impl Options {
    /// How texts of an agent with these settings are read; `None` means as plain words.
    pub fn of(settings: MarkupSettings) -> Option<Self> {
        let mode = match settings.mode {
            MarkupMode::Off => return None,
            MarkupMode::Display => Mode::Display,
            MarkupMode::On => Mode::On,
        };
        Some(Self { mode, assertions: settings.assertions, ..Self::default() })
    }

    pub fn display() -> Self {
        Self { mode: Mode::Display, ..Self::default() }
    }
}
