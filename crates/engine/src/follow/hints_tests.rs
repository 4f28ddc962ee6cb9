use super::*;
use domain::{InputId, InputMode, Source, Timestamp, TurnId};
use uuid::Uuid;

fn user(number: u128) -> UserId {
    UserId::from_uuid(Uuid::from_u128(number))
}

fn session(number: u128) -> SessionId {
    SessionId::from_uuid(Uuid::from_u128(number))
}

fn event(session_id: SessionId, seq: u64, body: EventBody) -> Event {
    Event { seq, at: Timestamp::from_millis(0), session_id, turn_id: None, body }
}

fn accepted(session_id: SessionId, seq: u64) -> Event {
    let (input_id, turn_id) = (InputId::from_uuid(Uuid::nil()), TurnId::from_uuid(Uuid::nil()));
    let body = EventBody::InputAccepted { input_id, turn_id, mode: InputMode::Queue, source: Source::Web };
    event(session_id, seq, body)
}

fn status(session_id: SessionId, seq: u64, state: AgentState) -> Event {
    event(session_id, seq, EventBody::AgentStatus { state })
}

fn glance(session_id: SessionId, last_seq: u64, status: SessionStatus) -> Glance {
    Glance { session_id, last_seq, status }
}

async fn heard(reader: &mut HintReader, count: usize) -> Vec<(u64, SessionStatus)> {
    let mut heard = Vec::new();
    for _ in 0..count {
        let hint = reader.next().await.unwrap();
        heard.push((hint.glance.last_seq, hint.glance.status));
    }
    heard
}

#[tokio::test]
async fn a_reader_hears_of_its_person_only_and_of_nothing_before_it() {
    let hints = Hints::default();
    hints.events(user(1), &[accepted(session(1), 1)]);
    let mut reader = hints.listen(user(1));
    hints.events(user(2), &[accepted(session(9), 1)]);
    hints.events(user(1), &[accepted(session(1), 2)]);
    let hint = reader.next().await.unwrap();
    assert_eq!(hint.glance, glance(session(1), 2, SessionStatus::Idle));
    assert_eq!(hint.what, What::Event { seq: 2, event_type: "input_accepted" });
    assert!(futures_util::FutureExt::now_or_never(reader.next()).is_none());
}

#[tokio::test]
async fn the_status_follows_the_events() {
    use SessionStatus::{Failed, Idle, InputRequired, Working};
    let hints = Hints::default();
    let mut reader = hints.listen(user(1));
    reader.begin_after(&[glance(session(1), 3, Failed)]);
    let states = [
        AgentState::Working,
        AgentState::InputRequired,
        AgentState::Working,
        AgentState::Completed,
        AgentState::Working,
        AgentState::Cancelled,
        AgentState::Failed,
    ];
    let events: Vec<Event> = (5..).zip(states).map(|(seq, state)| status(session(1), seq, state)).collect();
    hints.events(user(1), &[accepted(session(1), 3), accepted(session(1), 4)]);
    hints.events(user(1), &events);
    let expected = [
        (4, Failed),
        (5, Working),
        (6, InputRequired),
        (7, Working),
        (8, Idle),
        (9, Working),
        (10, Idle),
        (11, Failed),
    ];
    assert_eq!(heard(&mut reader, 8).await, expected, "what the snapshot had is not told again");
}

#[tokio::test]
async fn what_is_told_late_changes_nothing_that_is_newer() {
    let hints = Hints::default();
    let mut reader = hints.listen(user(1));
    hints.events(user(1), &[status(session(1), 2, AgentState::Completed)]);
    hints.events(user(1), &[status(session(1), 1, AgentState::Working)]);
    assert_eq!(heard(&mut reader, 2).await, [(2, SessionStatus::Idle), (2, SessionStatus::Idle)]);
}

#[tokio::test]
async fn sessions_come_and_go() {
    let hints = Hints::default();
    let mut reader = hints.listen(user(1));
    hints.session(user(1), session(1), What::Created);
    hints.session(user(1), session(1), What::Deleted);
    assert_eq!(reader.next().await.unwrap().what, What::Created);
    assert_eq!(reader.next().await.unwrap().what, What::Deleted);
    assert!(reader.known.is_empty());
}

#[tokio::test]
async fn a_reader_that_is_too_slow_is_told() {
    let hints = Hints::default();
    let (mut slow, mut quick) = (hints.listen(user(1)), hints.listen(user(1)));
    for seq in 1..=RING as u64 {
        hints.events(user(1), &[accepted(session(1), seq)]);
        quick.next().await.unwrap();
    }
    hints.events(user(1), &[accepted(session(1), RING as u64 + 1)]);
    assert_eq!(quick.next().await.unwrap().glance.last_seq, RING as u64 + 1);
    assert!(matches!(slow.next().await, Err(Error::TooSlow)));
    let state = lock(&slow.ring.state);
    assert_eq!(state.marks.len(), RING);
}

#[tokio::test]
async fn nothing_is_kept_for_people_whom_nobody_follows() {
    let hints = Hints::default();
    for number in 0..100 {
        drop(hints.listen(user(number)));
    }
    let held = hints.listen(user(1));
    assert_eq!(lock(&hints.rings).len(), 1);
    drop(held);
    hints.events(user(1), &[accepted(session(1), 1)]);
    assert!(hints.existing(user(1)).is_none());
}

/// A request that waits for an answer is not woken by what happens elsewhere, and hears of every turn that waits.
#[tokio::test]
async fn a_turn_that_waits_is_heard_of_however_much_happens_besides() {
    let hints = Hints::default();
    hints.events(user(1), &[status(session(9), 1, AgentState::InputRequired)]);
    let mut reader = hints.listen_for_parking(user(1));
    let many: Vec<Event> = (1..=2 * RING as u64).map(|seq| accepted(session(1), seq)).collect();
    hints.events(user(1), &many);
    assert!(!reader.changed.has_changed().unwrap(), "nothing of that wakes it");
    assert!(futures_util::FutureExt::now_or_never(reader.next()).is_none());
    hints.events(user(1), &[status(session(2), 1, AgentState::InputRequired)]);
    hints.events(user(1), &many);
    hints.events(user(1), &[status(session(3), 1, AgentState::InputRequired)]);
    assert_eq!(reader.next().await, Some(session(2)));
    assert_eq!(reader.next().await, Some(session(3)));
    for number in 0..=PARKED as u64 {
        hints.events(user(1), &[status(session(4), number + 1, AgentState::InputRequired)]);
    }
    assert_eq!(reader.next().await, None, "one that is too slow is told");
    assert!(futures_util::FutureExt::now_or_never(reader.next()).is_none());
}
