//! What can be set, from a file, from the environment and from defaults. Nothing is required.
//!
//! `raw` reads what was written and remembers where; each section has a file of its own that knows its keys and turns
//! words into values. Everything that is wrong is an error that names the key and where it stands.

mod backup;
mod connections;
mod defaults;
mod duration;
mod egress;
mod file;
mod limits;
mod log;
mod price;
mod provider;
mod raw;
mod schedules;
mod search;
mod server;
mod setting;
mod spelling;
mod store;
mod telemetry;
mod variables;

pub use self::{
    backup::Backup,
    connections::Connections,
    defaults::Defaults,
    duration::parse_duration,
    egress::Egress,
    limits::Limits,
    log::{Log, LogFormat},
    provider::Providers,
    schedules::ScheduleLimits,
    search::Search,
    server::Server,
    setting::{MASKED, Origin, ShownSetting},
    store::{Database, Store},
    telemetry::Telemetry,
};

use self::raw::Raw;
use crate::error::{Result, advised};
use std::path::{Path, PathBuf};

/// Reads a variable of the environment.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

#[derive(Clone, Debug)]
pub struct Config {
    /// The file that was read, if there is one.
    pub file: Option<PathBuf>,
    pub server: Server,
    pub connections: Connections,
    pub store: Store,
    pub providers: Providers,
    pub defaults: Defaults,
    pub limits: Limits,
    pub schedules: ScheduleLimits,
    pub backup: Backup,
    pub log: Log,
    pub telemetry: Telemetry,
    pub search: Search,
    pub egress: Egress,
}

/// The environment as it is; names and values that are not text are passed over.
pub fn environment() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

impl Config {
    /// `given` is the file a person named; without it `usual` is read if it exists.
    pub fn load(given: Option<&Path>, usual: &Path, environment: &[(String, String)]) -> Result<Self> {
        let file = match given {
            Some(path) => Some((path.to_owned(), read(path)?)),
            None if usual.exists() => Some((usual.to_owned(), read(usual)?)),
            None => None,
        };
        Self::parse(file, environment)
    }

    pub fn parse(file: Option<(PathBuf, String)>, environment: &[(String, String)]) -> Result<Self> {
        let mut raw = Raw::default();
        if let Some((path, text)) = &file {
            file::read(&mut raw, path, text)?;
        }
        variables::read(&mut raw, environment)?;
        let lookup =
            |name: &str| environment.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        Ok(Self {
            server: Server::read(&mut raw)?,
            connections: Connections::read(&mut raw)?,
            store: Store::read(&mut raw, &lookup)?,
            providers: Providers::read(&mut raw, &lookup)?,
            defaults: Defaults::read(&mut raw)?,
            limits: Limits::read(&mut raw)?,
            schedules: ScheduleLimits::read(&mut raw)?,
            backup: Backup::read(&mut raw)?,
            log: Log::read(&mut raw)?,
            telemetry: Telemetry::read(&mut raw)?,
            search: Search::read(&mut raw, &lookup)?,
            egress: Egress::read(&mut raw)?,
            file: file.map(|(path, _)| path),
        })
    }

    /// Every setting with its value, secrets masked, and its source.
    pub fn shown(&self) -> Vec<ShownSetting> {
        let sections = [
            self.server.shown(),
            self.connections.shown(),
            self.store.shown(),
            self.providers.shown(),
            self.defaults.shown(),
            self.limits.shown(),
            self.schedules.shown(),
            self.backup.shown(),
            self.log.shown(),
            self.telemetry.shown(),
            self.search.shown(),
            self.egress.shown(),
        ];
        sections.into_iter().flatten().collect()
    }
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|error| {
        advised(
            format!("The settings file {} cannot be read: {error}.", path.display()),
            "Name a file that you can read with --config FILE, or leave it out. No setting is required.",
        )
    })
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
