//! How long a provider asks us to wait.

use chrono::DateTime;
use reqwest::header::HeaderMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A request waits no longer than this, whatever a header says.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// `retry-after-ms`, or `Retry-After` in seconds or as an HTTP date.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let from_millis = text("retry-after-ms").and_then(seconds).map(|wait| wait / 1_000);
    let wait =
        from_millis.or_else(|| text("retry-after").and_then(|v| seconds(v).or_else(|| until(v, now))))?;
    Some(wait.min(LONGEST))
}

fn seconds(text: &str) -> Option<Duration> {
    let number: f64 = text.parse().ok()?;
    // A number too large for a duration still says "wait long".
    (number >= 0.0)
        .then(|| Duration::try_from_secs_f64(number).unwrap_or(Duration::from_secs(u64::from(u32::MAX))))
}

fn until(text: &str, now: SystemTime) -> Option<Duration> {
    let date = DateTime::parse_from_rfc2822(text).ok()?;
    let then = u64::try_from(date.timestamp()).ok()?;
    let now = now.duration_since(UNIX_EPOCH).ok()?;
    Some(Duration::from_secs(then).saturating_sub(now))
}

#[cfg(test)]
#[path = "retry_after_tests.rs"]
mod tests;
