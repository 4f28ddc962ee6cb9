//! Makes calls of what the agent's text wants done, while the model still writes it. What its readers see of the text goes to
//! the feed in the same order.

use crate::{
    calls::{call_table::CallTable, system_functions::Function},
    claim::{
        planned_call::{PlannedCall, TextPosition},
        turn_context::TurnContext,
    },
    follow::open_message::Live,
    model::draft::Draft,
    model::read_stream::ParsedPiece,
};
use domain::{CallId, EffectClass};
use markup::{ProposedCall, Target};
use store::calls::TextCallDetails;
use turn::{Input, NewCall};

impl CallTable {
    /// Reads what the model has just written. A call that is complete is proposed at once.
    pub(crate) fn read_on(&mut self, turn: &TurnContext, draft: &mut Draft, text: &str) -> Vec<Input> {
        let Draft { reader, text_calls, .. } = draft;
        let Some(reader) = reader else {
            turn.feed.push([Live::text(text)]);
            return Vec::new();
        };
        let mut inputs = Vec::new();
        for call in show(turn, reader.push(text)) {
            inputs.push(Input::CallProposed(NewCall { id: call.id, class: call.class }));
            self.calls.insert(call.id, call.clone());
            text_calls.push(call);
        }
        inputs
    }
}

/// The message is complete. The calls that only its end made clear are stored with it.
pub(crate) fn finish_reading(turn: &TurnContext, draft: &mut Draft) -> Vec<PlannedCall> {
    let Some(mut reader) = draft.reader.take() else { return Vec::new() };
    let calls = show(turn, reader.finish());
    let at_end = |mut call: PlannedCall| {
        call.standing = call.standing.map(|standing| TextPosition { at_end: true, ..standing });
        call
    };
    calls.into_iter().map(at_end).collect()
}

/// Shows the pieces to readers, and gives the calls among them.
fn show(turn: &TurnContext, pieces: Vec<ParsedPiece>) -> Vec<PlannedCall> {
    let mut calls = Vec::new();
    let mut live = Vec::new();
    for piece in pieces {
        match piece {
            ParsedPiece::Live(piece) => live.push(piece),
            ParsedPiece::Call(call) => {
                turn.feed.push(live.drain(..));
                calls.push(plan_text_call(turn, *call));
            }
        }
    }
    if !live.is_empty() {
        turn.feed.push(live);
    }
    calls
}

fn plan_text_call(turn: &TurnContext, mut call: ProposedCall) -> PlannedCall {
    if call.target == Target::System
        && turn.resolved.tool(&call.name).is_none()
        && let Ok(commands) = turn.engine.command_port()
    {
        call.name = commands.bare_name(&call.name).to_owned();
    }
    let class = match &call.target {
        Target::System => match Function::of(&call.name) {
            Some(function) => function.class(),
            None => turn.resolved.tool(&call.name).map_or(EffectClass::Effect, |tool| tool.class),
        },
        Target::Agent => EffectClass::Txn,
        // Shown, asked or refused: nothing of it happens outside of our own rows.
        _ => EffectClass::Read,
    };
    let made = TextCallDetails {
        target: Some(call.target.to_string()),
        element_id: call.element_id.map(|id| id.to_string()),
        reference: Some(call.reference),
    };
    let standing =
        TextPosition { offset: turn.feed.length(), end: call.span.end, order: call.order, at_end: false };
    PlannedCall {
        id: CallId::from_uuid(turn.new_uuid()),
        name: call.name,
        arguments: call.arguments,
        origin: call.origin,
        class,
        made,
        standing: Some(standing),
        problem: None,
    }
}
