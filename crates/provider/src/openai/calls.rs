//! Calls that arrive in pieces.
//!
//! The wire numbers the pieces by `index`. Servers differ: some leave the index out, some number every call 0, some send
//! each call whole, some repeat id and name with each piece. A piece begins a new call when it can belong to none.

use super::chunk::CallDelta;
use crate::{ErrorKind, MOST_ARGUMENT_BYTES, ProposedCall, ProviderError, arguments::arguments};
use serde_json::Value;

const MAX_CALLS: usize = 256;
const MAX_ARGUMENT_BYTES: usize = 16 * 1024 * 1024;

#[derive(Debug, Default)]
pub(crate) struct Calls {
    open: Vec<OpenCall>,
    argument_bytes: usize,
}

#[derive(Debug)]
struct OpenCall {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    /// Its first piece brought complete arguments: a further piece with a name is another call.
    whole: bool,
}

impl Calls {
    pub(crate) fn push(&mut self, delta: &CallDelta<'_>) -> Result<(), ProviderError> {
        self.argument_bytes = self.argument_bytes.saturating_add(delta.arguments.len());
        if self.argument_bytes > MAX_ARGUMENT_BYTES {
            return Err(ProviderError::new(ErrorKind::Protocol, "the model's tool arguments have no end"));
        }
        // The newest call is nearly always the one: looking from the back keeps this constant.
        if let Some(call) = self.open.iter_mut().rev().find(|call| call.takes(delta)) {
            call.append(delta);
            return Ok(());
        }
        if self.open.len() >= MAX_CALLS {
            return Err(ProviderError::new(ErrorKind::Protocol, "the model makes too many calls at once"));
        }
        self.open.push(OpenCall::begin(delta));
        Ok(())
    }

    /// `cut`: the model was cut off, so that the last one may be half a call.
    pub(crate) fn finish(&mut self, cut: bool) -> Vec<ProposedCall> {
        let open = std::mem::take(&mut self.open);
        let last = open.len().saturating_sub(1);
        let open = open.into_iter().enumerate();
        open.map(|(place, call)| call.propose(cut && place == last)).collect()
    }
}

impl OpenCall {
    fn begin(delta: &CallDelta<'_>) -> Self {
        Self {
            index: delta.index,
            id: delta.id.clone().into_owned(),
            name: delta.name.clone().into_owned(),
            arguments: delta.arguments.clone().into_owned(),
            whole: delta.arguments.len() <= MOST_ARGUMENT_BYTES
                && matches!(serde_json::from_str(&delta.arguments), Ok(Value::Object(_))),
        }
    }

    fn takes(&self, delta: &CallDelta<'_>) -> bool {
        if delta.index.is_some() && self.index.is_some() && delta.index != self.index {
            return false;
        }
        let names_another = !delta.name.is_empty() && !self.name.is_empty();
        match (delta.id.as_ref(), self.id.as_str()) {
            ("", _) | (_, "") => {
                // Without ids, a name tells: with an index it may be a repetition, without one it begins a call.
                let repeated = delta.index.is_some() && !self.whole;
                !names_another || repeated
            }
            (theirs, ours) if theirs == ours => true,
            // A fresh id on a nameless piece is noise of the server; with a name it is another call.
            _ => delta.index.is_some() && !names_another,
        }
    }

    fn append(&mut self, delta: &CallDelta<'_>) {
        if self.id.is_empty() {
            self.id.push_str(&delta.id);
        }
        if self.name != delta.name {
            self.name.push_str(&delta.name);
        }
        // What is too long already is not made longer.
        if self.arguments.len() <= MOST_ARGUMENT_BYTES {
            self.arguments.push_str(&delta.arguments);
        }
    }

    fn propose(self, cut: bool) -> ProposedCall {
        ProposedCall { name: self.name, arguments: arguments(self.arguments, cut) }
    }
}

#[cfg(test)]
#[path = "calls_tests.rs"]
mod tests;
