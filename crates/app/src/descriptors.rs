//! How many files and connections this process may have open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// More is asked for only where it is needed: some programs that are started look through all of them.
const ENOUGH: u64 = 1 << 16;

/// What may be open once as much as is useful is allowed.
pub fn most(needed: u64) -> u64 {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let allowed = maximum.unwrap_or(u64::MAX).min(needed.max(ENOUGH));
    current.unwrap_or(u64::MAX).max(allowed)
}

/// Allows this process as much as it may allow itself, and says how much that is. Where it cannot, what was allowed
/// before counts.
pub fn raise(needed: u64) -> u64 {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let (before, after) = (current.unwrap_or(u64::MAX), most(needed));
    let enough = before >= after;
    match enough || setrlimit(Resource::Nofile, Rlimit { current: Some(after), maximum }).is_ok() {
        true => after,
        false => before,
    }
}
