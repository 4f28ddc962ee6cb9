//! The master key: 32 bytes that live outside the database, in a file of mode 0600 or in the environment.

use crate::{
    Error, Result,
    crypto::seal::{Secret, random_secret},
    durable_files::sync_folder_of,
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use hkdf::Hkdf;
use sha2::Sha256;
use std::{
    fmt, fs,
    io::{self, Read as _, Write as _},
    os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};
use zeroize::Zeroizing;

/// Longer than every spelling of a key, short enough to read whatever file is named by mistake.
const LONGEST_FILE: u64 = 1_024;

/// The key from which all others come.
#[derive(Clone)]
pub struct MasterKey(Secret);

impl fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MasterKey")
    }
}

impl MasterKey {
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(Secret::new(bytes))
    }

    pub fn random() -> Result<Self> {
        random_secret().map(Self)
    }

    /// Reads 64 hexadecimal digits, or 32 bytes in base64.
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.trim();
        let bytes = from_hex(text).or_else(|| BASE64_STANDARD.decode(text).ok()).map(Zeroizing::new);
        let bytes = bytes.and_then(|bytes| <[u8; 32]>::try_from(bytes.as_slice()).ok());
        bytes.map(Self::from_bytes).ok_or_else(|| {
            Error::KeyFile("A master key must be 64 hexadecimal digits, or 32 bytes in base64.".to_owned())
        })
    }

    /// The key in the file; a new one in a new file if there is none **and** the database is fresh. A new
    /// key for an old database would lock its owner out for good.
    pub fn load_or_create(path: &Path, database_is_fresh: bool) -> Result<Self> {
        match Self::load(path)? {
            Some(key) => Ok(key),
            None if database_is_fresh => Self::create(path),
            None => Err(Error::KeyFile(format!(
                "The master key {} is missing, but the database is not empty. \
                 Put the key back; no backup contains it.",
                path.display()
            ))),
        }
    }

    /// The key in the file, `None` when there is no file.
    pub fn load(path: &Path) -> Result<Option<Self>> {
        let failed = |error: io::Error| unreadable(path, &error);
        let file = match fs::File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        let mode = file.metadata().map_err(failed)?.permissions().mode();
        if mode & 0o077 != 0 {
            return Err(Error::KeyFile(format!(
                "The master key {0} can be read by others (mode {1:o}). Run: chmod 600 {0}",
                path.display(),
                mode & 0o777
            )));
        }
        let mut text = Zeroizing::new(String::new());
        file.take(LONGEST_FILE).read_to_string(&mut text).map_err(failed)?;
        Self::parse(&text).map(Some).map_err(|error| Error::KeyFile(format!("{}: {error}", path.display())))
    }

    /// A new key in a new file.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let key = Self::random()?;
        key.save(path)?;
        Ok(key)
    }

    /// Written beside its place, synced, then moved there: a crash leaves a whole key or none.
    pub(crate) fn save(&self, path: &Path) -> Result<()> {
        let failed = |error: io::Error| {
            Error::KeyFile(format!("The master key {} cannot be created: {error}.", path.display()))
        };
        let mut draft = path.as_os_str().to_owned();
        draft.push(".new");
        let draft = PathBuf::from(draft);
        // A draft of a start that was killed: nothing was ever sealed with it.
        match fs::remove_file(&draft) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let mut file =
            fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft).map_err(failed)?;
        let text = Zeroizing::new(format!("{}\n", to_hex(&self.0).as_str()));
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
        fs::rename(&draft, path).and_then(|()| sync_folder_of(path)).map_err(failed)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.0.as_slice()
    }

    #[cfg(test)]
    pub(crate) fn secret(&self) -> &Secret {
        &self.0
    }

    /// The key that wraps other keys.
    pub(crate) fn wrapping_key(&self) -> Result<Secret> {
        self.derive("key encryption, version 1")
    }

    /// The key of the house in databases that were made before it was a key of its own.
    pub(crate) fn first_house_key(&self) -> Result<Secret> {
        self.derive("house rows, version 1")
    }

    /// The key of digests in databases that were made before it was a key of its own.
    pub(crate) fn first_digest_key(&self) -> Result<Secret> {
        self.derive("digests")
    }

    /// Tells one master key from another without telling anything of it.
    pub(crate) fn check_value(&self) -> Result<[u8; 32]> {
        self.derive("key check").map(|check| *check)
    }

    fn derive(&self, purpose: &str) -> Result<Secret> {
        let mut key = Secret::default();
        Hkdf::<Sha256>::new(Some(b"majordomo"), self.0.as_slice())
            .expand(purpose.as_bytes(), key.as_mut_slice())
            .map_err(|_| Error::Corrupt("a derived key's length".to_owned()))?;
        Ok(key)
    }
}

fn unreadable(path: &Path, error: &io::Error) -> Error {
    Error::KeyFile(format!("The master key {} cannot be read: {error}.", path.display()))
}

fn to_hex(secret: &Secret) -> Zeroizing<String> {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
    Zeroizing::new(secret.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect())
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| match pair {
            [high, low] => Some(digit(high)? << 4 | digit(low)?),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
#[path = "master_key_tests.rs"]
mod tests;
