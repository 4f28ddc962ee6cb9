use super::body::{Chat, ChatBody};
use crate::{
    app::App,
    body::JsonBody,
    caller::Caller,
    pipeline::single,
    problem::Problem,
    route::messages::{Folded, OrWaits, fold},
};
use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use domain::{Scope, SessionId, TurnId, TurnOutcome};
use engine::Peer;
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Default, JsonSchema, Serialize)]
#[schemars(rename = "ChatAnswer")]
pub(crate) struct Answer {
    /// The agent's last message. A turn that failed has one, too, which says so.
    response: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<TurnOutcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<SessionId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn_id: Option<TurnId>,
}

/// Says something to the person's agent `main`, in the one session of whoever speaks, and waits for the answer.
pub(crate) async fn send(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    JsonBody(body): JsonBody<ChatBody>,
) -> Result<OrWaits<Answer>, Problem> {
    let idempotency_key = single(&headers, "idempotency-key")?.map(str::to_owned);
    let chat = Chat::read(body)?;
    check_source(&caller, &chat.peer)?;
    let user_id = caller.user_id;
    if chat.is_stop() {
        if let Some(session) = app.engine.existing_chat_session(user_id, &chat.peer).await? {
            app.engine.abort(user_id, session).await?;
        }
        let response = "Aborted.".to_owned();
        return Ok(OrWaits::Ended(Json(Answer { response, ..Answer::default() })));
    }
    if let Some(line) = chat.command() {
        let response = app.engine.chat_command(&caller.principal, &chat.peer, line, idempotency_key).await?;
        return Ok(OrWaits::Ended(Json(Answer { response, ..Answer::default() })));
    }
    let place = app.rush.enter().await?;
    let accepted = app.engine.accept_chat(user_id, &chat.peer, chat.message, idempotency_key).await?;
    drop(place);
    let (session_id, accepted) = accepted;
    let turn_id = accepted.turn_id;
    let reader = app.engine.follow_turn(user_id, session_id, turn_id, accepted.after).await?;
    let ended = match fold(&app, user_id, turn_id, reader).await? {
        Folded::Waits(waiting) => return Ok(OrWaits::Waits(waiting)),
        Folded::Ended(ended) => ended,
    };
    Ok(OrWaits::Ended(Json(Answer {
        response: ended.last_message.map(|(_, words)| words).unwrap_or_default(),
        outcome: Some(ended.outcome),
        session_id: Some(session_id),
        turn_id: Some(turn_id),
    })))
}

/// THREAT[chat-01] Whoever may name the source decides whose words these are taken for; that takes a key that was made
/// for it.
fn check_source(caller: &Caller, peer: &Peer) -> Result<(), Problem> {
    match (peer.is_bridged(), caller.principal.scope() == Some(Scope::Bridge)) {
        (true, true) | (false, false) => Ok(()),
        (true, false) => {
            let detail = "a source other than cli needs a key of the scope bridge; make one with: \
                          majordomo api-key new --scope bridge";
            Err(Problem::new(StatusCode::FORBIDDEN, "scope_insufficient", detail))
        }
        (false, true) => {
            let detail = "a key of the scope bridge delivers what others say: name in `source` where it was said; for your \
                          own words use a key of the scope chat";
            Err(Problem::bad_request("source_missing", detail))
        }
    }
}
