//! The entries of a ZIP file, as far as documents need them: found by the list at its end, unpacked one by one and counted.
//!
//! An entry is only ever read by its name, and what it unpacks to is counted while it comes: neither the sizes nor the
//! checksums that stand in the file are believed. Entries that lie over each other cost their bytes each time they are read.

use crate::{Unreadable, limits::Remaining, text};
use std::{borrow::Cow, collections::HashMap};

const END: &[u8] = b"PK\x05\x06";
const LISTED: &[u8] = b"PK\x01\x02";
const LOCAL: &[u8] = b"PK\x03\x04";
/// The end of the list and the longest comment behind it.
const TAIL: usize = 22 + 65_535;
/// A document with more entries is none.
const MOST_ENTRIES: usize = 20_000;

pub(crate) struct ZipFile<'a> {
    bytes: &'a [u8],
    entries: HashMap<Cow<'a, str>, ZipEntry>,
}

#[derive(Clone, Copy)]
struct ZipEntry {
    offset: usize,
    packed: usize,
    method: u16,
    locked: bool,
}

/// Why an entry was not unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryError {
    Missing,
    Broken,
    Locked,
    TooMuch,
}

impl EntryError {
    pub(crate) fn of(self, kind: crate::DocumentKind) -> Unreadable {
        match self {
            Self::Missing | Self::Broken => Unreadable::Broken(kind),
            Self::Locked => Unreadable::Locked(kind),
            Self::TooMuch => Unreadable::TooMuch(kind),
        }
    }
}

impl<'a> ZipFile<'a> {
    pub(crate) fn open(bytes: &'a [u8]) -> Option<Self> {
        let from = bytes.len().saturating_sub(TAIL);
        let tail = bytes.get(from..)?;
        let end = from + tail.windows(4).rposition(|window| window == END)?;
        let mut at = u32_at(bytes, end + 16)? as usize;
        let mut entries = HashMap::new();
        while bytes.get(at..at + 4) == Some(LISTED) {
            if entries.len() >= MOST_ENTRIES {
                return None;
            }
            let length = u16_at(bytes, at + 28)? as usize;
            let name = String::from_utf8_lossy(bytes.get(at + 46..at + 46 + length)?);
            let listed = ZipEntry {
                offset: u32_at(bytes, at + 42)? as usize,
                packed: u32_at(bytes, at + 20)? as usize,
                method: u16_at(bytes, at + 10)?,
                locked: u16_at(bytes, at + 8)? & 1 == 1,
            };
            entries.entry(name).or_insert(listed);
            at += 46 + length + u16_at(bytes, at + 30)? as usize + u16_at(bytes, at + 32)? as usize;
        }
        (!entries.is_empty()).then_some(Self { bytes, entries })
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(AsRef::as_ref)
    }

    fn packed(&self, listed: ZipEntry) -> Option<&'a [u8]> {
        let at = listed.offset;
        let header = self.bytes.get(at..at.checked_add(30)?)?;
        if !header.starts_with(LOCAL) {
            return None;
        }
        let start = at + 30 + u16_at(header, 26)? as usize + u16_at(header, 28)? as usize;
        self.bytes.get(start..start.checked_add(listed.packed)?)
    }

    /// An entry that is not packed, such as the type of an OpenDocument file.
    pub(crate) fn stored(&self, name: &str) -> Option<&'a [u8]> {
        let listed = self.entries.get(name).filter(|listed| listed.method == 0)?;
        self.packed(*listed).filter(|bytes| bytes.len() < 1_024)
    }

    pub(crate) fn unpack(&self, name: &str, remaining: &mut Remaining) -> Result<Vec<u8>, EntryError> {
        let listed = *self.entries.get(name).ok_or(EntryError::Missing)?;
        if listed.locked {
            return Err(EntryError::Locked);
        }
        let packed = self.packed(listed).ok_or(EntryError::Broken)?;
        let room = remaining.room();
        let bytes = match listed.method {
            0 if packed.len() > room => return Err(EntryError::TooMuch),
            0 => packed.to_vec(),
            8 => inflate(packed, room, remaining.limits.ratio)?,
            _ => return Err(EntryError::Broken),
        };
        remaining.unpacked(bytes.len());
        Ok(bytes)
    }

    /// An entry that is text, such as every XML in an Office file.
    pub(crate) fn text(&self, name: &str, remaining: &mut Remaining) -> Result<String, EntryError> {
        let bytes = self.unpack(name, remaining)?;
        let decoded = match text::decode(&bytes) {
            Cow::Owned(text) => Some(text),
            Cow::Borrowed(_) => None,
        };
        match decoded {
            Some(text) => Ok(text),
            // Borrowed means that it is UTF-8, possibly behind its mark.
            None => {
                let text = String::from_utf8(bytes).map_err(|_| EntryError::Broken)?;
                Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
            }
        }
    }
}

fn inflate(packed: &[u8], room: usize, ratio: usize) -> Result<Vec<u8>, EntryError> {
    use std::io::Read;
    // A small entry may be packed as tightly as it likes.
    let most = packed.len().saturating_mul(ratio).max(1 << 20).min(room);
    let mut bytes = Vec::new();
    let mut reader = flate2::read::DeflateDecoder::new(packed).take(most as u64 + 1);
    match reader.read_to_end(&mut bytes) {
        Ok(_) if bytes.len() > most => Err(EntryError::TooMuch),
        Ok(_) => Ok(bytes),
        Err(_) => Err(EntryError::Broken),
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

#[cfg(test)]
#[path = "archive_tests.rs"]
mod tests;
