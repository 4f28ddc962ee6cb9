//! What time it is where the person is.

use crate::{ToolContext, time};
use chrono::DateTime;
use chrono_tz::Tz;

/// The person's zone; UTC when none is known. Answers name the zone, so neither is hidden.
pub fn own(context: &ToolContext) -> Tz {
    context.time_zone.parse().unwrap_or(Tz::UTC)
}

pub fn now_in(context: &ToolContext, zone: Tz) -> DateTime<Tz> {
    time::in_zone(context.clock.now(), zone)
}
