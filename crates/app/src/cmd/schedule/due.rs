//! When a schedule comes, as a person writes it and is told it.

use crate::{
    cli::WhenArguments,
    error::{Result, advised},
    time_zone,
};
use chrono::{DateTime, LocalResult, NaiveDateTime, NaiveTime, TimeDelta, TimeZone as _};
use chrono_tz::Tz;
use domain::{Timestamp, When};

const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
/// No clock is put forward by more than this.
const LONGEST_GAP_MINUTES: i64 = 2 * 24 * 60;

/// What was asked for, for a person who lives in `home`.
pub fn read_when(given: &WhenArguments, home: &str) -> Result<When> {
    let zone = given.zone.clone();
    if let Some(zone) = zone.as_deref().filter(|zone| !time_zone::is_zone(zone)) {
        return Err(advised(
            format!("There is no time zone called `{zone}`."),
            "Use an IANA name, for instance Europe/Athens.",
        ));
    }
    if let Some(pattern) = &given.cron {
        return Ok(When::Cron { pattern: pattern.clone(), zone });
    }
    if let Some(at) = &given.at {
        let time = NaiveTime::parse_from_str(at, "%H:%M").map_err(|_| {
            advised(
                format!("`{at}` is not a time of the day."),
                "Write it with hours and minutes, for instance --at 08:00.",
            )
        })?;
        let days = given.on.as_deref().map_or_else(|| Ok("*".to_owned()), days)?;
        let pattern = time.format(&format!("%-M %-H * * {days}")).to_string();
        return Ok(When::Cron { pattern, zone });
    }
    if let Some(every) = &given.every {
        let seconds = seconds(every)?;
        let anchor = Timestamp::from_millis(chrono::Utc::now().timestamp_millis());
        return Ok(When::Every { seconds, anchor });
    }
    let once = given.once.as_deref().unwrap_or_default();
    let zone = zone.unwrap_or_else(|| home.to_owned());
    Ok(When::Once { at: moment(once, zone.parse().unwrap_or(Tz::UTC))? })
}

/// The days of the week, as a pattern of cron has them.
fn days(words: &str) -> Result<String> {
    match words.to_lowercase().as_str() {
        "weekdays" => Ok("1-5".to_owned()),
        "weekend" => Ok("0,6".to_owned()),
        several => {
            let day = |word: &str| {
                let word = word.trim();
                let short = word.get(..3).filter(|_| word.len() >= 3);
                DAYS.iter().position(|day| Some(*day) == short).map(|day| day.to_string()).ok_or_else(|| {
                    advised(
                        format!("`{word}` is not a day of the week."),
                        "Write weekdays, weekend, or days such as mon,thu.",
                    )
                })
            };
            Ok(several.split(',').map(day).collect::<Result<Vec<_>>>()?.join(","))
        }
    }
}

fn seconds(words: &str) -> Result<u64> {
    let split = words.find(|c: char| !c.is_ascii_digit()).unwrap_or(words.len());
    let (count, unit) = words.split_at(split);
    let length = match unit.trim() {
        "m" | "min" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => 0,
    };
    let seconds = count.parse::<u64>().ok().and_then(|count| count.checked_mul(length));
    seconds.filter(|seconds| *seconds > 0).ok_or_else(|| {
        advised(
            format!("`{words}` is not a duration."),
            "Write for instance --every 30m, --every 6h or --every 2d.",
        )
    })
}

/// With an offset it is what it says; without one it is what the clock of that place shows.
fn moment(words: &str, zone: Tz) -> Result<Timestamp> {
    if let Ok(at) = DateTime::parse_from_rfc3339(words) {
        return Ok(Timestamp::from_millis(at.timestamp_millis()));
    }
    let forms = ["%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S"];
    let local = forms.iter().find_map(|form| NaiveDateTime::parse_from_str(words.trim(), form).ok());
    local.and_then(|local| shown_at(local, zone)).ok_or_else(|| {
        advised(
            format!("`{words}` is not a day and time."),
            "Write for instance --once \"2026-12-24 18:00\".",
        )
    })
}

/// The first time at which that clock shows this; right after the gap where it is put forward past it.
fn shown_at(local: NaiveDateTime, zone: Tz) -> Option<Timestamp> {
    (0..=LONGEST_GAP_MINUTES).find_map(|minutes| {
        let later = local.checked_add_signed(TimeDelta::minutes(minutes))?;
        match zone.from_local_datetime(&later) {
            LocalResult::Single(at) | LocalResult::Ambiguous(at, _) => {
                Some(Timestamp::from_millis(at.timestamp_millis()))
            }
            LocalResult::None => None,
        }
    })
}

/// A point in time of an answer by the clock of that place; what is none stays as it is.
pub fn due_words(at: &str, home: &str) -> String {
    serde_json::from_value(at.into()).map_or_else(|_| at.to_owned(), |at| local_moment(at, home))
}

fn local_moment(at: Timestamp, home: &str) -> String {
    let zone: Tz = home.parse().unwrap_or(Tz::UTC);
    let local = at.to_utc().with_timezone(&zone);
    format!("{} ({})", local.format("%a %-d %b %Y %H:%M"), zone.name())
}

#[cfg(test)]
#[path = "due_tests.rs"]
mod tests;
