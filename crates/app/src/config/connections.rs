//! `[connections]`: how many may be there at once, and how much each of them.

use super::{
    raw::{Raw, wrong},
    setting::{Setting, ShownSetting},
};
use crate::error::Result;
use server::Capacity;

pub const SECTION: &str = "connections";
pub const KEYS: &[&str] = &[
    "total",
    "strangers",
    "strangers_per_address",
    "requests_per_person",
    "streams_per_person",
    "sockets_per_person",
    "uploads_per_person",
];

const MOST: usize = 1_000_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connections {
    /// Open connections of all people together.
    pub total: Setting<usize>,
    /// Requests at once of those who have not proved who they are: together, and from one address.
    pub strangers: Setting<usize>,
    pub strangers_per_address: Setting<usize>,
    /// What one person may have at once; each login or key of theirs may have half of it.
    pub requests_per_person: Setting<usize>,
    pub streams_per_person: Setting<usize>,
    pub sockets_per_person: Setting<usize>,
    pub uploads_per_person: Setting<usize>,
}

impl Connections {
    pub(super) fn read(raw: &mut Raw) -> Result<Self> {
        let usual = Capacity::default();
        Ok(Self {
            total: number(raw, "total", usual.connections, 16)?,
            strangers: number(raw, "strangers", usual.strangers, 1)?,
            strangers_per_address: number(raw, "strangers_per_address", usual.strangers_per_address, 1)?,
            requests_per_person: number(raw, "requests_per_person", usual.requests_per_person, 2)?,
            streams_per_person: number(raw, "streams_per_person", usual.streams_per_person, 2)?,
            sockets_per_person: number(raw, "sockets_per_person", usual.sockets_per_person, 2)?,
            uploads_per_person: number(raw, "uploads_per_person", usual.uploads_per_person, 2)?,
        })
    }

    pub fn capacity(&self) -> Capacity {
        Capacity {
            connections: self.total.value,
            strangers: self.strangers.value,
            strangers_per_address: self.strangers_per_address.value,
            requests_per_person: self.requests_per_person.value,
            streams_per_person: self.streams_per_person.value,
            sockets_per_person: self.sockets_per_person.value,
            uploads_per_person: self.uploads_per_person.value,
        }
    }

    pub(super) fn shown(&self) -> Vec<ShownSetting> {
        let settings = [
            &self.total,
            &self.strangers,
            &self.strangers_per_address,
            &self.requests_per_person,
            &self.streams_per_person,
            &self.sockets_per_person,
            &self.uploads_per_person,
        ];
        let named = KEYS.iter().zip(settings);
        named
            .map(|(key, setting)| setting.shown(format!("{SECTION}.{key}"), setting.value.to_string()))
            .collect()
    }
}

fn number(raw: &mut Raw, key: &str, usual: usize, least: usize) -> Result<Setting<usize>> {
    let Some(Setting { value, origin }) = raw.integer(SECTION, key)? else {
        return Ok(Setting::default(usual));
    };
    match usize::try_from(value).ok().filter(|value| (least..=MOST).contains(value)) {
        Some(value) => Ok(Setting { value, origin }),
        None => Err(wrong(&origin, SECTION, key, &format!("must be {least} to {MOST}, not {value}"))),
    }
}
