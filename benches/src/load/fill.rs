//! A history that was never said, written straight into the store: what it would take hours to say.

use anyhow::Result;
use domain::{
    AgentId, AgentState, EventBody, InputId, InputMode, MarkupSettings, Message, MessageId, Part, Role,
    SessionId, Source, StopReason, Timestamp, TurnId, TurnOutcome, Usage, UserId,
};
use store::{
    Store, Tx,
    log::{self, Entry},
    sessions,
};
use uuid::Uuid;

/// Events of a plain turn.
pub const EVENTS_PER_TURN: u64 = 9;
const TURNS_AT_ONCE: u64 = 100;

/// Appends so many plain turns to a session: what each of them leaves in the log.
pub async fn turns(store: &Store, user: UserId, session: SessionId, turns: u64) -> Result<()> {
    let key = store.data_key(user).await?;
    let now = Timestamp::from_millis(1_800_000_000_000);
    for from in (0..turns).step_by(TURNS_AT_ONCE as usize) {
        let numbers = from..turns.min(from + TURNS_AT_ONCE);
        let entries: Vec<Entry> = numbers.flat_map(|number| turn(number, now)).collect();
        let key = key.clone();
        let write = move |tx: &mut Tx| {
            let numbers = sessions::take_seq(tx, user, session, entries.len() as u64, now)?;
            log::append(tx, &key, numbers, now, entries).map(drop)
        };
        store.write(write).await?;
    }
    Ok(())
}

fn turn(number: u64, now: Timestamp) -> [Entry; EVENTS_PER_TURN as usize] {
    let turn_id = TurnId::from_uuid(Uuid::now_v7());
    let event = |body| Entry::Event { turn_id: Some(turn_id), body };
    let reply = MessageId::from_uuid(Uuid::now_v7());
    let input_id = InputId::from_uuid(Uuid::now_v7());
    let agent_id = AgentId::from_uuid(Uuid::nil());
    [
        event(EventBody::InputAccepted { input_id, turn_id, mode: InputMode::Queue, source: Source::Web }),
        event(EventBody::TurnStarted { source: Source::Web, attempt: 1 }),
        Entry::Message(said(Role::User, MessageId::from_uuid(Uuid::now_v7()), turn_id, number, now)),
        event(EventBody::AgentStatus { state: AgentState::Working }),
        event(EventBody::MessageStart { message_id: reply, agent_id, agent_name: "assistant".to_owned() }),
        event(EventBody::Usage(Usage::ZERO)),
        Entry::Message(said(Role::Assistant, reply, turn_id, number, now)),
        event(EventBody::AgentStatus { state: AgentState::Completed }),
        event(EventBody::TurnEnded { outcome: TurnOutcome::Completed, error: None, usage: Usage::ZERO }),
    ]
}

fn said(role: Role, id: MessageId, turn: TurnId, number: u64, now: Timestamp) -> Message {
    let is_reply = role == Role::Assistant;
    let content = match is_reply {
        true => format!("This is reply number {number}: {}", "a few words of an answer, ".repeat(8)),
        false => format!("This is question number {number}. What is the answer to it?"),
    };
    Message {
        parts: vec![Part::Text { text: content.clone() }],
        content,
        markup: is_reply.then(MarkupSettings::default),
        stop_reason: is_reply.then_some(StopReason::Completed),
        ..Message::new(id, turn, role, now)
    }
}
