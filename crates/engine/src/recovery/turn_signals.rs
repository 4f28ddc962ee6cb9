//! Stops and answers that come in at another node than the one that works on the turn: what is stored counts, and the other nodes
//! are told to look at it.

use crate::{
    bus::{
        node_note::{NodeNote, TurnNews},
        tell::NoteTaker,
    },
    engine::Engine,
    wake_ups::WakeUp,
};
use domain::TurnId;
use store::{Tx, turns};
use uuid::Uuid;

pub(crate) struct TurnSignals;

impl NoteTaker for TurnSignals {
    fn take(&self, engine: &Engine, _: Uuid, note: &NodeNote) {
        match note {
            NodeNote::Turn { turn, what: TurnNews::Answer } => engine.signal_answer(*turn),
            NodeNote::Turn { what: TurnNews::Stop, .. } => engine.look_for_stops(),
            NodeNote::Free => {
                engine.wake(WakeUp::LeftTurns);
                engine.wake(WakeUp::LeftErrands);
            }
            _ => {}
        }
    }

    fn gap(&self, engine: &Engine) {
        engine.signal_answers();
        engine.look_for_stops();
    }
}

impl Engine {
    /// It is stored that a turn is to stop: its worker is told, wherever it is.
    pub(crate) fn stop_everywhere(&self, turn: TurnId) {
        self.signal_stop(turn);
        self.tell(NodeNote::Turn { turn, what: TurnNews::Stop });
    }

    /// An answer to something that a turn waits for is stored: its worker is told, wherever it is.
    pub(crate) fn answer_everywhere(&self, turn: TurnId) {
        self.signal_answer(turn);
        self.tell(NodeNote::Turn { turn, what: TurnNews::Answer });
    }

    /// Stops those turns of this node of which it is stored that they are to stop.
    fn look_for_stops(&self) {
        if !self.any_running() {
            return;
        }
        let engine = self.clone();
        self.spawn("stops", async move {
            let node = engine.inner.node;
            match engine.store().read(move |tx: &mut Tx| turns::to_stop(tx, node)).await {
                Ok(stopped) => stopped.into_iter().for_each(|turn| engine.signal_stop(turn)),
                Err(error) => tracing::warn!(%error, "stops could not be read; they are looked for again"),
            }
        });
    }
}
