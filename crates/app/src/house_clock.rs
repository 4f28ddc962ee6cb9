//! The time by which this process does its work.
//!
//! Where several nodes share a database, one of them writes when something ends, and another looks whether it has: a deletion that can be
//! taken back, an approval, what a turn has spent. So all of them go by the clock of the database, whatever their machines say.

use capability::{Clock, SystemClock};
use domain::Timestamp;
use store::Store;

pub struct HouseClock(pub Store);

impl Clock for HouseClock {
    /// On SQLite that of the machine.
    fn now(&self) -> Timestamp {
        self.0.database_time(SystemClock.now())
    }

    fn of_machine(&self) -> Timestamp {
        SystemClock.now()
    }
}
