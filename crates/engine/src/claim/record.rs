//! What is stored of a running turn: the machine's state and the ids that go with it.

use crate::error::{Error, Result};
use domain::{CallId, MessageId, ModelCallId, Timestamp, TurnId};
use prompt::provenance_label::Provenance;
use serde::{Deserialize, Serialize};
use store::{
    DataKey,
    turns::{SealedState, StoredTurn},
};
use turn::State;

/// The machine knows steps; the record knows which rows belong to the open one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) state: State,
    /// The message that is open, or was opened last.
    pub(crate) message_id: MessageId,
    pub(crate) model_call_id: ModelCallId,
    /// Milliseconds of work so far; waiting for a person does not count.
    pub(crate) active_ms: u64,
    /// When it was begun, by its input or by a person who wants it run once more: budgets count from there.
    #[serde(default = "long_ago")]
    pub(crate) since: Timestamp,
    /// What it may cost at most, set by the agent that it works for, with all that belongs to the same work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ceiling: Option<u64>,
    /// The model that was chosen for this turn alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<String>,
    /// The approval of an unknown price that a person was asked for before the model was: the name of its call.
    #[serde(default, rename = "leave", skip_serializing_if = "Option::is_none")]
    pub(crate) price_approval: Option<CallId>,
    /// Of what the model was told for the open message, or was told last.
    #[serde(default)]
    pub(crate) provenance: Provenance,
    /// The text of the open message up to its last call, once it has made one: that much of it is never lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) written: Option<WrittenReply>,
}

const fn long_ago() -> Timestamp {
    Timestamp::from_millis(0)
}

/// What the model had written when its last call was stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct WrittenReply {
    pub(crate) text: String,
    pub(crate) thinking: String,
}

/// A value that is there and cannot be read: asking again does not help.
pub(crate) fn is_unreadable(error: &store::Error) -> bool {
    error.is_unreadable()
}

/// Inside a transaction only the store's errors travel.
pub(crate) fn unwritable(_: Error) -> store::Error {
    store::Error::Corrupt("the state of a turn cannot be written".to_owned())
}

impl Record {
    /// As it is stored with its turn.
    pub(crate) fn sealed(&self, key: &DataKey, turn: TurnId) -> store::Result<SealedState> {
        SealedState::new(key, turn, &self.to_bytes().map_err(unwritable)?)
    }

    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(self).map_err(|_| Error::Internal)
    }

    /// What a turn's row says; `None` when it says nothing that can be read.
    pub(crate) fn of(turn: &StoredTurn) -> Option<Self> {
        Self::from_bytes(turn.state.as_deref()?).ok()
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        serde_json::from_slice(bytes).map_err(|_| Error::Internal)
    }
}
