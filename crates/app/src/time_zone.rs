//! Where this machine is, as far as its clock tells.

use std::{env, fs};

/// Is it a name that calendars know?
pub fn is_zone(name: &str) -> bool {
    name.parse::<chrono_tz::Tz>().is_ok()
}

/// What this machine's clock is set to, if it has an IANA name.
pub fn local() -> Option<String> {
    let variable = env::var("TZ").ok().map(|zone| zone.trim_start_matches(':').to_owned());
    variable.filter(|name| is_zone(name)).or_else(|| {
        let link = fs::canonicalize("/etc/localtime").ok()?;
        let (_, name) = link.to_str()?.rsplit_once("zoneinfo/")?;
        Some(name.to_owned()).filter(|name| is_zone(name))
    })
}
