//! A row as bytes: its length (4 bytes, little-endian), then each value as a tag and what it needs.
//!
//! 0 is null; 1 an integer (8 bytes); 2 text and 3 bytes, each with its length (4 bytes) before it.

use super::Kind;
use crate::{Arg, Error, Result};

/// Longer rows do not exist: messages end far below.
const LONGEST_ROW: usize = 1 << 30;

/// Appends a row to a buffer.
pub(crate) fn encode(buffer: &mut Vec<u8>, values: &[Arg]) -> Result<()> {
    let start = buffer.len();
    buffer.extend_from_slice(&[0; 4]);
    for value in values {
        match value {
            Arg::Int(None) | Arg::Text(None) | Arg::Bytes(None) => buffer.push(0),
            Arg::Int(Some(number)) => {
                buffer.push(1);
                buffer.extend_from_slice(&number.to_le_bytes());
            }
            Arg::Text(Some(text)) => sized(buffer, 2, text.as_bytes())?,
            Arg::Bytes(Some(bytes)) => sized(buffer, 3, bytes)?,
        }
    }
    let length = buffer.len().saturating_sub(start).saturating_sub(4);
    let length = length_bytes(length)?;
    if let Some(head) = buffer.get_mut(start..).and_then(|row| row.first_chunk_mut::<4>()) {
        *head = length;
    }
    Ok(())
}

fn sized(buffer: &mut Vec<u8>, tag: u8, bytes: &[u8]) -> Result<()> {
    buffer.push(tag);
    buffer.extend_from_slice(&length_bytes(bytes.len())?);
    buffer.extend_from_slice(bytes);
    Ok(())
}

fn length_bytes(length: usize) -> Result<[u8; 4]> {
    let fits = (length <= LONGEST_ROW).then(|| u32::try_from(length).ok()).flatten();
    fits.map(u32::to_le_bytes).ok_or_else(|| Error::Backup("A row is too long for a backup.".to_owned()))
}

/// The length of the row that these bytes announce, if it is a possible one.
pub(crate) fn announced(head: [u8; 4]) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(head)).ok().filter(|length| *length <= LONGEST_ROW)
}

/// The values of a row without its length; `None` when it is not a row of these kinds.
pub(crate) fn decode(mut row: &[u8], kinds: &[Kind]) -> Option<Vec<Arg>> {
    let mut values = Vec::with_capacity(kinds.len());
    for kind in kinds {
        let (tag, rest) = row.split_first()?;
        row = rest;
        values.push(match (kind, tag) {
            (Kind::Int, 0) => Arg::Int(None),
            (Kind::Text, 0) => Arg::Text(None),
            (Kind::Bytes, 0) => Arg::Bytes(None),
            (Kind::Int, 1) => {
                let (number, rest) = row.split_first_chunk::<8>()?;
                row = rest;
                Arg::Int(Some(i64::from_le_bytes(*number)))
            }
            (Kind::Text, 2) => Arg::Text(Some(String::from_utf8(piece(&mut row)?.to_vec()).ok()?)),
            (Kind::Bytes, 3) => Arg::Bytes(Some(piece(&mut row)?.to_vec())),
            _ => return None,
        });
    }
    row.is_empty().then_some(values)
}

fn piece<'a>(row: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (head, rest) = row.split_first_chunk::<4>()?;
    let (piece, rest) = rest.split_at_checked(announced(*head)?)?;
    *row = rest;
    Some(piece)
}

#[cfg(test)]
#[path = "rows_tests.rs"]
mod tests;
