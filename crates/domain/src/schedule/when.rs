//! When something is due: a pattern of cron, one moment, or an interval, and how each is read on the clock of a place.
//!
//! A pattern says times of a wall clock, which is put forward and back. A time that is skipped comes once, right after the gap; one
//! that is shown twice comes once, at the first. Where the minutes or the hours have a `*`, they follow the clock as it is shown.

use crate::Timestamp;
use chrono::{DateTime, LocalResult, NaiveDateTime, TimeZone, Utc};
use chrono_tz::Tz;
use croner::{
    Cron,
    parser::{CronParser, Seconds, Year},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest pattern, in characters.
pub const PATTERN_CHARS: usize = 200;
/// The longest name of a time zone, in characters.
const ZONE_CHARS: usize = 64;
/// How many next times people are shown before they agree to a schedule.
pub const SHOWN_TIMES: usize = 5;
/// Nothing comes more often than this.
pub const LEAST_SECONDS: u64 = 60;
/// Ten years.
const MOST_SECONDS: u64 = 10 * 366 * 86_400;
/// Times are read from 1970 on, and before the year 9999: a clock that says anything else is wrong.
const FIRST: Timestamp = Timestamp::from_millis(0);
const LAST: Timestamp = Timestamp::from_millis(253_370_764_800_000);
/// No clock is put forward by more than this.
const LONGEST_GAP_MINUTES: i64 = 2 * 24 * 60;

/// When a schedule is due.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum When {
    /// At the times of a cron pattern of five fields, or of six with the seconds first.
    Cron {
        #[schemars(length(max = 200), example = &"0 8 * * 1-5")]
        pattern: String,
        /// The IANA time zone whose clock is meant; null: that of the person, also after they have changed it.
        #[serde(default)]
        #[schemars(length(max = 64), example = &"Europe/Athens")]
        zone: Option<String>,
    },
    /// Once. A moment that is over already is due at once.
    Once { at: Timestamp },
    /// Again and again after so many seconds, counted from the anchor on.
    Every {
        #[schemars(range(min = 60))]
        seconds: u64,
        anchor: Timestamp,
    },
}

/// Why a schedule cannot be due at what was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WhenProblem {
    #[error("This is too long for a cron pattern. It may have {PATTERN_CHARS} characters.")]
    TooLong,
    #[error(
        "A cron pattern has five fields, for instance `0 8 * * 1-5` for 8:00 on weekdays, or six with the seconds first."
    )]
    Fields,
    #[error("This is not a cron pattern: {0}")]
    Pattern(String),
    #[error("There is no time zone of this name. Use an IANA name, for instance Europe/Athens.")]
    Zone,
    #[error("This comes too often. At least {LEAST_SECONDS} seconds must be between two times.")]
    TooOften,
    #[error("This comes too seldom. At most ten years may be between two times.")]
    TooSeldom,
    #[error("There is no such time: this never comes.")]
    NeverComes,
    #[error("The year must be between 1970 and 9998.")]
    Year,
}

/// A pattern that was read, with the clock it is for.
struct WallClock {
    cron: Cron,
    zone: Tz,
    /// Its minutes and hours are fixed: they have no `*`.
    fixed: bool,
}

impl When {
    /// Whether it can be due at all, seen from `now`, for a person who lives in `home`.
    pub fn check(&self, now: Timestamp, home: &str) -> Result<(), WhenProblem> {
        match self {
            Self::Cron { pattern, zone } => {
                let clock = WallClock::read(pattern, zone.as_deref(), home)?;
                clock.next(now).map(drop).ok_or(WhenProblem::NeverComes)
            }
            Self::Once { at } => in_calendar(*at),
            Self::Every { seconds, .. } if *seconds < LEAST_SECONDS => Err(WhenProblem::TooOften),
            Self::Every { seconds, .. } if *seconds > MOST_SECONDS => Err(WhenProblem::TooSeldom),
            Self::Every { anchor, .. } => in_calendar(*anchor),
        }
    }

    /// Does it come one time only?
    pub const fn is_once(&self) -> bool {
        matches!(self, Self::Once { .. })
    }

    /// The first time of a schedule that begins now. One moment that is over is due at once.
    pub fn first(&self, now: Timestamp, home: &str) -> Option<Timestamp> {
        match self {
            Self::Once { at } => Some(*at),
            _ => self.next(now, home),
        }
    }

    /// The next time after this one; `None` when none comes.
    pub fn next(&self, after: Timestamp, home: &str) -> Option<Timestamp> {
        match self {
            Self::Cron { pattern, zone } => WallClock::read(pattern, zone.as_deref(), home).ok()?.next(after),
            Self::Once { at } => Some(*at).filter(|at| *at > after),
            Self::Every { seconds, anchor } => next_interval(*seconds, *anchor, after),
        }
    }

    /// The next times after this one, at most `most`, the earliest first.
    pub fn times(&self, after: Timestamp, home: &str, most: usize) -> Vec<Timestamp> {
        let next = |before: &Timestamp| self.next(*before, home);
        std::iter::successors(self.next(after, home), next).take(most).collect()
    }

