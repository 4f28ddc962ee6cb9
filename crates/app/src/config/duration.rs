//! Times as people write them: `90s`, `15m`, `24h`, `30d`, `2w`, `1h30m`.

use std::time::Duration;

/// `None` for what is no such time, or too long to count.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let mut seconds = 0_u64;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let (number, tail) = rest.split_at_checked(digits)?;
        let unit = tail.chars().next()?;
        let each = match unit {
            's' => 1,
            'm' => 60,
            'h' => 60 * 60,
            'd' => 24 * 60 * 60,
            'w' => 7 * 24 * 60 * 60,
            _ => return None,
        };
        seconds = seconds.checked_add(number.parse::<u64>().ok()?.checked_mul(each)?)?;
        rest = tail.strip_prefix(unit)?;
    }
    (!text.trim().is_empty()).then(|| Duration::from_secs(seconds))
}

/// The way back: in the largest units that fit, `1d` rather than `86400s`.
pub fn shown_duration(time: Duration) -> String {
    let seconds = time.as_secs();
    let units = [('w', 7 * 24 * 60 * 60), ('d', 24 * 60 * 60), ('h', 60 * 60), ('m', 60)];
    let fits = |(_, each): &(char, u64)| seconds > 0 && seconds.is_multiple_of(*each);
    let (unit, each) = units.into_iter().find(fits).unwrap_or(('s', 1));
    format!("{}{unit}", seconds.checked_div(each).unwrap_or_default())
}

#[cfg(test)]
#[path = "duration_tests.rs"]
mod tests;
