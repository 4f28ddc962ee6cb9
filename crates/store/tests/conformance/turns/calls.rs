use crate::world::{World, at, new_message, turn_id, uuid};
use domain::{
    CallId, CallStatus, EffectClass, EventBody, MessageId, ModelCallId, Origin, Part, ResultStatus, Role,
    TurnId, Usage,
};
use serde_json::json;
use store::{
    Tx, args,
    calls::{self, NewCall, TextCallDetails},
    log::{self, Entry},
    model_calls::{self, EndedModelCall, NewModelCall},
};

fn two_calls(world: &World, turn: TurnId) -> Vec<NewCall> {
    let message_id = MessageId::from_uuid(uuid());
    let call = |position: u32, name: &str, origin, class| NewCall {
        id: CallId::from_uuid(uuid()),
        session_id: world.session,
        turn_id: turn,
        user_id: world.user,
        message_id,
        position,
        name: name.to_owned(),
        arguments: json!({"n": position}),
        origin,
        class,
        made: TextCallDetails { element_id: Some("e1".to_owned()), ..TextCallDetails::default() },
    };
    // The second is stored first: the order is that of the positions.
    vec![
        call(1, "second", Origin::Pattern, EffectClass::Read),
        call(0, "first", Origin::Native, EffectClass::Effect),
    ]
}

async fn insert(world: &World, calls: Vec<NewCall>) {
    let key = world.key.clone();
    world.store.write(move |tx: &mut Tx| calls::insert(tx, &key, &calls, at(0))).await.unwrap();
}

pub async fn calls_come_back_in_their_order(world: World) {
    let turn = turn_id();
    insert(&world, two_calls(&world, turn)).await;
    let key = world.key.clone();
    let found = world.store.read(move |tx: &mut Tx| calls::of_turn(tx, &key, turn)).await.unwrap();
    let seen: Vec<_> =
        found.iter().map(|c| (c.name.as_str(), c.origin, c.class, c.status, c.attempt)).collect();
    assert_eq!(
        seen,
        [
            ("first", Origin::Native, EffectClass::Effect, CallStatus::Pending, 0),
            ("second", Origin::Pattern, EffectClass::Read, CallStatus::Pending, 0)
        ]
    );
    assert_eq!(found[1].arguments, json!({"n": 1}));
}

fn settled(status: ResultStatus, result_seq: u64, at: domain::Timestamp) -> calls::Settled {
    calls::Settled { status, result_seq, started_at: None, at }
}

pub async fn a_call_is_settled_once(world: World) {
    let turn = turn_id();
    let calls = two_calls(&world, turn);
    let id = calls[0].id;
    insert(&world, calls).await;
    let (started, first, again, restarted) = world
        .store
        .write(move |tx: &mut Tx| {
            let started = calls::start(tx, id, at(1))?;
            let first = calls::settle(tx, id, settled(ResultStatus::Ok, 7, at(2)))?;
            let again = calls::settle(tx, id, settled(ResultStatus::Unknown, 8, at(3)))?;
            Ok((started, first, again, calls::start(tx, id, at(4))?))
        })
        .await
        .unwrap();
    assert_eq!((started, first, again, restarted), (true, true, false, false));
    let key = world.key.clone();
    let found = world.store.read(move |tx: &mut Tx| calls::of_turn(tx, &key, turn)).await.unwrap();
    let call = found.into_iter().find(|call| call.id == id).unwrap();
    assert_eq!((call.status, call.attempt, call.result_seq), (CallStatus::Ok, 1, Some(7)));
}

