//! How much one turn may do. Reaching a limit ends the turn with a message that says so.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The limits of one agent's turns. What an agent does not set has the default of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Model calls per turn.
    pub steps: u32,
    /// Tool calls that one message of the agent may make; the rest are refused with a result that says so.
    pub calls_per_step: u32,
    /// Seconds of work; the clock stands still while the turn waits for a person.
    pub wall_seconds: u32,
    /// Tokens the model may write in one turn.
    pub output_tokens: u64,
    /// How deep agents may start agents.
    pub depth: u32,
    /// How full the model's window may be, in per cent, before the earlier part of a conversation is told as a summary;
    /// 0 = only when a person asks for it.
    pub compact_at: u32,
    /// How many errands one turn may give to other agents.
    pub width: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: 25,
            calls_per_step: 32,
            wall_seconds: 1_800,
            output_tokens: 200_000,
            depth: 2,
            compact_at: 70,
            width: 16,
        }
    }
}

impl Limits {
    /// The first value that is out of its range, by the name that the page gives it.
    pub fn problem(&self) -> Option<&'static str> {
        match self {
            l if !(1..=500).contains(&l.steps) => {
                Some("“Model requests per reply” (limits.steps) must be 1 to 500.")
            }
            l if !(1..=128).contains(&l.calls_per_step) => {
                Some("“Tool calls per message” (limits.calls_per_step) must be 1 to 128.")
            }
            l if !(1..=86_400).contains(&l.wall_seconds) => {
                Some("“Seconds per reply” (limits.wall_seconds) must be 1 to 86,400.")
            }
            l if !(1..=10_000_000).contains(&l.output_tokens) => {
                Some("“Tokens it may write per reply” (limits.output_tokens) must be 1 to 10,000,000.")
            }
            l if l.depth > 8 => Some("“Levels of agents it may start” (limits.depth) must be 0 to 8."),
            l if l.compact_at != 0 && !(10..=95).contains(&l.compact_at) => {
                Some("“Summarise older messages at” (limits.compact_at) must be 10 to 95, or 0 for never.")
            }
            l if l.width > 100 => Some("“Agents it may start at once” (limits.width) must be 0 to 100."),
            _ => None,
        }
    }

    /// The smaller of each.
    #[must_use]
    pub fn least(self, other: Self) -> Self {
        Self {
            steps: self.steps.min(other.steps),
            calls_per_step: self.calls_per_step.min(other.calls_per_step),
            wall_seconds: self.wall_seconds.min(other.wall_seconds),
            output_tokens: self.output_tokens.min(other.output_tokens),
            depth: self.depth.min(other.depth),
            // Earlier, where it is wanted at all.
            compact_at: match (self.compact_at, other.compact_at) {
                (0, percent) | (percent, 0) => percent,
                (one, two) => one.min(two),
            },
            width: self.width.min(other.width),
        }
    }
}
