//! Points at which a test ends the process, and guards that a test switches off.
//!
//! **Owns** the names in [`crash_points`] and [`guards_off`].
//! **Must never** do anything in a shipped build: both are compiled in only where tests ask for them.
//! **Start at** [`crash_points`].

pub(crate) mod crash_points;
pub(crate) mod guards_off;
