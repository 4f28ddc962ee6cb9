//! What an agent's text may become besides words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MarkupMode {
    /// Every word is shown as it was written.
    Off,
    /// Elements are shown as what they are; none of them does anything.
    Display,
    /// Elements and interactions become calls, too.
    #[default]
    On,
}

/// How an agent's replies are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MarkupSettings {
    pub mode: MarkupMode,
    /// A reply that is nothing but a block of assertions is read as one.
    pub assertions: bool,
}

impl MarkupSettings {
    pub const OFF: Self = Self { mode: MarkupMode::Off, assertions: false };
}
