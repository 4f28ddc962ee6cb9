//! The batch answer: a fold over the same reader that the stream shows event by event.

use super::inbound::Inbound;
use crate::problem::Problem;
use axum::Json;
use domain::{Call, Envelope, EnvelopeBody, EventBody, Message, TurnError, TurnId, TurnOutcome, Usage};
use engine::Reader;
use schemars::JsonSchema;
use serde::Serialize;
use store::messages::MessagePage;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Sent {
    turn_id: TurnId,
    outcome: TurnOutcome,
    /// The agent's last message of the turn.
    message: Option<Message>,
    calls: Vec<Call>,
    usage: Usage,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<TurnError>,
}

/// What the fold has seen.
#[derive(Default)]
struct Fold {
    /// Where the agent's last message is in the log.
    message_seq: Option<u64>,
    end: Option<(TurnOutcome, Option<TurnError>, Usage)>,
}

impl Fold {
    fn add(&mut self, envelope: Envelope) {
        match envelope.body {
            EnvelopeBody::Durable(EventBody::MessageComplete { .. }) => self.message_seq = Some(envelope.seq),
            EnvelopeBody::Durable(EventBody::TurnEnded { outcome, error, usage }) => {
                self.end = Some((outcome, error, usage));
            }
            _ => {}
        }
    }
}

/// Answers when the turn has ended, however it has ended. A client that does not wait for that stops nothing.
pub(crate) async fn send(mut inbound: Inbound) -> Result<Json<Sent>, Problem> {
    let (accepted, reader) = inbound.deliver().await?;
    let turn_id = accepted.turn_id;
    let folded = inbound.app.closing.run_until_cancelled(fold(reader)).await;
    let unfinished = || {
        let detail =
            format!("{turn_id} is accepted and goes on after the restart; follow the session's events");
        Problem::unavailable("shutting_down", detail)
    };
    let Fold { message_seq, end } = folded.transpose()?.ok_or_else(unfinished)?;
    let (outcome, error, usage) = end.ok_or_else(unfinished)?;
    let message = match message_seq {
        Some(seq) => message_at(&inbound, seq).await?,
        None => None,
    };
    let calls = inbound.app.engine.calls(inbound.caller.user_id, turn_id).await?;
    Ok(Json(Sent { turn_id, outcome, message, calls, usage, error }))
}

async fn fold(mut reader: Reader) -> Result<Fold, Problem> {
    let mut fold = Fold::default();
    while let Some(envelope) = reader.next().await? {
        fold.add(envelope);
    }
    Ok(fold)
}

async fn message_at(inbound: &Inbound, seq: u64) -> Result<Option<Message>, Problem> {
    let page = MessagePage { before_seq: None, after_seq: Some(seq.saturating_sub(1)), limit: 1 };
    let found = inbound.app.engine.messages(inbound.caller.user_id, inbound.session_id, page).await?;
    Ok(found.items.into_iter().find(|message| message.seq == seq))
}
