//! What time it is where the person is.

use chrono::DateTime;
use chrono_tz::Tz;
use domain::Timestamp;

/// The years 1 to 9999. Nearer to the ends of the calendar, converting to another zone panics.
const FIRST: i64 = -62_135_596_800_000;
const LAST: i64 = 253_402_300_799_999;

/// UTC when the zone is not known.
pub(crate) fn local(at: Timestamp, time_zone: &str) -> DateTime<Tz> {
    in_zone(at, time_zone.parse().unwrap_or(Tz::UTC))
}

pub(crate) fn in_zone(at: Timestamp, zone: Tz) -> DateTime<Tz> {
    let millis = at.as_millis().clamp(FIRST, LAST);
    Timestamp::from_millis(millis).to_utc().with_timezone(&zone)
}
