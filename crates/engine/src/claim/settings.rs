//! What can be set about turns.

use std::time::Duration;
use turn::Policy;

#[derive(Clone, Debug)]
pub struct TurnSettings {
    /// How long a turn stays ours without a sign of life.
    pub lease: Duration,
    /// Take up the turns that a dead process left. A command that only lists or adds something leaves them to the server.
    pub takes_up: bool,
    pub policy: Policy,
    /// The limits of agents that set none.
    pub limits: domain::Limits,
    /// How much one message of a model may hold, in bytes; past it the message ends with `length`.
    pub reply_bytes: usize,
    /// A tool result longer than this is cut in its middle, in characters.
    pub result_chars: usize,
    /// Inputs that may wait in one session.
    pub queue: u64,
}

impl Default for TurnSettings {
    fn default() -> Self {
        Self {
            lease: Duration::from_secs(15),
            takes_up: true,
            policy: Policy::default(),
            limits: domain::Limits::default(),
            reply_bytes: 4 << 20,
            result_chars: 16_000,
            queue: 100,
        }
    }
}
