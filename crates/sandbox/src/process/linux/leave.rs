//! A server that is root does not run programs as root.

use rustix::{
    io::Result,
    process::geteuid,
    thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid},
};

/// A user who owns nothing on this machine. In the range that also exists where only 65536 users are mapped.
const NOBODY_ELSE: u32 = 65_533;

pub(super) fn is_needed() -> bool {
    geteuid().is_root()
}

/// Makes *this thread* another user's, for good. What it starts is started by them.
///
/// THREAT[cage-02]: root outside of a cage is root to the files that are mounted into it, whatever it is called inside.
pub(super) fn root() -> Result<()> {
    if !is_needed() {
        return Ok(());
    }
    let (user, group) = (rustix::fs::Uid::from_raw(NOBODY_ELSE), rustix::fs::Gid::from_raw(NOBODY_ELSE));
    set_thread_groups(&[])?;
    set_thread_res_gid(group, group, group)?;
    set_thread_res_uid(user, user, user)
}
