//! One clock for the model and the readers, which are threads of one process: microseconds since it was first looked at.

use std::{
    sync::LazyLock,
    time::{Duration, Instant},
};

static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);

pub fn now() -> u64 {
    u64::try_from(BEGUN.elapsed().as_micros()).unwrap_or(u64::MAX)
}

/// How long it is until then; nothing when it is past.
pub fn until(micros: u64) -> Duration {
    (*BEGUN + Duration::from_micros(micros)).saturating_duration_since(Instant::now())
}
