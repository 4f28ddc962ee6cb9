//! What a reader does with the bytes: it takes the transfer encoding off, finds the frames, and in them the words of the model.

use memchr::memmem;

/// A word of the model: which one it is, and when it was due.
pub fn word(index: u32, due: u64) -> String {
    format!("q{index:05}t{due:010} ")
}

const WORD: usize = 17;

/// All words in a frame, in order.
pub fn words(frame: &[u8], mut heard: impl FnMut(u32, u64)) {
    for at in memchr::memchr_iter(b'q', frame) {
        let Some(word) = frame.get(at..at + WORD) else { return };
        let (index, due) = (word.get(1..6), word.get(7..));
        if let (Some(b't'), Some(index), Some(due)) =
            (word.get(6), index.and_then(number), due.and_then(number))
        {
            heard(u32::try_from(index).unwrap_or(u32::MAX), due);
        }
    }
}

fn number(digits: &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for digit in digits {
        value = value * 10 + u64::from(digit.checked_sub(b'0').filter(|digit| *digit < 10)?);
    }
    Some(value)
}

/// The `seq` in the line `id: SEQ` or `id: SEQ.OFFSET` of a frame.
pub fn seq(frame: &[u8]) -> Option<u64> {
    let at = memmem::find(frame, b"\nid: ")? + 5;
    let digits = frame.get(at..)?;
    let end = digits.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    number(digits.get(..end)?)
}

/// Chunks of HTTP, taken off as they come.
#[derive(Default)]
pub struct Chunks {
    /// Bytes of this chunk, with the line end behind it, that are still to come.
    left: usize,
    line: Vec<u8>,
    pub ended: bool,
}

impl Chunks {
    pub fn push(&mut self, mut bytes: &[u8], body: &mut Vec<u8>) {
        while !bytes.is_empty() && !self.ended {
            if self.left > 0 {
                let (taken, rest) = bytes.split_at(self.left.min(bytes.len()));
                // The last two are the line end.
                let of_body = self.left.saturating_sub(2).min(taken.len());
                body.extend_from_slice(taken.get(..of_body).unwrap_or_default());
                self.left -= taken.len();
                bytes = rest;
                continue;
            }
            let end = memchr::memchr(b'\n', bytes).map_or(bytes.len(), |at| at + 1);
            let (taken, rest) = bytes.split_at(end);
            self.line.extend_from_slice(taken);
            bytes = rest;
            if self.line.ends_with(b"\n") {
                let digits = self.line.iter().take_while(|byte| byte.is_ascii_hexdigit());
                let length = digits
                    .fold(0, |sum, digit| sum * 16 + (*digit as char).to_digit(16).unwrap_or(0) as usize);
                self.left = length + 2;
                self.ended = length == 0;
                self.line.clear();
            }
        }
    }
}

/// Gives each whole frame to `heard`, and takes them out of the bytes.
pub fn take_frames(bytes: &mut Vec<u8>, mut heard: impl FnMut(&[u8])) {
    let mut from = 0;
    while let Some(at) = memmem::find(bytes.get(from..).unwrap_or_default(), b"\n\n") {
        let end = from + at + 2;
        heard(bytes.get(from..end).unwrap_or_default());
        from = end;
    }
    bytes.drain(..from);
}

/// A frame with words that were not said before: a piece of the running reply, not the whole of it at its end.
pub fn is_live(frame: &[u8]) -> bool {
    !frame.starts_with(b"event: ") || frame.starts_with(b"event: text\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_however_the_bytes_are_cut() {
        let mut body = String::new();
        for index in 0..5_u64 {
            body.push_str(&format!(
                "event: text\nid: 7.{index}\ndata: {{\"text\":\"{}\"}}\n\n",
                word(index as u32, 90 + index)
            ));
        }
        let wire = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
        for size in 1..wire.len() {
            let (mut chunks, mut bytes, mut found) = (Chunks::default(), Vec::new(), Vec::new());
            for piece in wire.as_bytes().chunks(size) {
                chunks.push(piece, &mut bytes);
                take_frames(&mut bytes, |frame| {
                    assert!(is_live(frame));
                    assert_eq!(seq(frame), Some(7));
                    words(frame, |index, due| found.push((u64::from(index), due)));
                });
            }
            assert!(chunks.ended, "{size}");
            assert_eq!(found, [(0, 90), (1, 91), (2, 92), (3, 93), (4, 94)], "{size}");
        }
    }
}
