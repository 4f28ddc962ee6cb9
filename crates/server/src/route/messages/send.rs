//! The batch answer: a fold over the same reader that the stream shows event by event.

use super::{
    fold::{EndedTurn, Folded, Followed, fold},
    inbound::Inbound,
    waits::OrWaits,
};
use crate::{json::Json, problem::Problem};
use domain::{Call, Message, TurnError, TurnId, TurnOutcome, Usage};
use schemars::JsonSchema;
use serde::Serialize;
use store::messages::MessagePage;

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Sent")]
pub(crate) struct WholeTurn {
    turn_id: TurnId,
    outcome: TurnOutcome,
    /// The agent's last message of the turn.
    message: Option<Message>,
    /// Everything the agent said in the turn; where it made something happen, what came of it.
    reply: String,
    calls: Vec<Call>,
    usage: Usage,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<TurnError>,
}

/// Answers when the turn has ended, however it has ended. A client that does not wait for that stops nothing.
pub(crate) async fn send(mut inbound: Inbound) -> Result<OrWaits<WholeTurn>, Problem> {
    let user = inbound.caller.user_id;
    let parkings = inbound.app.engine.parkings(user);
    let (accepted, reader) = inbound.deliver().await?;
    let (turn_id, session_id) = (accepted.turn_id, inbound.session_id);
    let turn = Followed { user, session_id, accepted, reader, parkings };
    let ended = match fold(&inbound.app, turn).await? {
        Folded::Waits(waiting, _) => return Ok(OrWaits::Waits(waiting)),
        Folded::Ended(ended) => ended,
    };
    let EndedTurn { last_message, outcome, error, usage } = ended;
    let message = match last_message {
        Some(last) => message_at(&inbound, last.seq).await?,
        None => None,
    };
    let calls = inbound.app.engine.calls(user, turn_id).await?;
    let reply = inbound.app.engine.reply(user, turn_id).await?;
    Ok(OrWaits::Ended(Json(WholeTurn { turn_id, outcome, message, reply, calls, usage, error })))
}

async fn message_at(inbound: &Inbound, seq: u64) -> Result<Option<Message>, Problem> {
    let page = MessagePage { before_seq: None, after_seq: Some(seq.saturating_sub(1)), limit: 1 };
    let found = inbound.app.engine.messages(inbound.caller.user_id, inbound.session_id, page).await?;
    Ok(found.items.into_iter().find(|message| message.seq == seq))
}
