//! The file of a backup, read: its manifest, its parts, whether it is as it was written.

use super::{Progress, Stage, checksum::hex};
use crate::{Error, Result};
use domain::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::{
    fs::File,
    io::{self, BufReader, Read as _, Seek as _, SeekFrom, Take},
    path::{Path, PathBuf},
};

pub(crate) const HEAD: &[u8] = b"majordomo backup 1\n";
pub(crate) const END: &[u8; 8] = b"mjd-end\n";
/// Where the manifest begins, its SHA-256, and the last bytes.
pub(crate) const FOOT: usize = 8 + 32 + 8;
const LONGEST_MANIFEST: u64 = 16 << 20;
const BUFFER: usize = 256 << 10;

/// What a backup says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The format of the file.
    pub format: u32,
    pub made_at: Timestamp,
    /// The program that made it.
    pub program: String,
    /// `sqlite` or `postgres`.
    pub kind: String,
    /// The schema: every version that had been applied.
    pub versions: Vec<u64>,
    pub rows: u64,
    pub parts: Vec<Part>,
    /// One number for all that is in it, whatever the order of rows and the kind of database.
    pub checksum: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    pub table: String,
    /// Where it begins in the file.
    pub offset: u64,
    pub bytes: u64,
    pub rows: u64,
    /// Of these bytes.
    pub sha256: String,
    /// Of its rows, whatever their order.
    pub sum: String,
}

impl Manifest {
    pub fn schema_version(&self) -> u64 {
        self.versions.iter().copied().max().unwrap_or_default()
    }
}

/// The manifest of a backup, checked; the parts are not looked at.
pub fn manifest(path: &Path) -> Result<Manifest> {
    Ok(Archive::open(path)?.manifest)
}

/// A backup whose manifest is sound.
pub(crate) struct Archive {
    file: File,
    path: PathBuf,
    pub manifest: Manifest,
}

impl Archive {
    pub fn open(path: &Path) -> Result<Self> {
        let mut file = File::open(path).map_err(|error| unreadable(path, &error))?;
        let read = read_manifest(&mut file).map_err(|error| unreadable(path, &error))?;
        let manifest = read.map_err(|problem| damaged(path, problem))?;
        Ok(Self { file, path: path.to_owned(), manifest })
    }

    /// Reads every part once and compares it with what the manifest says.
    pub fn check_parts(&mut self, progress: &Progress) -> Result<()> {
        progress.begin(Stage::Checking, self.manifest.parts.iter().map(|part| part.bytes).sum());
        for index in 0..self.manifest.parts.len() {
            let Some(part) = self.manifest.parts.get(index).cloned() else { continue };
            if self.digest(&part, progress)? != part.sha256 {
                return Err(self.damaged_part(&part));
            }
        }
        Ok(())
    }

    fn digest(&mut self, part: &Part, progress: &Progress) -> Result<String> {
        let path = self.path.clone();
        let mut reader = self.part(part)?;
        let mut hasher = Sha256::new();
        let mut buffer = vec![0_u8; BUFFER];
        loop {
            let read = reader.read(&mut buffer).map_err(|error| unreadable(&path, &error))?;
            if read == 0 {
                return Ok(hex(&hasher.finalize()));
            }
            hasher.update(buffer.get(..read).unwrap_or_default());
            progress.advance(u64::try_from(read).unwrap_or_default())?;
        }
    }

    /// The bytes of one part.
    pub fn part(&mut self, part: &Part) -> Result<BufReader<Take<&File>>> {
        let found = self.file.seek(SeekFrom::Start(part.offset));
        found.map_err(|error| unreadable(&self.path, &error))?;
        Ok(BufReader::with_capacity(BUFFER, (&self.file).take(part.bytes)))
    }

    pub fn damaged_part(&self, part: &Part) -> Error {
        damaged(&self.path, &format!("the part of the table {} was changed after it was written", part.table))
    }

    pub fn damaged(&self, problem: &str) -> Error {
        damaged(&self.path, problem)
    }
}

/// The manifest, or what is wrong with the file.
fn read_manifest(file: &mut File) -> io::Result<Result<Manifest, &'static str>> {
    const MANIFEST: &str = "its manifest was changed after it was written";
    let length = file.metadata()?.len();
    let mut head = vec![0_u8; HEAD.len()];
    let foot_size = u64::try_from(FOOT).unwrap_or_default();
    let least = foot_size.saturating_add(u64::try_from(HEAD.len()).unwrap_or_default());
    if length < least {
        return Ok(Err("it is too short"));
    }
    file.read_exact(&mut head)?;
    if head != HEAD {
        return Ok(Err("it is not a backup of this program"));
    }
    let mut foot = [0_u8; FOOT];
    file.seek(SeekFrom::Start(length.saturating_sub(foot_size)))?;
    file.read_exact(&mut foot)?;
    let (Some(start), Some(sha256), Some(end)) =
        (foot.first_chunk::<8>(), foot.get(8..40), foot.last_chunk::<8>())
    else {
        return Ok(Err(MANIFEST));
    };
    if end != END {
        return Ok(Err("its end is missing: it was cut off, or it is not a backup of this program"));
    }
    let start = u64::from_le_bytes(*start);
    let size = length.saturating_sub(foot_size).checked_sub(start).filter(|size| *size <= LONGEST_MANIFEST);
    let Some(size) = size else { return Ok(Err(MANIFEST)) };
    file.seek(SeekFrom::Start(start))?;
    let mut text = Vec::new();
    (&*file).take(size).read_to_end(&mut text)?;
    if Sha256::digest(&text).as_slice() != sha256 {
        return Ok(Err(MANIFEST));
    }
    Ok(serde_json::from_slice(&text).map_err(|_| MANIFEST).and_then(|manifest| sound(manifest, start)))
}

/// The parts must lie one after the other between the first line and the manifest.
fn sound(manifest: Manifest, start: u64) -> Result<Manifest, &'static str> {
    if manifest.format != 1 {
        return Err("it was made by a newer version of majordomo");
    }
    let mut place = u64::try_from(HEAD.len()).unwrap_or_default();
    for part in &manifest.parts {
        if part.offset != place {
            return Err("its parts are in the wrong order");
        }
        place = place.saturating_add(part.bytes);
    }
    if place == start { Ok(manifest) } else { Err("there is something between its parts") }
}

fn unreadable(path: &Path, error: &io::Error) -> Error {
    Error::Backup(format!("The backup {} cannot be read: {error}.", path.display()))
}

fn damaged(path: &Path, problem: &str) -> Error {
    Error::Backup(format!("The backup {} is damaged: {problem}.", path.display()))
}
