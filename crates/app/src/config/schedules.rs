//! `[schedules]`: how many things agents do at their times.

use super::{
    raw::{Raw, wrong},
    setting::{Setting, ShownSetting},
};
use crate::error::Result;
use engine::ScheduleSettings;

pub const SECTION: &str = "schedules";
pub const KEYS: &[&str] = &["at_once", "per_person"];

/// More turns at once than these would leave none of a small machine to the people who talk.
const MOST_AT_ONCE: u64 = 100;
const MOST_PER_PERSON: u64 = 10_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleLimits {
    /// Turns of schedules that one server runs at once; what is due beyond waits.
    pub at_once: Setting<u64>,
    /// ScheduleLimits of one person that still come.
    pub per_person: Setting<u64>,
}

impl ScheduleLimits {
    pub(super) fn read(raw: &mut Raw) -> Result<Self> {
        let usual = ScheduleSettings::default();
        Ok(Self {
            at_once: number(raw, "at_once", usual.at_once, MOST_AT_ONCE)?,
            per_person: number(raw, "per_person", usual.per_person, MOST_PER_PERSON)?,
        })
    }

    pub fn settings(&self) -> ScheduleSettings {
        ScheduleSettings { at_once: self.at_once.value, per_person: self.per_person.value }
    }

    pub(super) fn shown(&self) -> Vec<ShownSetting> {
        vec![
            self.at_once.shown("schedules.at_once", self.at_once.value.to_string()),
            self.per_person.shown("schedules.per_person", self.per_person.value.to_string()),
        ]
    }
}

fn number(raw: &mut Raw, key: &str, usual: u64, most: u64) -> Result<Setting<u64>> {
    let Some(Setting { value, origin }) = raw.integer(SECTION, key)? else {
        return Ok(Setting::default(usual));
    };
    match u64::try_from(value).ok().filter(|value| (1..=most).contains(value)) {
        Some(value) => Ok(Setting { value, origin }),
        None => Err(wrong(&origin, SECTION, key, &format!("must be 1 to {most}, not {value}"))),
    }
}
