//! How much a client may do: so much at once, so much per second.

use tokio::time::Instant;

pub(super) struct Bucket {
    capacity: f64,
    per_second: f64,
    level: f64,
    at: Instant,
}

impl Bucket {
    pub(super) fn new(capacity: u32, per_second: u32, now: Instant) -> Self {
        let (capacity, per_second) = (f64::from(capacity), f64::from(per_second));
        Self { capacity, per_second, level: capacity, at: now }
    }

    /// False when there is nothing left.
    pub(super) fn take(&mut self, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.at = now;
        self.level = (self.level + passed * self.per_second).min(self.capacity);
        if self.level < 1.0 {
            return false;
        }
        self.level -= 1.0;
        true
    }
}

#[cfg(test)]
#[path = "bucket_tests.rs"]
mod tests;
