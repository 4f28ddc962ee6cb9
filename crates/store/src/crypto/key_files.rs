//! The files of the master key: the current one, while it is being changed the next one, and those that are
//! retired but still open the backups that were made under them.

use crate::{
    Error, KeyRing, MasterKey, Result,
    backup::hex,
    durable_files::{folder_of, sync_folder_of},
};
use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

const NEXT: &str = ".next";
const RETIRED: &str = ".retired-";

/// `master.key`, `master.key.next` and `master.key.retired-…`.
#[derive(Clone, Debug)]
pub struct KeyFiles {
    current: PathBuf,
}

impl KeyFiles {
    pub fn new(current: impl Into<PathBuf>) -> Self {
        Self { current: current.into() }
    }

    pub fn current(&self) -> &Path {
        &self.current
    }

    pub fn next(&self) -> PathBuf {
        self.beside(NEXT)
    }

    fn beside(&self, suffix: &str) -> PathBuf {
        let mut name = self.current.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    }

    /// Every key there is, the current one first.
    pub fn load(&self) -> Result<KeyRing> {
        let mut paths = vec![self.current.clone(), self.next()];
        paths.extend(self.retired()?);
        let keys = paths.iter().filter_map(|path| MasterKey::load(path).transpose());
        Ok(KeyRing::from(keys.collect::<Result<Vec<MasterKey>>>()?))
    }

    /// The files of retired keys.
    pub fn retired(&self) -> Result<Vec<PathBuf>> {
        let mut start: OsString = self.current.file_name().unwrap_or_default().to_owned();
        start.push(RETIRED);
        let entries = match fs::read_dir(folder_of(&self.current)) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(self.failed(&error)),
        };
        let is_retired = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().as_encoded_bytes();
            name.starts_with(start.as_encoded_bytes())
        };
        let mut found: Vec<PathBuf> =
            entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_retired).collect();
        found.sort();
        Ok(found)
    }

    /// The key that is to come: the one of a change that was begun, or a new one. Durable when this returns.
    pub fn begin(&self) -> Result<MasterKey> {
        match MasterKey::load(&self.next())? {
            Some(key) => Ok(key),
            None => MasterKey::create(&self.next()),
        }
    }

    /// Keeps the key that is to come and was made elsewhere. Durable when this returns; may be done again.
    pub fn accept(&self, key: &MasterKey) -> Result<()> {
        let check = key.check_value()?;
        for path in [self.next(), self.current.clone()] {
            if let Some(known) = MasterKey::load(&path)?
                && known.check_value()? == check
            {
                return Ok(());
            }
        }
        key.save(&self.next())
    }

    /// Keeps the current key under a name of its own, so that it is never lost. May be done again.
    pub fn retire(&self) -> Result<()> {
        let Some(key) = MasterKey::load(&self.current)? else { return Ok(()) };
        // Named after the key and not after its version: a database that was restored counts anew.
        let name = hex(key.check_value()?.get(..4).unwrap_or_default());
        match fs::hard_link(&self.current, self.beside(&format!("{RETIRED}{name}"))) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(self.failed(&error)),
            _ => sync_folder_of(&self.current).map_err(|error| self.failed(&error)),
        }
    }

    /// Puts the next key in the place of the current one, which must have been retired.
    pub fn promote(&self) -> Result<()> {
        fs::rename(self.next(), &self.current)
            .and_then(|()| sync_folder_of(&self.current))
            .map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &io::Error) -> Error {
        Error::KeyFile(format!(
            "The file of the master key {} cannot be changed: {error}.",
            self.current.display()
        ))
    }
}

#[cfg(test)]
#[path = "key_files_tests.rs"]
mod tests;
