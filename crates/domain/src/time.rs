//! Points in time: milliseconds since 1970 inside, RFC 3339 in UTC outside.

use chrono::{DateTime, SecondsFormat, Utc};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{borrow::Cow, fmt};

/// The first moment of the year 10000.
const LAST_MILLIS: i64 = 253_402_300_800_000;

/// A moment, with millisecond precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    pub const fn as_millis(self) -> i64 {
        self.0
    }

    pub const fn plus_millis(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis))
    }

    /// `2026-11-16T14:49:02.123Z`, for the years that have four digits. Every event that is sent has one, so this is written
    /// by hand.
    fn digits(self) -> Option<[u8; 24]> {
        const DAY: i64 = 86_400_000;
        let utc = (0..LAST_MILLIS).contains(&self.0).then_some(self.0)?;
        let (year, month, day) = date(utc / DAY);
        let of_day = utc % DAY;
        let mut text = *b"0000-00-00T00:00:00.000Z";
        let fields = [
            (0..4, year),
            (5..7, month),
            (8..10, day),
            (11..13, of_day / 3_600_000),
            (14..16, of_day / 60_000 % 60),
            (17..19, of_day / 1_000 % 60),
            (20..23, of_day % 1_000),
        ];
        for (place, mut value) in fields {
            for digit in text.get_mut(place)?.iter_mut().rev() {
                *digit = b'0' + u8::try_from(value % 10).ok()?;
                value /= 10;
            }
        }
        Some(text)
    }

    /// The calendar form. Values outside what a calendar can show are clamped, never a panic.
    pub fn to_utc(self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.0).unwrap_or(if self.0 < 0 {
            DateTime::<Utc>::MIN_UTC
        } else {
            DateTime::<Utc>::MAX_UTC
        })
    }
}

/// Year, month and day of a day that is counted from 1970 on (the algorithm of Howard Hinnant's `civil_from_days`).
const fn date(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let of_era = shifted % 146_097;
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + (month <= 2) as i64, month, day)
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.digits() {
            Some(digits) => f.write_str(str::from_utf8(&digits).map_err(|_| fmt::Error)?),
            None => f.write_str(&self.to_utc().to_rfc3339_opts(SecondsFormat::Millis, true)),
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let parsed = DateTime::parse_from_rfc3339(&text).map_err(serde::de::Error::custom)?;
        Ok(Self(parsed.timestamp_millis()))
    }
}

impl JsonSchema for Timestamp {
    fn schema_name() -> Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "format": "date-time",
            "description": "RFC 3339; answers are in UTC with milliseconds",
            "examples": ["2026-11-15T08:00:00.123Z"],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_rfc_3339_with_milliseconds() {
        let at = Timestamp::from_millis(1_794_729_600_123);
        assert_eq!(serde_json::to_string(&at).unwrap(), "\"2026-11-15T08:00:00.123Z\"");
        assert_eq!(serde_json::from_str::<Timestamp>("\"2026-11-15T09:00:00.123+01:00\"").unwrap(), at);
    }

    #[test]
    fn every_day_is_written_as_the_calendar_has_it() {
        let days =
            (0..LAST_MILLIS / 86_400_000).step_by(7).chain([0, 59, 60, 10_957, 11_016, 47_540, 47_541]);
        let days = days.map(|day| day * 86_400_000 + (day * 7_919_077) % 86_400_000);
        let edges =
            [0, 999, 86_399_999, LAST_MILLIS - 1, LAST_MILLIS, -1, 951_782_400_000, 4_107_542_399_999];
        for millis in days.chain(edges) {
            let at = Timestamp::from_millis(millis);
            let expected = at.to_utc().to_rfc3339_opts(SecondsFormat::Millis, true);
            assert_eq!(at.to_string(), expected);
        }
    }

    #[test]
    fn extremes_do_not_panic() {
        let _ = Timestamp::from_millis(i64::MAX).to_string();
        let _ = Timestamp::from_millis(i64::MIN).plus_millis(-1).to_string();
    }
}
