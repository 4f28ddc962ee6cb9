//! What a bridge may be called.

use crate::{
    check_name,
    error::{Error, Result},
};

/// What people, agents and the program itself are told apart by: no bridge may be called so.
const RESERVED: [&str; 22] = [
    "agent",
    "api",
    "assistant",
    "bridge",
    "cli",
    "clock",
    "cron",
    "house",
    "main",
    "majordomo",
    "me",
    "owner",
    "person",
    "schedule",
    "scheduler",
    "self",
    "server",
    "system",
    "terminal",
    "tool",
    "user",
    "web",
];

/// May a bridge be called so? Only what can be read and cannot be taken for anything else.
pub fn check_source(source: &str) -> Result<()> {
    check_name(source, "source")?;
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_.:@/ ".contains(character);
    if !source.chars().all(plain) {
        let detail =
            "source: The name of a bridge can only have letters from a to z, digits, spaces and -_.:@/.";
        return Err(Error::invalid("bad_source", detail));
    }
    let letters: String = source.chars().filter(char::is_ascii_alphanumeric).collect();
    if letters.is_empty() || RESERVED.contains(&letters.to_ascii_lowercase().as_str()) {
        let detail =
            format!("source: `{source}` is reserved. Give the bridge a name of its own, such as telegram.");
        return Err(Error::invalid("source_reserved", detail));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bridge_has_a_name_of_its_own() {
        for good in ["telegram", "Signal 2", "mail.example.org", "whatsapp_bot", "x"] {
            assert!(check_source(good).is_ok(), "{good}");
        }
        for bad in RESERVED {
            assert!(check_source(bad).is_err(), "{bad}");
            assert!(check_source(&bad.to_uppercase()).is_err(), "{bad}");
        }
        for bad in
            ["", " x", "a-gent", "C.R.O.N", "@owner", "..", "\u{430}gent", "telegram\n", "tele\u{200b}gram"]
        {
            assert!(check_source(bad).is_err(), "{bad:?}");
        }
    }
}
