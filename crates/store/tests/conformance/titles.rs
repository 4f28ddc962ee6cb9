use crate::world::{World, at, new_session, turn_id, uuid};
use domain::{ModelCallId, SessionId, Usage, UserId};
use store::{
    Result, Tx, args, idempotency,
    idempotency::{KeyUse, Keyed},
    model_calls::{self, NewModelCall},
    sessions, titles,
};

const USAGE: Usage = Usage { input_tokens: 10, output_tokens: 5, cached_tokens: 1, cost_microusd: Some(7) };

async fn unnamed(world: &World) -> SessionId {
    let session = new_session(&world.agent, None);
    let (id, key) = (session.id, world.key.clone());
    world.store.write(move |tx: &mut Tx| sessions::create(tx, &key, &session)).await.unwrap();
    id
}

async fn take_try(world: &World, user: UserId, id: SessionId) -> bool {
    world.store.write(move |tx: &mut Tx| titles::take_try(tx, user, id)).await.unwrap()
}

async fn give(world: &World, id: SessionId, title: &'static str) -> Option<u64> {
    let (user, key) = (world.user, world.key.clone());
    let write = move |tx: &mut Tx| titles::give(tx, &key, user, id, title, USAGE);
    world.store.write(write).await.unwrap().map(|numbers| numbers.last())
}

async fn unfinished(world: &World) -> Vec<(SessionId, UserId)> {
    world.store.read(|tx: &mut Tx| titles::unfinished(tx, at(-1), at(0), 10)).await.unwrap()
}

pub async fn a_title_is_given_once_and_never_over_a_name(world: World) {
    let id = unnamed(&world).await;
    let (stranger, ..) = world.stranger().await;
    assert!(!take_try(&world, stranger, id).await);
    assert_eq!(unfinished(&world).await, []);
    assert!(take_try(&world, world.user, id).await);
    assert_eq!(unfinished(&world).await, [(id, world.user)]);
    assert_eq!(give(&world, id, "Dinner").await, Some(1));
    assert_eq!(give(&world, id, "Lunch").await, None);
    assert_eq!((take_try(&world, world.user, id).await, unfinished(&world).await), (false, vec![]));
    let (user, key) = (world.user, world.key.clone());
    let read = move |tx: &mut Tx| sessions::get(tx, &key, user, id);
    let session = world.store.read(read).await.unwrap().unwrap();
    assert_eq!((session.name.as_deref(), session.usage, session.updated_at), (Some("Dinner"), USAGE, at(0)));
    // The session of every world has a name already.
    assert!(!take_try(&world, world.user, world.session).await);
    assert_eq!(give(&world, world.session, "Mine").await, None);
}

pub async fn tries_run_out(world: World) {
    let id = unnamed(&world).await;
    let mut tries = 0;
    while take_try(&world, world.user, id).await {
        tries += 1;
    }
    assert_eq!((tries, unfinished(&world).await), (3, vec![]));
}

/// The title's own request; not a summary that is made under the same turn, nor one of the turn.
pub async fn what_a_try_left_open_is_closed_and_nothing_else(world: World) {
    let turn = turn_id();
    let new = |step, attempt| NewModelCall {
        id: ModelCallId::from_uuid(uuid()),
        session_id: world.session,
        turn_id: turn,
        user_id: world.user,
        agent_id: world.agent.id,
        step,
        attempt,
        model: "demo/demo".to_owned(),
        at: at(0),
    };
    let calls = [new(0, 0), new(0, 1), new(1, 0)];
    let write = move |tx: &mut Tx| {
        for call in &calls {
            model_calls::start(tx, call)?;
        }
        titles::give_up_call(tx, turn_id(), at(1))?;
        titles::give_up_call(tx, turn, at(2))?;
        tx.all(
            "SELECT step, attempt, status, ended_at FROM model_calls WHERE turn_id = $1 ORDER BY step, attempt",
            args![turn],
        )
    };
    let left: Vec<(u64, u64, String, Option<i64>)> = world.store.write(write).await.unwrap();
    let started = || "started".to_owned();
    let ended = Some(at(2).as_millis());
    assert_eq!(left, [(0, 0, "failed".to_owned(), ended), (0, 1, started(), None), (1, 0, started(), None)]);
}

pub async fn a_repeated_key_finds_what_the_first_made(world: World) {
    let (stranger, ..) = world.stranger().await;
    let keyed = |user_id, resource: &str, key: &str, body: &str, made: &str| Keyed {
        user_id,
        resource: resource.to_owned(),
        key: key.to_owned(),
        body: body.as_bytes().to_vec(),
        made: made.to_owned(),
        at: at(0),
    };
    let note = async |keyed: Keyed| -> Result<KeyUse> {
        let vault = world.store.vault().clone();
        world.store.write(move |tx: &mut Tx| idempotency::note(tx, &vault, &keyed)).await
    };
    let repeat = |same_body| Ok(KeyUse::Repeat { made: "1".to_owned(), same_body });
    assert_eq!(note(keyed(world.user, "fork a", "k", "x", "1")).await, Ok(KeyUse::First));
    assert_eq!(note(keyed(world.user, "fork a", "k", "x", "2")).await, repeat(true));
    assert_eq!(note(keyed(world.user, "fork a", "k", "y", "3")).await, repeat(false));
    assert_eq!(note(keyed(world.user, "fork b", "k", "x", "4")).await, Ok(KeyUse::First));
    assert_eq!(note(keyed(stranger, "fork a", "k", "x", "5")).await, Ok(KeyUse::First));
    let prune = |tx: &mut Tx| Ok((idempotency::prune(tx, at(0))?, idempotency::prune(tx, at(1))?));
    assert_eq!(world.store.write(prune).await, Ok((0, 3)));
    assert_eq!(note(keyed(world.user, "fork a", "k", "y", "6")).await, Ok(KeyUse::First));
}
