//! What running calls say, as lines to show while they come.
//!
//! Bounded: a program may write more than a person reads, and its result has the whole.

use domain::CallId;
use std::collections::HashMap;

/// Lines that are shown of one call.
const MOST_LINES: usize = 20;
/// Of one line; a line that does not end is not waited for any longer.
const MOST_BYTES: usize = 2_000;

#[derive(Debug, Default)]
pub struct ShownOutputs(HashMap<CallId, ShownOutput>);

#[derive(Debug, Default)]
struct ShownOutput {
    /// Bytes that were heard; a client that comes again is told everything once more.
    heard: u64,
    /// The beginning of a line.
    open: String,
    shown: usize,
}

impl ShownOutputs {
    /// The lines that are complete now. The last one that is shown of a call that says more is `…`.
    pub fn take(&mut self, call: CallId, offset: u64, delta: &str) -> Vec<String> {
        let output = self.0.entry(call).or_default();
        let Some(new) = news(output.heard, offset, delta) else { return Vec::new() };
        output.heard = offset.saturating_add(length(delta));
        output.open.push_str(new);
        let end = output.open.rfind('\n').map_or(0, |last| last + 1);
        let mut lines: Vec<String> = output
            .open
            .drain(..end)
            .collect::<String>()
            .lines()
            .take(MOST_LINES + 1)
            .map(str::to_owned)
            .collect();
        if output.open.len() > MOST_BYTES {
            lines.push(std::mem::take(&mut output.open));
        }
        output.bounded(lines)
    }

    /// What was begun and not ended, when the call is over; `None` if the call said nothing.
    pub fn end(&mut self, call: CallId) -> Option<Vec<String>> {
        let mut output = self.0.remove(&call)?;
        let open = std::mem::take(&mut output.open);
        let lines = if open.is_empty() { Vec::new() } else { vec![open] };
        Some(output.bounded(lines))
    }
}

impl ShownOutput {
    fn bounded(&mut self, mut lines: Vec<String>) -> Vec<String> {
        let room = MOST_LINES.saturating_sub(self.shown);
        let is_more = lines.len() > room && self.shown <= MOST_LINES;
        lines.truncate(room);
        self.shown += lines.len();
        if is_more {
            self.shown = MOST_LINES + 1;
            lines.push("…".to_owned());
        }
        lines
    }
}

fn length(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}

/// What was not heard before. Something may have been missed, and nothing is told twice.
fn news(heard: u64, offset: u64, delta: &str) -> Option<&str> {
    let known = usize::try_from(heard.saturating_sub(offset)).ok()?;
    delta.get(known..).filter(|new| !new.is_empty())
}

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;
