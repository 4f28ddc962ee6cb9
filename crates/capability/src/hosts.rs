//! Lists of hosts in settings: `example.com` is that host alone, `*.example.com` everything below it.

use crate::Settings;
use serde_json::{Value, json};
use url::Url;

/// The host of an address as lists spell it, if it is an address of the web.
pub(crate) fn host_of(url: &str) -> Option<String> {
    let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let host = url.host_str()?.trim_end_matches('.').to_ascii_lowercase();
    (!host.is_empty()).then_some(host)
}

/// Is it a name, and not an address in digits?
pub(crate) fn is_name(host: &str) -> bool {
    matches!(url::Host::parse(host), Ok(url::Host::Domain(_)))
}

pub(crate) fn lists(patterns: &[String], host: &str) -> bool {
    patterns.iter().any(|pattern| {
        let pattern = pattern.trim_end_matches('.').to_ascii_lowercase();
        match pattern.strip_prefix("*.") {
            Some(above) => host.strip_suffix(above).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.')),
            None => host == pattern,
        }
    })
}

/// Is everything that one pattern lists listed by the others?
pub(crate) fn covers(patterns: &[String], pattern: &str) -> bool {
    let pattern = pattern.trim_end_matches('.').to_ascii_lowercase();
    let same = |known: &String| known.trim_end_matches('.').eq_ignore_ascii_case(&pattern);
    match pattern.strip_prefix("*.") {
        Some(above) => {
            let wide: Vec<String> =
                patterns.iter().filter(|known| known.starts_with("*.")).cloned().collect();
            patterns.iter().any(same) || lists(&wide, above)
        }
        None => lists(patterns, &pattern),
    }
}

/// The list of that name.
pub(crate) fn setting(settings: &Settings, name: &str) -> Vec<String> {
    let listed = settings.get(name).and_then(Value::as_array);
    listed.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

pub(crate) fn schema(description: &str) -> Value {
    json!({
        "type": "array",
        "maxItems": 200,
        "items": { "type": "string", "maxLength": 253, "pattern": r"^(\*\.)?[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$" },
        "description": description
    })
}

#[cfg(test)]
#[path = "hosts_tests.rs"]
mod tests;
