//! New ids: time from the clock, the rest from the system's randomness.

use capability::Clock;
use std::sync::Arc;
use uuid::{Builder, Uuid};

/// Makes ids that sort by the time they were made.
#[derive(Clone)]
pub struct Ids {
    clock: Arc<dyn Clock>,
}

impl Ids {
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock }
    }

    pub fn uuid(&self) -> Uuid {
        let millis = u64::try_from(self.clock.now().as_millis()).unwrap_or(0);
        let random: [u8; 10] = rand::random();
        Builder::from_unix_timestamp_millis(millis, &random).into_uuid()
    }
}
