use super::body::{Chat, ChatBody};
use crate::{
    app::App,
    caller::Caller,
    json::Json,
    problem::Problem,
    request::{body::JsonBody, extract::IdempotencyKey},
    route::messages::{Folded, Followed, InputRequired, LastMessage, OrWaits, Waiting, WaitsFor, fold},
};
use axum::extract::State;
use domain::{SessionId, TurnId, TurnOutcome, UserId};
use engine::{DENIED, HELD, Peer, Telling};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

#[derive(Default, JsonSchema, Serialize)]
#[schemars(rename = "ChatAnswer")]
pub(crate) struct ChatAnswer {
    /// The agent's last message. A turn that failed has one, too, which says so.
    response: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<TurnOutcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<SessionId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn_id: Option<TurnId>,
}

/// What such clients show while the agent has not said anything yet.
const WAITS: &str = "Your message is queued. The agent needs an answer first.";

/// Says something to the person's agent `main`, in the one session of the peer who speaks, and waits for the answer.
pub(crate) async fn send(
    State(app): State<App>,
    caller: Caller,
    IdempotencyKey(idempotency_key): IdempotencyKey,
    JsonBody(body): JsonBody<ChatBody>,
) -> Result<OrWaits<ChatAnswer>, Problem> {
    let chat = Chat::read(body)?;
    app.engine.check_peer(&caller.principal, &chat.peer).await?;
    let user_id = caller.user_id;
    if chat.is_stop() {
        if let Some(session) = app.engine.existing_chat_session(user_id, &chat.peer).await? {
            app.engine.abort(user_id, session, idempotency_key).await?;
        }
        return Ok(only("Aborted.".to_owned()));
    }
    if let Some(line) = chat.command() {
        return Ok(only(commanded(&app, &caller, &chat.peer, line, idempotency_key).await?));
    }
    // Not before the body was read: a stop passes whatever else has to wait.
    app.overload.check(app.running())?;
    caller.check_answers(chat.answers)?;
    let parkings = app.engine.parkings(user_id);
    let key = key_for(&chat.peer, idempotency_key);
    let repeat_with = key.clone().filter(|_| chat.peer.is_bridged());
    let place = app.overload.enter(app.running()).await?;
    let (session_id, accepted) =
        app.engine.accept_chat(user_id, &chat.peer, chat.message, chat.answers, key).await?;
    drop(place);
    let turn_id = accepted.turn_id;
    let reader = app.engine.follow_turn(user_id, session_id, turn_id, accepted.after).await?;
    let turn = Followed { user: user_id, session_id, accepted, reader, parkings };
    let ended = match fold(&app, turn).await? {
        Folded::Waits(waiting, said) => {
            let said = so_far(&app, user_id, session_id, &chat.peer, said).await?;
            let response = Some(said.unwrap_or_else(|| WAITS.to_owned()));
            return Ok(OrWaits::Waits(Waiting { response, repeat_with, ..waiting }));
        }
        Folded::Ended(ended) => ended,
    };
    let response = match ended.last_message {
        None => String::new(),
        Some(last) if !chat.peer.is_bridged() => last.words,
        Some(last) => match app.engine.tell_peer(user_id, &chat.peer, session_id, last.id).await? {
            Telling::Told(words) => words,
            Telling::Denied => DENIED.to_owned(),
            Telling::Held(approval_id) => {
                let (outcome, response) = (InputRequired::InputRequired, Some(HELD.to_owned()));
                let waiting = vec![WaitsFor::Approval { approval_id }];
                return Ok(OrWaits::Waits(Waiting { turn_id, outcome, waiting, response, repeat_with }));
            }
        },
    };
    Ok(OrWaits::Ended(Json(ChatAnswer {
        response,
        outcome: Some(ended.outcome),
        session_id: Some(session_id),
        turn_id: Some(turn_id),
    })))
}

/// What a slash line does. One that asks the model waits as messages do.
async fn commanded(
    app: &App,
    caller: &Caller,
    peer: &Peer,
    line: &str,
    key: Option<String>,
) -> Result<String, Problem> {
    let _place = app.overload.enter_for(line, app.running()).await?;
    Ok(app.engine.chat_command(&caller.principal, peer, line, key).await?)
}

/// An answer without a turn behind it.
fn only(response: String) -> OrWaits<ChatAnswer> {
    OrWaits::Ended(Json(ChatAnswer { response, ..ChatAnswer::default() }))
}

/// A bridge that sent no key gets one to come back with: its answer may have to wait for an approval.
fn key_for(peer: &Peer, sent: Option<String>) -> Option<String> {
    sent.or_else(|| peer.is_bridged().then(|| format!("chat-{}", Uuid::now_v7().as_simple())))
}

/// What is told while the turn waits: to a peer, nothing that is not theirs.
async fn so_far(
    app: &App,
    user: UserId,
    session: SessionId,
    peer: &Peer,
    said: Option<LastMessage>,
) -> Result<Option<String>, Problem> {
    match said {
        Some(said) if peer.is_bridged() => {
            Ok(Some(app.engine.told_meanwhile(user, peer, session, said.id).await?))
        }
        said => Ok(said.map(|said| said.words)),
    }
}