    /// In words, with the place whose clock is meant.
    pub fn describe(&self, home: &str) -> String {
        match self {
            Self::Cron { pattern, zone } => match WallClock::read(pattern, zone.as_deref(), home) {
                Ok(clock) => {
                    format!("{} ({})", clock.cron.describe().trim_end_matches('.'), clock.zone.name())
                }
                Err(_) => pattern.clone(),
            },
            Self::Once { at } => {
                let zone = zone_of(home).unwrap_or(Tz::UTC);
                let local = at.to_utc().with_timezone(&zone);
                format!("Once, on {} ({})", local.format("%Y-%m-%d at %H:%M"), zone.name())
            }
            Self::Every { seconds, .. } => format!("Every {}", in_words(*seconds)),
        }
    }
}

fn in_calendar(at: Timestamp) -> Result<(), WhenProblem> {
    if (FIRST..LAST).contains(&at) { Ok(()) } else { Err(WhenProblem::Year) }
}

fn zone_of(name: &str) -> Option<Tz> {
    if name.len() > ZONE_CHARS { None } else { name.parse().ok() }
}

fn next_interval(seconds: u64, anchor: Timestamp, after: Timestamp) -> Option<Timestamp> {
    let period = i64::try_from(seconds).ok()?.checked_mul(1_000).filter(|period| *period > 0)?;
    let gone = after.as_millis().checked_sub(anchor.as_millis())?;
    if gone < 0 {
        return Some(anchor);
    }
    let next = (gone / period).checked_add(1)?.checked_mul(period)?.checked_add(anchor.as_millis())?;
    Some(Timestamp::from_millis(next)).filter(|next| *next < LAST)
}

/// `90 seconds`, `15 minutes`, `6 hours`, `1 day`: the largest unit that divides it.
fn in_words(seconds: u64) -> String {
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute")];
    let unit = units.into_iter().find(|(length, _)| seconds.is_multiple_of(*length));
    let (length, name) = unit.unwrap_or((1, "second"));
    let count = seconds / length;
    if count == 1 { name.to_owned() } else { format!("{count} {name}s") }
}

impl WallClock {
    fn read(pattern: &str, zone: Option<&str>, home: &str) -> Result<Self, WhenProblem> {
        if pattern.chars().nth(PATTERN_CHARS).is_some() {
            return Err(WhenProblem::TooLong);
        }
        let fields: Vec<&str> = pattern.split_whitespace().collect();
        let (minutes, hours) = match fields.as_slice() {
            [minutes, hours, _, _, _] | [_, minutes, hours, _, _, _] => (*minutes, *hours),
            _ => return Err(WhenProblem::Fields),
        };
        let parser = CronParser::builder().seconds(Seconds::Optional).year(Year::Disallowed).build();
        let cron = parser.parse(pattern).map_err(|problem| WhenProblem::Pattern(problem.to_string()))?;
        if cron.pattern.seconds.values().len() != 1 {
            return Err(WhenProblem::TooOften);
        }
        let zone = match zone {
            Some(zone) => zone_of(zone).ok_or(WhenProblem::Zone)?,
            None => zone_of(home).unwrap_or(Tz::UTC),
        };
        Ok(Self { cron, zone, fixed: !minutes.contains('*') && !hours.contains('*') })
    }

    fn next(&self, after: Timestamp) -> Option<Timestamp> {
        let after = after.max(Timestamp::from_millis(FIRST.as_millis() - 1));
        let local = if after < LAST {
            self.zone.from_utc_datetime(&after.to_utc().naive_utc())
        } else {
            return None;
        };
        let next = if self.fixed { self.next_fixed(&local, after) } else { self.next_shown(&local, after) };
        next.filter(|next| *next < LAST)
    }

    /// Each time of the wall clock once. The search goes by the wall clock alone, which has no gaps.
    fn next_fixed(&self, local: &DateTime<Tz>, after: Timestamp) -> Option<Timestamp> {
        let mut shown: NaiveDateTime = local.naive_local();
        loop {
            shown = self.cron.find_next_occurrence(&shown, false).ok()?;
            let at = self.first_moment(shown)?;
            if at > after {
                return Some(at);
            }
        }
    }

    /// As often as the clock shows such a time.
    fn next_shown(&self, local: &DateTime<Tz>, after: Timestamp) -> Option<Timestamp> {
        let next = self.cron.find_next_occurrence(local, false).ok()?;
        Some(moment(&next)).filter(|next| *next > after)
    }

    /// When the clock shows this for the first time, or, where it never does, the first moment after the gap.
    fn first_moment(&self, shown: NaiveDateTime) -> Option<Timestamp> {
        let minute = shown.and_utc().timestamp().div_euclid(60);
        for later in 0..LONGEST_GAP_MINUTES {
            let try_at = match later {
                0 => shown,
                _ => DateTime::<Utc>::from_timestamp(minute.checked_add(later)?.checked_mul(60)?, 0)?
                    .naive_utc(),
            };
            match self.zone.from_local_datetime(&try_at) {
                LocalResult::Single(at) | LocalResult::Ambiguous(at, _) => return Some(moment(&at)),
                LocalResult::None => {}
            }
        }
        None
    }
}

fn moment(at: &DateTime<Tz>) -> Timestamp {
    Timestamp::from_millis(at.timestamp_millis())
}

#[cfg(test)]
#[path = "when_tests.rs"]
mod tests;
