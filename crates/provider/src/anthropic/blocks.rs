//! The content of an answer: its blocks, in order, over all the requests that made it.

use super::block::{Block, News};
use crate::{ErrorKind, ProposedCall, ProviderError, ReplyPart};
use serde_json::{Map, Value};

const MAX_BLOCKS: usize = 2_048;
const MAX_CALLS: usize = 256;
/// Of everything that is not told at once: arguments, signatures, results of the vendor's own tools.
const MAX_BYTES: usize = 16 * 1024 * 1024;

#[derive(Debug, Default)]
pub(crate) struct Blocks {
    all: Vec<Block>,
    /// The number that the wire gave each block of the current request; some servers leave numbers out.
    numbers: Vec<usize>,
    calls: usize,
    bytes: usize,
}

impl Blocks {
    /// A further request goes on with the same answer and numbers its blocks from 0.
    pub(crate) fn next_request(&mut self) {
        self.numbers.clear();
    }

    pub(crate) fn begin(
        &mut self,
        index: Option<usize>,
        json: Map<String, Value>,
    ) -> Result<News, ProviderError> {
        self.bytes = self.bytes.saturating_add(json.values().map(weight).sum());
        let block = Block::begin(json);
        self.calls = self.calls.saturating_add(usize::from(block.is_call()));
        if self.calls > MAX_CALLS || self.all.len() >= MAX_BLOCKS {
            return Err(ProviderError::new(ErrorKind::Protocol, "the model makes too many calls at once"));
        }
        self.check_size()?;
        let mut news = block.first_words();
        if block.is_text() && self.needs_pause() {
            news = match news {
                News::Text(text) => News::Text(format!("\n\n{text}")),
                _ => News::Text("\n\n".to_owned()),
            };
        }
        self.numbers.push(index.unwrap_or(self.numbers.len()));
        self.all.push(block);
        Ok(news)
    }

    /// Words after something that people do not see (a search) are not glued to the words before it.
    fn needs_pause(&self) -> bool {
        self.all.last().is_some_and(|last| !last.is_text()) && self.all.iter().any(Block::is_text)
    }

    pub(crate) fn push(
        &mut self,
        index: Option<usize>,
        delta: Map<String, Value>,
    ) -> Result<News, ProviderError> {
        // The newest block is nearly always the one: looking from the back keeps this constant.
        let place = match index {
            Some(index) => self.numbers.iter().rev().position(|number| *number == index),
            None => (!self.numbers.is_empty()).then_some(0),
        };
        let Some(block) = place.and_then(|from_end| self.all.iter_mut().nth_back(from_end)) else {
            return Ok(News::Nothing);
        };
        let (news, bytes) = block.push(delta);
        if matches!(news, News::Nothing) {
            self.bytes = self.bytes.saturating_add(bytes);
            self.check_size()?;
        }
        Ok(news)
    }

    fn check_size(&self) -> Result<(), ProviderError> {
        if self.bytes > MAX_BYTES {
            return Err(ProviderError::new(ErrorKind::Protocol, "the model's tool arguments have no end"));
        }
        Ok(())
    }

    pub(crate) const fn has_calls(&self) -> bool {
        self.calls > 0
    }

    /// Everything so far, as the wire wants it back.
    pub(crate) fn content(&self) -> Vec<Value> {
        self.all.iter().filter_map(Block::native).collect()
    }

    /// What is kept of the answer, and its calls. `cut`: the model was cut off, so that the last block may be half a call.
    pub(crate) fn finish(self, cut: bool) -> (Vec<ReplyPart>, Vec<ProposedCall>) {
        let (mut parts, mut calls) = (Vec::new(), Vec::new());
        let last = self.all.len().saturating_sub(1);
        for (place, block) in self.all.into_iter().enumerate() {
            if block.is_call() {
                parts.push(ReplyPart::Call(calls.len()));
                calls.push(block.call(cut && place == last));
            } else {
                parts.extend(block.parts());
            }
        }
        (parts, calls)
    }
}

/// About the bytes a value takes.
fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weight).sum(),
        Value::Object(fields) => fields.iter().map(|(name, value)| name.len() + weight(value)).sum(),
        _ => 8,
    }
}
