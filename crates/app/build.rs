//! Packs the relocations of the release program: two megabytes of addresses that the loader would read at every start.
//! The C library must know that form (glibc 2.36 and later); a linker that does not know it leaves them as they are.

use std::{env, process::Command};

/// The first version of glibc that reads packed relocations.
const PACKED_SINCE: (u32, u32) = (2, 36);

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let read = |name: &str| env::var(name).unwrap_or_default();
    let is_here = read("HOST") == read("TARGET") && read("CARGO_CFG_TARGET_ENV") == "gnu";
    if is_here && read("PROFILE") == "release" && glibc().is_some_and(|version| version >= PACKED_SINCE) {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// The version of this machine's C library.
fn glibc() -> Option<(u32, u32)> {
    let said = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?.stdout;
    let text = String::from_utf8(said).ok()?;
    let (major, minor) = text.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
}
