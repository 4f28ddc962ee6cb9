//! What a reminder shows at its time: a message in its conversation, without a model and without a turn.

use super::reckon::Reckoning;
use crate::{engine::Engine, error::Result};
use domain::{
    Event, Message, MessageId, MessageKind, Meta, Part, Role, Schedule, SessionId, Timestamp, TurnId, UserId,
};
use store::{
    DataKey, Tx,
    log::{self, Entry},
    messages, sessions,
};

/// What is shown, and where; `None` when that conversation is gone. It needs no agent, and no room for a turn.
pub(super) async fn message(
    engine: &Engine,
    schedule: &Schedule,
    reckoning: Reckoning,
    now: Timestamp,
) -> Result<Option<(SessionId, Box<Message>)>> {
    let Schedule { user_id, session_id, number, label, plan, .. } = schedule;
    let Some(session) = *session_id else { return Ok(None) };
    match engine.session(*user_id, session).await {
        Ok(_) => {}
        Err(error) if error.is_callers() => return Ok(None),
        Err(error) => return Err(error),
    }
    let ids = &engine.inner.ids;
    let (id, turn) = (MessageId::from_uuid(ids.uuid()), TurnId::from_uuid(ids.uuid()));
    let mut message = Message::new(id, turn, Role::System, now);
    message.content.clone_from(&plan.note);
    if reckoning.is_late {
        let late = now.as_millis().saturating_sub(reckoning.due.as_millis());
        message.content.push_str(&late_words(late));
    }
    message.parts.push(Part::Text { text: message.content.clone() });
    message.label = *label;
    message.meta = Meta { kind: Some(MessageKind::Reminder), number: Some(*number), ..Meta::default() };
    Ok(Some((session, Box::new(message))))
}

/// The message is part of the newest turn, so that it parts no call of that turn from its result.
pub(super) fn show(
    tx: &mut Tx,
    key: &DataKey,
    (user, session): (UserId, SessionId),
    mut message: Message,
) -> store::Result<Vec<Event>> {
    let now = message.created_at;
    let number = sessions::take_message(tx, user, session, now)?;
    if let Some(turn) = messages::newest_turn(tx, session)? {
        message.turn_id = turn;
    }
    log::append(tx, key, number, now, vec![Entry::Message(message)])
}

/// That it comes too late, and by how much.
fn late_words(millis: i64) -> String {
    let minutes = millis / 60_000;
    let (count, unit) = match minutes {
        ..120 => (minutes, "minutes"),
        120..2_880 => (minutes / 60, "hours"),
        _ => (minutes / 1_440, "days"),
    };
    format!(" ({count} {unit} late)")
}
