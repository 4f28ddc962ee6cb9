//! Names that mean this machine or the network at home, whatever they resolve to today.

/// Suffixes that no server on the internet has.
const HOME: [&str; 17] = [
    "localhost",
    "localdomain",
    "local",
    "internal",
    "intranet",
    "private",
    "corp",
    "home",
    "lan",
    "home.arpa",
    "in-addr.arpa",
    "ip6.arpa",
    "onion",
    "invalid",
    "test",
    "example",
    "alt",
];

/// The form in which names are compared: lower case, without the dot of the root.
#[must_use]
pub(crate) fn canonical(host: &str) -> String {
    host.trim_end_matches('.').to_ascii_lowercase()
}

/// `host` is in canonical form.
pub(crate) fn is_at_home(host: &str) -> bool {
    let ends =
        |suffix: &&str| host.strip_suffix(*suffix).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    !host.contains('.') || HOME.iter().any(ends)
}

#[cfg(test)]
#[path = "name_tests.rs"]
mod tests;
