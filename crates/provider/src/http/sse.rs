//! Server-sent events, decoded as they come.
//!
//! Invariant: what comes out does not depend on how the bytes were cut. Each byte is looked at once and copied at
//! most twice, so the cost is linear also for a line that arrives one byte at a time.

use std::collections::VecDeque;

/// An event grew past the limit; the stream cannot be trusted any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

/// Turns bytes into the `data` of events. Names, ids and retry times are ignored: the type is inside the data.
#[derive(Debug)]
pub(crate) struct Decoder {
    /// The largest line and the largest event, in bytes.
    limit: usize,
    /// The part of the current line that earlier pushes brought.
    line: Vec<u8>,
    data: String,
    has_data: bool,
    /// The last line ended in CR: a following LF belongs to it.
    after_cr: bool,
    first_line: bool,
    ready: VecDeque<String>,
    /// Bytes looked at, for the test of linearity.
    looked_at: u64,
}

impl Decoder {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            data: String::new(),
            has_data: false,
            after_cr: false,
            first_line: true,
            ready: VecDeque::new(),
            looked_at: 0,
        }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), TooLarge> {
        let mut rest = bytes;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(end) = memchr::memchr2(b'\n', b'\r', rest) {
            let (line, tail) = rest.split_at(end);
            self.looked_at = self.looked_at.saturating_add(line.len() as u64 + 1);
            self.take_line(line)?;
            rest = match tail {
                [b'\r', b'\n', after @ ..] => after,
                [b'\r'] => {
                    self.after_cr = true;
                    &[]
                }
                [_, after @ ..] => after,
                [] => &[],
            };
        }
        self.looked_at = self.looked_at.saturating_add(rest.len() as u64);
        self.keep(rest)
    }

    #[cfg(test)]
    pub(crate) fn looked_at(&self) -> u64 {
        self.looked_at
    }

    /// The data of the next complete event.
    pub(crate) fn pop(&mut self) -> Option<String> {
        self.ready.pop_front()
    }

    /// What stood at the end of the stream without the empty line that would have completed it.
    pub(crate) fn finish(&mut self) -> Result<Option<String>, TooLarge> {
        if !self.line.is_empty() {
            self.take_line(&[])?;
        }
        self.end_event();
        Ok(self.ready.pop_front())
    }

    fn keep(&mut self, piece: &[u8]) -> Result<(), TooLarge> {
        if self.line.len().saturating_add(piece.len()) > self.limit {
            return Err(TooLarge);
        }
        self.line.extend_from_slice(piece);
        Ok(())
    }

    /// `last` is the end of a line whose beginning may be in `self.line`.
    fn take_line(&mut self, last: &[u8]) -> Result<(), TooLarge> {
        if self.line.is_empty() {
            return self.complete_line(last);
        }
        self.keep(last)?;
        let mut line = std::mem::take(&mut self.line);
        let outcome = self.complete_line(&line);
        line.clear();
        self.line = line;
        outcome
    }

    fn complete_line(&mut self, mut line: &[u8]) -> Result<(), TooLarge> {
        if self.first_line {
            self.first_line = false;
            line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        }
        if line.is_empty() {
            self.end_event();
            return Ok(());
        }
        let value = match line.strip_prefix(b"data") {
            Some([]) => &[],
            Some([b':', b' ', value @ ..] | [b':', value @ ..]) => value,
            _ => return Ok(()),
        };
        if self.data.len().saturating_add(value.len()) >= self.limit {
            return Err(TooLarge);
        }
        if self.has_data {
            self.data.push('\n');
        }
        self.has_data = true;
        match str::from_utf8(value) {
            Ok(value) => self.data.push_str(value),
            Err(_) => self.data.push_str(&String::from_utf8_lossy(value)),
        }
        Ok(())
    }

    fn end_event(&mut self) {
        if self.has_data {
            self.has_data = false;
            self.ready.push_back(std::mem::take(&mut self.data));
        }
    }
}

#[cfg(test)]
#[path = "sse_tests.rs"]
mod tests;
