//! What a run says while it runs, as people are told it: both streams as one text, without secrets.
//!
//! THREAT[secret-02]: a program that writes a secret in two pieces, or half of it to each stream, would have it shown. So the
//! scrubber looks at each stream by itself, whatever comes between its pieces, and at both once more as people are told them.

use provider::Scrubber;
use sandbox::process::{Piece, Stream};

/// Makes of the bytes of a running program the text that people are shown.
pub(crate) struct LiveOutput {
    output: Half,
    errors: Half,
    both: Scrubber,
}

/// A character that comes in two pieces is told when it is whole.
struct Half {
    begun: Vec<u8>,
    scrubber: Scrubber,
    /// How much of it may still come.
    left: usize,
}

impl LiveOutput {
    /// Each call makes a scrubber of its own. Of each stream so many bytes come at most.
    pub(crate) fn new(scrubber: impl Fn() -> Scrubber, most: usize) -> Self {
        let half = || Half { begun: Vec::new(), scrubber: scrubber(), left: most };
        Self { output: half(), errors: half(), both: scrubber() }
    }

    pub(crate) fn text(&mut self, piece: &Piece) -> String {
        let half = match piece.stream {
            Stream::Output => &mut self.output,
            Stream::Errors => &mut self.errors,
        };
        half.left = half.left.saturating_sub(piece.bytes.len());
        let text = half.whole_characters(&piece.bytes);
        self.both.push(half.scrubber.push(text))
    }

    /// What waited for more. Where a stream was cut, that may be the beginning of a secret.
    pub(crate) fn rest(&mut self) -> String {
        let mut rest = String::new();
        for half in [&mut self.output, &mut self.errors].into_iter().filter(|half| half.left > 0) {
            let begun = String::from_utf8_lossy(&std::mem::take(&mut half.begun)).into_owned();
            rest.push_str(&half.scrubber.push(begun));
            rest.push_str(&half.scrubber.finish());
        }
        let mut text = self.both.push(rest);
        text.push_str(&self.both.finish());
        text
    }
}

impl Half {
    fn whole_characters(&mut self, bytes: &[u8]) -> String {
        let held = &mut self.begun;
        held.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(held) {
            Ok(_) => held.len(),
            // What is wrong in the middle is told as it is; only a beginning waits.
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => held.len(),
        };
        let rest = held.split_off(whole);
        let text = String::from_utf8_lossy(held).into_owned();
        *held = rest;
        text
    }
}

#[cfg(test)]
#[path = "live_output_tests.rs"]
mod tests;
