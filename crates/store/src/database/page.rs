//! Lists in pieces, which end at a number of rows or at a number of bytes.

use crate::{Error, Result};

/// What one piece of a list or of a log may have, in bytes as they are stored; only its first row may have more. So what
/// a reader costs does not depend on how long the texts are.
pub const PIECE_BYTES: u64 = 1 << 20;

/// The first rows of a query.
pub(crate) struct Piece<R> {
    pub rows: Vec<R>,
    /// It ended at bytes, and there are more rows.
    pub more: bool,
}

/// Which piece of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    pub limit: u32,
    /// What the piece before gave as its `next_cursor`.
    pub cursor: Option<String>,
}

impl Page {
    pub fn first(limit: u32) -> Self {
        Self { limit, cursor: None }
    }

    pub(crate) fn cursor_as<T: std::str::FromStr>(&self) -> Result<Option<T>> {
        self.cursor.as_deref().map(|text| text.parse().map_err(|_| Error::BadCursor)).transpose()
    }
}

/// A piece of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Paged<T> {
    pub items: Vec<T>,
    /// How many there are in the whole list.
    pub total: u64,
    /// `true`: there are more than `total`; counting ended there.
    pub total_is_more: bool,
    /// Absent when this is the end of the list.
    pub next_cursor: Option<String>,
}

impl<T> Paged<T> {
    /// From rows of which one more than `limit` was asked for, to see whether there are more.
    pub(crate) fn from_piece(piece: Piece<T>, limit: u32, total: u64, cursor: impl Fn(&T) -> String) -> Self {
        let Piece { rows: mut items, more } = piece;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = more || items.len() > limit;
        items.truncate(limit);
        let next_cursor = items.last().filter(|_| more).map(cursor);
        Self { items, total, total_is_more: false, next_cursor }
    }

    /// The same piece, each row of it opened.
    pub(crate) fn try_map<U>(self, open: impl FnMut(T) -> Result<U>) -> Result<Paged<U>> {
        let Self { items, total, total_is_more, next_cursor } = self;
        let items = items.into_iter().map(open).collect::<Result<_>>()?;
        Ok(Paged { items, total, total_is_more, next_cursor })
    }
}

/// One more than asked for: its presence says that the list goes on.
pub(crate) fn one_more(limit: u32) -> i64 {
    i64::from(limit).saturating_add(1)
}
