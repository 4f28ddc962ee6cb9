//! `[backup]`: how often, where to, and what becomes of old ones.

use super::{
    duration::{parse_duration, shown_duration},
    raw::{Raw, wrong},
    setting::{Setting, ShownSetting},
};
use crate::{data::DataDirectory, error::Result};
use engine::BackupSettings;
use std::{path::PathBuf, time::Duration};

pub const SECTION: &str = "backup";
pub const KEYS: &[&str] = &["every", "folder", "keep", "before_migration"];

const USUAL_EVERY: Duration = Duration::from_secs(24 * 60 * 60);
const USUAL_FOLDER: &str = "backups";
/// More often than this is a mistake of units.
const SHORTEST: Duration = Duration::from_secs(60);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backup {
    /// None means that no backup is made by itself.
    pub every: Setting<Option<Duration>>,
    folder: Setting<PathBuf>,
    /// Are old backups thinned out, or are all kept?
    pub thin_out: Setting<bool>,
    /// Is a backup made before the database's schema changes?
    pub before_migration: Setting<bool>,
}

impl Backup {
    /// What the engine is told of backups.
    pub fn settings(&self, data: &DataDirectory) -> BackupSettings {
        BackupSettings {
            folder: Some(self.folder(data)),
            every: self.every.value,
            thin_out: self.thin_out.value,
        }
    }

    pub(super) fn read(raw: &mut Raw) -> Result<Self> {
        let every = match raw.text(SECTION, "every")? {
            None => Setting::default(Some(USUAL_EVERY)),
            Some(Setting { value, origin }) if value.trim() == "never" => Setting { value: None, origin },
            Some(Setting { value, origin }) => match parse_duration(&value) {
                Some(every) if every >= SHORTEST => Setting { value: Some(every), origin },
                _ => {
                    let problem =
                        format!("must be `never` or a time of at least 1m such as 6h or 1d, not `{value}`");
                    return Err(wrong(&origin, SECTION, "every", &problem));
                }
            },
        };
        let folder = match raw.text(SECTION, "folder")? {
            None => Setting::default(PathBuf::from(USUAL_FOLDER)),
            Some(Setting { value, origin }) if value.trim().is_empty() => {
                return Err(wrong(&origin, SECTION, "folder", "must not be empty"));
            }
            Some(Setting { value, origin }) => Setting { value: PathBuf::from(value), origin },
        };
        let thin_out = match raw.text(SECTION, "keep")? {
            None => Setting::default(true),
            Some(Setting { value, origin }) => match value.trim() {
                "thinned" => Setting { value: true, origin },
                "all" => Setting { value: false, origin },
                other => {
                    let problem = format!("must be `thinned` or `all`, not `{other}`");
                    return Err(wrong(&origin, SECTION, "keep", &problem));
                }
            },
        };
        let before_migration =
            raw.boolean(SECTION, "before_migration")?.unwrap_or_else(|| Setting::default(true));
        Ok(Self { every, folder, thin_out, before_migration })
    }

    pub fn folder(&self, data: &DataDirectory) -> PathBuf {
        data.file(&self.folder.value)
    }

    pub(super) fn shown(&self) -> Vec<ShownSetting> {
        let every = self.every.value.map_or_else(|| "never".to_owned(), shown_duration);
        vec![
            self.every.shown("backup.every", every),
            self.folder.shown("backup.folder", self.folder.value.display().to_string()),
            self.thin_out.shown("backup.keep", if self.thin_out.value { "thinned" } else { "all" }),
            self.before_migration.shown("backup.before_migration", self.before_migration.value.to_string()),
        ]
    }
}