pub async fn calls_without_a_result_are_found_without_their_words(world: World) {
    let turn = turn_id();
    let calls = two_calls(&world, turn);
    let (second, first) = (calls[0].id, calls[1].id);
    insert(&world, calls).await;
    let message_id = MessageId::from_uuid(uuid());
    let agent_name = "Ada".to_owned();
    let body = EventBody::MessageStart { message_id, agent_id: world.agent.id, agent_name };
    world.append(vec![Entry::Event { turn_id: Some(turn), body }]).await;
    let (session, key) = (world.session, world.key.clone());
    let (all, rest, open) = world
        .store
        .write(move |tx: &mut Tx| {
            tx.run("UPDATE calls SET body = $1 WHERE turn_id = $2", args![vec![7_u8; 60], turn])?;
            let all = calls::open_of_turn(tx, turn)?;
            calls::settle(tx, first, settled(ResultStatus::Ok, 7, at(2)))?;
            let open = log::open_message(tx, &key, session, turn)?;
            Ok((all, calls::open_of_turn(tx, turn)?, open))
        })
        .await
        .unwrap();
    assert_eq!(all.iter().map(|call| call.id).collect::<Vec<_>>(), [first, second]);
    assert_eq!(
        rest.iter().map(|call| (call.id, call.status)).collect::<Vec<_>>(),
        [(second, CallStatus::Pending)]
    );
    assert_eq!(open, Some(message_id));
    world.append(vec![Entry::Message(new_message(turn, Role::Assistant, "Done."))]).await;
    let key = world.key.clone();
    let open = move |tx: &mut Tx| log::open_message(tx, &key, session, turn);
    assert_eq!(world.store.read(open).await.unwrap(), None);
}

pub async fn a_listed_call_has_its_result(world: World) {
    let turn = turn_id();
    let calls = two_calls(&world, turn);
    let (id, other) = (calls[0].id, calls[1].id);
    insert(&world, calls).await;
    let mut result = new_message(turn, Role::Tool, "42");
    result.parts = vec![Part::Result {
        call_id: id,
        name: "second".to_owned(),
        status: ResultStatus::Ok,
        content: "42".to_owned(),
    }];
    let seq = world.append(vec![Entry::Message(result)]).await[0].seq;
    let key = world.key.clone();
    let listed = world
        .store
        .write(move |tx: &mut Tx| {
            calls::start(tx, id, at(10))?;
            calls::settle(tx, id, settled(ResultStatus::Ok, seq, at(35)))?;
            // One that may run again is not noted as begun: its time comes with its result.
            let unnoted =
                calls::Settled { started_at: Some(at(30)), ..settled(ResultStatus::Ok, seq, at(37)) };
            calls::settle(tx, other, unnoted)?;
            calls::listed(tx, &key, turn)
        })
        .await
        .unwrap();
    let seen: Vec<_> =
        listed.iter().map(|c| (c.name.as_str(), c.status, c.content.as_deref(), c.duration_ms)).collect();
    assert_eq!(
        seen,
        [("first", CallStatus::Ok, None, Some(7)), ("second", CallStatus::Ok, Some("42"), Some(25))]
    );
}

pub async fn model_calls_end_once(world: World) {
    let turn = turn_id();
    let new = |step| NewModelCall {
        id: ModelCallId::from_uuid(uuid()),
        session_id: world.session,
        turn_id: turn,
        user_id: world.user,
        agent_id: world.agent.id,
        step,
        attempt: 1,
        model: "demo/demo".to_owned(),
        at: at(0),
    };
    let (one, two) = (new(0), new(1));
    // A provider may claim any number.
    let usage = Usage { input_tokens: u64::MAX, output_tokens: 5, cached_tokens: 0, cost_microusd: Some(9) };
    let (finished, again, failed, none_left, ended) = world
        .store
        .write(move |tx: &mut Tx| {
            model_calls::start(tx, &one)?;
            model_calls::start(tx, &two)?;
            let ended = EndedModelCall { ok: true, usage, requests: Some(1), estimated: false };
            let finished = model_calls::finish(tx, one.id, ended, at(1))?;
            let again = model_calls::finish(tx, one.id, EndedModelCall::UNSENT, at(2))?;
            let failed = model_calls::fail_open(tx, turn, at(3))?;
            let none_left = model_calls::fail_open(tx, turn, at(4))?;
            let sql = "SELECT status, cost_microusd FROM model_calls WHERE turn_id = $1 ORDER BY step";
            let ended: Vec<(String, Option<u64>)> = tx.all(sql, args![turn])?;
            Ok((finished, again, failed, none_left, ended))
        })
        .await
        .unwrap();
    assert_eq!((finished, again, failed, none_left), (true, false, 1, 0));
    assert_eq!(ended, [("ok".to_owned(), Some(9)), ("failed".to_owned(), None)]);
}
