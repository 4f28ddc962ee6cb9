//! What a call does in the database: it is committed together with a receipt, so it happens once however often the call runs.

use crate::{claim::turn_context::TurnContext, engine::Engine, store_retry::Tries};
use domain::{CallId, TurnId};
use serde_json::Value;
use std::sync::Arc;
use store::{DataKey, Tx, calls, turns};

/// On behalf of which call: none of it comes from what a model wrote.
pub(crate) struct CallReceipt {
    engine: Engine,
    key: DataKey,
    turn: TurnId,
    epoch: u64,
    call: CallId,
}

impl CallReceipt {
    pub(crate) fn new(turn: &TurnContext, call: CallId) -> Self {
        let (engine, key) = (turn.engine.clone(), turn.key.clone());
        Self { engine, key, turn: turn.turn_id, epoch: turn.epoch, call }
    }

    /// Does it, unless the call did it before: then what it came to is found again. A call makes one change; what is refused is
    /// none, and leaves no receipt.
    pub(crate) async fn once<R: Send + 'static>(
        &self,
        change: impl Fn(&mut Tx, &DataKey) -> store::Result<Result<Value, R>> + Send + Sync + 'static,
    ) -> store::Result<Result<Value, R>> {
        let (turn, epoch, call) = (self.turn, self.epoch, self.call);
        let change = Arc::new(change);
        let mut tries = Tries::default();
        loop {
            let (key, change) = (self.key.clone(), change.clone());
            let write = move |tx: &mut Tx| {
                turns::fence(tx, turn, epoch)?;
                if let Some(done) = calls::receipt(tx, &key, turn, call)? {
                    return Ok(Ok(done));
                }
                let done = change(tx, &key)?;
                if let Ok(done) = &done {
                    calls::note_receipt(tx, &key, call, done)?;
                }
                Ok(done)
            };
            match self.engine.store().write(write).await {
                // Its receipt says whether it was done after all.
                Err(error) if error.is_transient() && tries.again(&self.engine, &error).await => {}
                done => return done,
            }
        }
    }
}
