//! How often and how patiently a failing model is asked again.

use crate::{Failure, Retry};
use serde::{Deserialize, Serialize};

/// Requests for one message that may each have cost something.
const FEW: u32 = 4;
/// A worker waits through no more pauses than this.
const MOST: u32 = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// Model requests for one message, the first included.
    pub attempts: u32,
    /// The first wait; each further one is twice as long.
    pub first_delay_ms: u64,
    /// Where the waits stop growing.
    #[serde(default = "longest_pause")]
    pub longest_pause_ms: u64,
    /// A provider that asks for a longer wait than this is not waited for.
    pub longest_delay_ms: u64,
    /// Recoveries without a commit in between, after which the turn is given up.
    pub stalls: u32,
}

const fn longest_pause() -> u64 {
    30_000
}

/// The next request for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Again {
    /// How many there may be in all.
    pub of: u32,
    pub delay_ms: u64,
}

impl Default for Policy {
    /// A provider that is away for a minute and a half is waited for.
    fn default() -> Self {
        let first = Self {
            attempts: 1,
            first_delay_ms: 1_000,
            longest_pause_ms: longest_pause(),
            longest_delay_ms: 60_000,
            stalls: 3,
        };
        first.patient_for(Self::PATIENCE_MS)
    }
}

impl Policy {
    /// For how long a provider that is away is asked again where the settings say nothing else.
    pub const PATIENCE_MS: u64 = 90_000;

    /// With as many requests as it takes to wait for at least so long between the first and the last.
    #[must_use]
    pub fn patient_for(self, patience_ms: u64) -> Self {
        let mut waited = 0_u64;
        let mut attempts = 1;
        while waited < patience_ms && attempts < MOST {
            waited = waited.saturating_add(self.pause_ms(attempts).max(1));
            attempts = attempts.saturating_add(1);
        }
        Self { attempts, longest_delay_ms: self.longest_delay_ms.max(patience_ms), ..self }
    }

    /// The wait after this many requests in vain.
    fn pause_ms(self, attempt: u32) -> u64 {
        let doubling = attempt.saturating_sub(1).min(32);
        let grown = self.first_delay_ms.saturating_mul(1 << doubling);
        grown.min(self.longest_pause_ms.max(self.first_delay_ms))
    }

    /// Whether there is another request after this one has failed. Who asks for a longer wait is given it; who asks for a
    /// shorter one is not: away is away.
    pub fn again(self, attempt: u32, failure: Failure) -> Option<Again> {
        let of = self.attempts.min(match failure.retry {
            Retry::Never => 1,
            Retry::Once => 2,
            Retry::Few => FEW,
            Retry::Patiently => u32::MAX,
        });
        let own = self.pause_ms(attempt);
        let delay_ms = failure.retry_after_ms.unwrap_or(0).max(own);
        (attempt < of && delay_ms <= self.longest_delay_ms.max(own)).then_some(Again { of, delay_ms })
    }
}
