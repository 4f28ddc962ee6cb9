//! `[store]`: where things are remembered, and the key that seals them.

use super::{
    Lookup,
    raw::{Raw, wrong},
    setting::{Origin, Setting, ShownSetting},
};
use crate::{
    data::DataDirectory,
    error::{Result, advised},
};
use secrecy::SecretString;
use std::path::PathBuf;

pub const SECTION: &str = "store";
pub const KEYS: &[&str] = &["url", "master_key_file"];

/// The variable that holds the key itself.
pub const MASTER_KEY: &str = "MAJORDOMO_MASTER_KEY";
const USUAL_URL: &str = "sqlite:majordomo.db";
const USUAL_KEY_FILE: &str = "master.key";

#[derive(Clone, Debug)]
pub struct Store {
    /// As written; may hold a password.
    url: Setting<String>,
    master_key_file: Setting<PathBuf>,
    pub master_key: Option<SecretString>,
}

/// Where the database is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Database {
    Sqlite(PathBuf),
    Postgres(String),
}

impl Store {
    pub(super) fn read(raw: &mut Raw, lookup: Lookup<'_>) -> Result<Self> {
        let url = raw.text(SECTION, "url")?.unwrap_or_else(|| Setting::default(USUAL_URL.to_owned()));
        let is_postgres = ["postgres://", "postgresql://"].iter().any(|start| url.value.starts_with(start));
        let file = sqlite_path(&url.value).filter(|path| !path.is_empty() && !path.starts_with(':'));
        if !is_postgres && file.is_none() {
            let problem = "must be sqlite:FILE or postgres://USER@HOST/DATABASE";
            return Err(wrong(&url.origin, SECTION, "url", problem));
        }
        let master_key_file = match raw.text(SECTION, "master_key_file")? {
            Some(Setting { value, origin }) if value.trim().is_empty() => {
                return Err(wrong(&origin, SECTION, "master_key_file", "must not be empty"));
            }
            Some(Setting { value, origin }) => Setting { value: PathBuf::from(value), origin },
            None => Setting::default(PathBuf::from(USUAL_KEY_FILE)),
        };
        let master_key = lookup(MASTER_KEY).filter(|key| !key.trim().is_empty()).map(SecretString::from);
        if master_key.is_some() && master_key_file.origin != Origin::Default {
            return Err(advised(
                format!(
                    "{}: store.master_key_file and {MASTER_KEY} are both set, but there can only be one master key.",
                    master_key_file.origin
                ),
                "Remove one of the two.",
            ));
        }
        Ok(Self { url, master_key_file, master_key })
    }

    pub fn database(&self, data: &DataDirectory) -> Database {
        match sqlite_path(&self.url.value) {
            // `join` leaves an absolute path as it is.
            Some(path) => Database::Sqlite(data.file(path)),
            None => Database::Postgres(self.url.value.clone()),
        }
    }

    pub fn master_key_file(&self, data: &DataDirectory) -> PathBuf {
        data.file(&self.master_key_file.value)
    }

    pub(super) fn shown(&self) -> Vec<ShownSetting> {
        let key = match &self.master_key {
            Some(_) => ShownSetting {
                name: "store.master_key".to_owned(),
                value: "set".to_owned(),
                origin: Origin::Variable(MASTER_KEY.to_owned()),
            },
            None => self
                .master_key_file
                .shown("store.master_key_file", self.master_key_file.value.display().to_string()),
        };
        vec![self.url.shown("store.url", mask_password(&self.url.value)), key]
    }
}

fn sqlite_path(url: &str) -> Option<&str> {
    let path = url.strip_prefix("sqlite:")?;
    Some(path.strip_prefix("//").unwrap_or(path))
}

/// `postgres://user:•••@host/name`. What follows the question mark may hold a password too.
pub fn mask_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (rest, query) = rest.split_once('?').map_or((rest, ""), |(rest, _)| (rest, "?•••"));
    let masked = match rest.rsplit_once('@') {
        Some((login, host)) => match login.split_once(':') {
            Some((user, _)) => format!("{user}:•••@{host}"),
            None => format!("{login}@{host}"),
        },
        None => rest.to_owned(),
    };
    format!("{scheme}://{masked}{query}")
}
