//! The body of an answer, read piece by piece within bounds.

use super::{
    Limits,
    exchange::{Pump, reason},
    unpack::Unpacker,
};
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::{HeaderMap, body::Incoming, header::CONTENT_ENCODING};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// How a body came to its end. What was read until then is good in each case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BodyEnd {
    Complete,
    /// There was more than the limit.
    TooLarge,
    /// Very much came of very little: no honest server packs a page like that.
    TooDense,
    /// The time was over.
    TimedOut,
    /// The connection broke, or the packing was damaged.
    Broken(String),
}

/// A body that was read to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholeBody {
    pub bytes: Vec<u8>,
    pub end: BodyEnd,
}

/// So much may come of anything, and beyond it only so many times what was sent.
///
/// THREAT[ssrf-09]: of ten kilobytes of gzip become ten megabytes, and whoever reads them holds many times that.
const FREE_BYTES: usize = 1 << 20;
const MOST_TIMES: usize = 100;

pub struct ResponseBody {
    source: Option<(Incoming, Pump)>,
    unpacker: Unpacker,
    /// What came, and what became of it.
    packed: usize,
    unpacked: usize,
    room: usize,
    time: Duration,
    /// Begins with the first read: a reader who takes time to decide loses none of it.
    deadline: Option<Instant>,
    end: Option<BodyEnd>,
}

impl ResponseBody {
    pub(crate) fn new(headers: &HeaderMap, limits: &Limits) -> Self {
        let encoding = headers.get(CONTENT_ENCODING).map(|value| String::from_utf8_lossy(value.as_bytes()));
        Self {
            source: None,
            unpacker: Unpacker::new(encoding.as_deref()),
            packed: 0,
            unpacked: 0,
            room: limits.body_bytes,
            time: limits.body,
            deadline: None,
            end: None,
        }
    }

    pub(crate) fn fill(&mut self, source: Incoming, pump: Pump) {
        self.source = Some((source, pump));
    }

    /// The next piece; `None` at the end, and [`ResponseBody::end`] says which end it was.
    pub async fn next(&mut self) -> Option<Bytes> {
        let deadline = *self.deadline.get_or_insert_with(|| Instant::now() + self.time);
        loop {
            let (source, _) = self.source.as_mut()?;
            let frame = match timeout_at(deadline, source.frame()).await {
                Err(_) => return self.ended(BodyEnd::TimedOut, Vec::new()),
                Ok(Some(Err(error))) => return self.ended(BodyEnd::Broken(reason(&error)), Vec::new()),
                Ok(None) => {
                    let mut rest = Vec::new();
                    let end = match self.unpacker.finish(&mut rest) {
                        Ok(()) => BodyEnd::Complete,
                        Err(error) => BodyEnd::Broken(error.to_string()),
                    };
                    return self.ended(end, rest);
                }
                Ok(Some(Ok(frame))) => frame,
            };
            let Ok(packed) = frame.into_data() else { continue };
            let mut piece = Vec::new();
            self.packed = self.packed.saturating_add(packed.len());
            let dense = self.packed.saturating_mul(MOST_TIMES).saturating_add(FREE_BYTES);
            let most = self.room.min(dense.saturating_sub(self.unpacked));
            // One byte more than there is room for tells a full body from one that is too large.
            if let Err(error) = self.unpacker.unpack(&packed, &mut piece, most.saturating_add(1)) {
                return self.ended(BodyEnd::Broken(error.to_string()), piece);
            }
            if piece.len() > self.room {
                return self.ended(BodyEnd::TooLarge, piece);
            }
            if piece.len() > most {
                piece.truncate(most);
                return self.ended(BodyEnd::TooDense, piece);
            }
            self.unpacked = self.unpacked.saturating_add(piece.len());
            self.room = self.room.saturating_sub(piece.len());
            if !piece.is_empty() {
                return Some(piece.into());
            }
        }
    }

    /// Hangs up; the last piece is cut to what there is room for.
    fn ended(&mut self, end: BodyEnd, mut rest: Vec<u8>) -> Option<Bytes> {
        self.source = None;
        let end = if rest.len() > self.room { BodyEnd::TooLarge } else { end };
        rest.truncate(self.room);
        self.room = self.room.saturating_sub(rest.len());
        self.end = Some(end);
        (!rest.is_empty()).then(|| rest.into())
    }

    #[must_use]
    pub const fn end(&self) -> Option<&BodyEnd> {
        self.end.as_ref()
    }

    /// Everything that comes within the bounds.
    pub async fn read(mut self) -> WholeBody {
        let mut bytes = Vec::new();
        while let Some(piece) = self.next().await {
            bytes.extend_from_slice(&piece);
        }
        WholeBody { bytes, end: self.end.take().unwrap_or(BodyEnd::Complete) }
    }
}
