//! What time it is where the person is.

use crate::ToolContext;
use chrono::DateTime;
use chrono_tz::Tz;
use domain::Timestamp;

/// The years 1 to 9999. Nearer to the ends of the calendar, converting to another zone panics.
const FIRST: i64 = -62_135_596_800_000;
const LAST: i64 = 253_402_300_799_999;

/// The person's zone; UTC when none is known. Answers name the zone, so neither is hidden.
pub fn own(context: &ToolContext) -> Tz {
    context.time_zone.parse().unwrap_or(Tz::UTC)
}

pub fn now_in(context: &ToolContext, zone: Tz) -> DateTime<Tz> {
    let millis = context.clock.now().as_millis().clamp(FIRST, LAST);
    Timestamp::from_millis(millis).to_utc().with_timezone(&zone)
}
