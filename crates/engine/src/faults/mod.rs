//! Points at which a test may end the process, and guards that a test may switch off.

pub(crate) mod crash_points;
pub(crate) mod guards_off;
