use crate::world::{World, at, new_message, turn_id, uuid};
use domain::{AgentState, CallId, Event, EventBody, Part, ResultStatus, Role, TurnId};
use store::{
    Error, Tx,
    log::{self, Entry, EventFilter},
    sessions,
};

fn status(turn: TurnId, state: AgentState) -> Entry {
    Entry::Event { turn_id: Some(turn), body: EventBody::AgentStatus { state } }
}

async fn read(world: &World, after: u64, limit: u32, filter: EventFilter) -> Vec<Event> {
    let (key, session) = (world.key.clone(), world.session);
    let read = move |tx: &mut Tx| log::read(tx, &key, session, after, limit, filter);
    world.store.read(read).await.unwrap().events
}

pub async fn events_and_messages_share_one_order(world: World) {
    let turn = turn_id();
    let question = new_message(turn, Role::User, "how warm is it?");
    let answer = new_message(turn, Role::Assistant, "warm");
    let call_id = CallId::from_uuid(uuid());
    let mut result = new_message(turn, Role::Tool, "{\"degrees\":30}");
    result.parts = vec![Part::Result {
        call_id,
        name: "test_weather".to_owned(),
        status: ResultStatus::Ok,
        content: result.content.clone(),
    }];
    let before = world.store.counts();
    let written = world
        .append_log(vec![
            Entry::Message(question.clone()),
            status(turn, AgentState::Working),
            Entry::Message(result),
            Entry::Message(answer),
            Entry::Event { turn_id: None, body: EventBody::SessionUpdated(serde_json::json!({"name": "x"})) },
        ])
        .await;
    // The session's numbers, the events, the messages.
    assert_eq!(world.store.counts().statements - before.statements, 3);
    assert_eq!(written.iter().map(|event| event.seq).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    let kinds: Vec<_> = written.iter().map(|event| event.body.type_name()).collect();
    assert_eq!(kinds, ["user_message", "agent_status", "tool_result", "message_complete", "session_updated"]);
    assert!(matches!(&written[2].body, EventBody::ToolResult { call_id: id, .. } if *id == call_id));
    assert_eq!(read(&world, 0, 100, EventFilter::default()).await, written);
}

pub async fn events_are_read_by_cursor_type_and_turn(world: World) {
    let (one, two) = (turn_id(), turn_id());
    world
        .append(vec![
            status(one, AgentState::Working),
            Entry::Message(new_message(one, Role::User, "x")),
            status(two, AgentState::Working),
            status(two, AgentState::Completed),
        ])
        .await;
    let seqs = |events: Vec<Event>| events.into_iter().map(|event| event.seq).collect::<Vec<_>>();
    let types = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let of_turn = EventFilter { turn_id: Some(two), ..EventFilter::default() };
    let of_type = EventFilter { types: types(&["agent_status", "agent_status", "nonsense"]), turn_id: None };
    let unknown = EventFilter { types: types(&["nonsense'; DROP TABLE events"]), turn_id: None };
    assert_eq!(seqs(read(&world, 1, 2, EventFilter::default()).await), [2, 3]);
    assert_eq!(seqs(read(&world, 0, 10, of_turn).await), [3, 4]);
    assert_eq!(seqs(read(&world, 0, 10, of_type.clone()).await), [1, 3, 4]);
    assert_eq!(seqs(read(&world, 0, 10, EventFilter { turn_id: Some(one), ..of_type }).await), [1]);
    assert_eq!(seqs(read(&world, 0, 10, unknown).await), [0; 0]);
    assert_eq!(seqs(read(&world, u64::MAX, u32::MAX, EventFilter::default()).await), [0; 0]);
}

pub async fn a_number_is_given_out_once(world: World) {
    world.append(vec![status(turn_id(), AgentState::Working)]).await;
    let (key, session, user) = (world.key.clone(), world.session, world.user);
    world.tamper("UPDATE sessions SET last_seq = 0", vec![]).await;
    let again = move |tx: &mut Tx| {
        let numbers = sessions::take_seq(tx, user, session, 1, at(2))?;
        log::append(tx, &key, numbers, at(2), vec![status(turn_id(), AgentState::Failed)])
    };
    let refused = world.store.write(again).await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
}

pub async fn entries_are_as_many_as_the_numbers_taken_for_them(world: World) {
    let (session, user, turn) = (world.session, world.user, turn_id());
    for (taken, entries) in [(2, 1), (1, 2), (1, 0)] {
        let key = world.key.clone();
        let write = move |tx: &mut Tx| {
            let numbers = sessions::take_seq(tx, user, session, taken, at(1))?;
            let states = (0..entries).map(|_| status(turn, AgentState::Working)).collect();
            log::append(tx, &key, numbers, at(1), states)
        };
        assert_eq!(world.store.write(write).await, Err(Error::Misnumbered { taken, entries }));
    }
    assert_eq!(world.append(vec![status(turn, AgentState::Working)]).await.first().unwrap().seq, 1);
}

/// Whatever is asked for, a piece has about a megabyte, and says whether there is more.
pub async fn a_piece_of_the_log_ends_at_bytes(world: World) {
    let turn = turn_id();
    let long = "x".repeat(300 << 10);
    for _ in 0..5 {
        world.append(vec![Entry::Message(new_message(turn, Role::User, &long))]).await;
        let body = EventBody::SessionUpdated(serde_json::json!({ "name": long }));
        world.append(vec![Entry::Event { turn_id: None, body }]).await;
    }
    let (mut after, mut pieces, mut seen) = (0, 0, Vec::new());
    loop {
        let (key, session) = (world.key.clone(), world.session);
        let all = EventFilter::default();
        let read = move |tx: &mut Tx| log::read(tx, &key, session, after, 1_000, all);
        let piece = world.store.read(read).await.unwrap();
        assert!((1..=4).contains(&piece.events.len()), "{} at once", piece.events.len());
        pieces += 1;
        after = piece.events.last().unwrap().seq;
        seen.extend(piece.events.into_iter().map(|event| event.seq));
        if !piece.more {
            break;
        }
    }
    assert_eq!((seen, pieces), ((1..=10).collect(), 3));
    // The control: where the rows are few, it says so, too; and one that is larger than a piece comes all the same.
    let (key, session) = (world.key.clone(), world.session);
    let two = move |tx: &mut Tx| log::read(tx, &key, session, 0, 2, EventFilter::default());
    let two = world.store.read(two).await.unwrap();
    assert_eq!((two.events.len(), two.more), (2, true));
    world.append(vec![Entry::Message(new_message(turn, Role::User, &"y".repeat(2 << 20)))]).await;
    assert_eq!(read(&world, 10, 100, EventFilter::default()).await.len(), 1);
}
