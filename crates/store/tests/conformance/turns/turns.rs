use crate::world::{World, at, turn_id, uuid};
use domain::{NodeId, Source, TurnId, TurnOutcome, TurnStatus};
use store::{
    DataKey, Error, Tx, args, sessions,
    turns::{self, NewTurn, SealedState, TurnUpdate},
};

fn node() -> NodeId {
    NodeId::from_uuid(uuid())
}

fn new_turn(world: &World, position: u64, status: TurnStatus, owner: Option<NodeId>) -> NewTurn {
    NewTurn {
        id: turn_id(),
        session_id: world.session,
        user_id: world.user,
        position,
        source: Source::Web,
        status,
        owner,
        epoch: u64::from(owner.is_some()),
        lease_until: owner.map(|_| at(1_000)),
        state: owner.map(|_| b"begun".to_vec()),
        at: at(0),
    }
}

fn update(key: &DataKey, id: TurnId, state: &[u8], status: TurnStatus) -> TurnUpdate {
    TurnUpdate {
        state: SealedState::new(key, id, state).unwrap(),
        status,
        outcome: (status == TurnStatus::Ended).then_some(TurnOutcome::Completed),
        attempt: 1,
        progress: true,
        at: at(1),
    }
}

async fn insert(world: &World, new: NewTurn) -> TurnId {
    let (key, id) = (world.key.clone(), new.id);
    world.store.write(move |tx: &mut Tx| turns::insert(tx, &key, &new)).await.unwrap();
    id
}

pub async fn a_stale_epoch_is_fenced_off(world: World) {
    let (mine, other) = (node(), node());
    let id = insert(&world, new_turn(&world, 1, TurnStatus::Running, Some(mine))).await;
    let (key, user) = (world.key.clone(), world.user);
    let running = update(&key, id, b"second", TurnStatus::Running);
    let good = {
        let running = running.clone();
        world.store.write(move |tx: &mut Tx| turns::commit(tx, id, 1, running)).await
    };
    assert_eq!(good, Ok(false));
    let key2 = key.clone();
    let claim = move |tx: &mut Tx| turns::claim(tx, &key2, id, 1, other, (at(9_000), at(0)), at(2));
    let claimed = world.store.write(claim).await.unwrap().unwrap();
    assert_eq!((claimed.epoch, claimed.attempt, claimed.stalls), (2, 2, 1));
    assert_eq!(claimed.state.as_deref(), Some(b"second".as_slice()));
    // The zombie: its commit is refused, and what it wrote before in the same transaction goes too.
    let zombie = move |tx: &mut Tx| {
        turns::request_cancel(tx, claimed.session_id, user, at(3))?;
        turns::commit(tx, id, 1, running)
    };
    assert_eq!(world.store.write(zombie).await, Err(Error::Fenced));
    let end = move |tx: &mut Tx| {
        turns::commit(tx, id, 2, update(&key, id, b"end", TurnStatus::Ended))?;
        let again = turns::commit(tx, id, 2, update(&key, id, b"x", TurnStatus::Running));
        Ok((turns::get(tx, &key, user, id)?, again))
    };
    let (stored, again) = world.store.write(end).await.unwrap();
    assert_eq!(again, Err(Error::Fenced));
    let stored = stored.unwrap();
    assert_eq!(
        (stored.status, stored.outcome, stored.stalls),
        (TurnStatus::Ended, Some(TurnOutcome::Completed), 0)
    );
    assert_eq!(stored.state.as_deref(), Some(b"end".as_slice()));
}

/// A worker whose COMMIT had no answer looks whether it counts.
pub async fn what_is_not_stored_is_known_for_certain(world: World) {
    let id = insert(&world, new_turn(&world, 1, TurnStatus::Running, Some(node()))).await;
    let key = world.key.clone();
    let step = update(&key, id, b"second", TurnStatus::Running);
    let look = {
        let (store, state) = (world.store.clone(), step.state.clone());
        async move |epoch: u64| {
            let state = state.clone();
            store.write(move |tx: &mut Tx| turns::is_unstored(tx, id, epoch, &state)).await.unwrap()
        }
    };
    assert!(look(1).await, "it was never stored");
    assert!(!look(2).await, "the turn is another worker's");
    // The same words in another envelope are not this step.
    let other = update(&key, id, b"second", TurnStatus::Running);
    world.store.write(move |tx: &mut Tx| turns::commit(tx, id, 1, other)).await.unwrap();
    assert!(look(1).await);
    world.store.write(move |tx: &mut Tx| turns::commit(tx, id, 1, step)).await.unwrap();
    assert!(!look(1).await, "it counts");
    let end = update(&key, id, b"end", TurnStatus::Ended);
    world.store.write(move |tx: &mut Tx| turns::commit(tx, id, 1, end)).await.unwrap();
    assert!(!look(1).await, "the turn is over");
}

pub async fn a_turn_is_claimed_once(world: World) {
    let dead = node();
    let id = insert(&world, new_turn(&world, 1, TurnStatus::Running, Some(dead))).await;
    let me = node();
    let (early, mine, late) = world
        .store
        .read(move |tx: &mut Tx| {
            let early = turns::orphans(tx, me, at(500), at(0))?;
            let mine = turns::orphans(tx, dead, at(500), at(0))?;
            Ok((early, mine, turns::orphans(tx, me, at(2_000), at(0))?))
        })
        .await
        .unwrap();
    assert!(early.is_empty(), "the lease has not run out");
    assert_eq!(mine, late);
    assert_eq!((late[0].turn_id, late[0].epoch, late[0].user_id), (id, 1, world.user));
    let mut claims = Vec::new();
    for _ in 0..8 {
        let (store, key, by) = (world.store.clone(), world.key.clone(), node());
        claims.push(tokio::spawn(async move {
            let claim = move |tx: &mut Tx| turns::claim(tx, &key, id, 1, by, (at(9_000), at(0)), at(2));
            store.write(claim).await.unwrap().is_some()
        }));
    }
    let mut won = 0;
    for claim in claims {
        won += u32::from(claim.await.unwrap());
    }
    assert_eq!(won, 1);
}

pub async fn turns_run_in_their_order(world: World) {
    let second = insert(&world, new_turn(&world, 2, TurnStatus::Queued, None)).await;
    let first = insert(&world, new_turn(&world, 1, TurnStatus::Queued, None)).await;
    let (key, session, user, me) = (world.key.clone(), world.session, world.user, node());
    let (next, latest, idle, epoch, again, then) = world
        .store
        .write(move |tx: &mut Tx| {
            let next = turns::next_queued(tx, &key, session)?.map(|turn| turn.id);
            let latest = turns::latest(tx, &key, session)?.map(|turn| turn.id);
            let idle = turns::idle_queued(tx)?;
            let epoch = turns::start(tx, &key, first, me, at(100), b"go", 1, at(1))?;
            let again = turns::start(tx, &key, first, me, at(100), b"go", 1, at(1))?;
            let then = turns::next_queued(tx, &key, session)?.map(|turn| turn.id);
            Ok((next, latest, idle, epoch, again, then))
        })
        .await
        .unwrap();
    assert_eq!((next, latest, then), (Some(first), Some(second), Some(second)));
    assert_eq!(idle, [(session, user)]);
    assert_eq!((epoch, again), (Some(1), None));
    let doubled = new_turn(&world, 1, TurnStatus::Queued, None);
    let key = world.key.clone();
    let refused = world.store.write(move |tx: &mut Tx| turns::insert(tx, &key, &doubled)).await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
}

/// Whatever a process believes: the database has one active turn per session.
pub async fn the_database_refuses_a_second_active_turn(world: World) {
    insert(&world, new_turn(&world, 1, TurnStatus::Running, Some(node()))).await;
    let waits = insert(&world, new_turn(&world, 2, TurnStatus::Queued, None)).await;
    for status in [TurnStatus::Running, TurnStatus::Parked] {
        let (second, key) = (new_turn(&world, 3, status, Some(node())), world.key.clone());
        let refused = world.store.write(move |tx: &mut Tx| turns::insert(tx, &key, &second)).await;
        assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
    }
    let (key, me) = (world.key.clone(), node());
    let start = move |tx: &mut Tx| turns::start(tx, &key, waits, me, at(9), b"begun", 1, at(2));
    let refused = world.store.write(start).await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
}

pub async fn leases_are_renewed_together_and_tell_of_a_stop(world: World) {
    let (me, other) = (node(), node());
    let session2 = world.stranger().await;
    let one = insert(&world, new_turn(&world, 1, TurnStatus::Running, Some(me))).await;
    let two = NewTurn { session_id: session2.3, ..new_turn(&world, 1, TurnStatus::Running, Some(me)) };
    insert(&world, two).await;
    let session3 = world.stranger().await;
    let three = NewTurn { session_id: session3.3, ..new_turn(&world, 2, TurnStatus::Running, Some(other)) };
    insert(&world, three).await;
    world.tamper("UPDATE turns SET cancel = 1 WHERE id = $1", store::args![one]).await;
    let before = world.store.counts().statements;
    let stop = world.store.write(move |tx: &mut Tx| turns::renew(tx, me, at(5_000))).await.unwrap();
    assert_eq!(world.store.counts().statements - before, 1);
    assert_eq!(stop, [one]);
    let mut held = world.store.read(move |tx: &mut Tx| turns::held(tx, me)).await.unwrap();
    held.sort_by_key(|held| held.turn_id != one);
    let first = turns::Held { turn_id: one, session_id: world.session, epoch: 1, stops: true };
    assert_eq!((held.len(), held[0]), (2, first));
    let (kept, released, free) = world
        .store
        .write(move |tx: &mut Tx| {
            let kept = turns::orphans(tx, node(), at(4_000), at(0))?;
            let released = turns::release(tx, me)?;
            Ok((kept, released, turns::orphans(tx, node(), at(500), at(0))?))
        })
        .await
        .unwrap();
    assert_eq!(kept.len(), 1, "only the other node's lease has run out");
    assert_eq!((released, free.len()), (2, 2));
}

pub async fn a_stop_is_durable_and_the_users_own(world: World) {
    let me = node();
    let (stranger, ..) = world.stranger().await;
    let turn = new_turn(&world, 1, TurnStatus::Running, Some(me));
    let (id, session, user, key) = (turn.id, world.session, world.user, world.key.clone());
    let (none, foreign, mine, stored) = world
        .store
        .write(move |tx: &mut Tx| {
            let none = turns::request_cancel(tx, session, user, at(1))?;
            sessions::take_input(tx, session, user, id, 1, 1, at(1))?;
            turns::insert(tx, &key, &turn)?;
            let foreign = turns::request_cancel(tx, session, stranger, at(1))?;
            let mine = turns::request_cancel(tx, session, user, at(1))?;
            Ok((none, foreign, mine, turns::get(tx, &key, user, id)?))
        })
        .await
        .unwrap();
    assert_eq!((none, foreign, mine), (None, None, Some(id)));
    assert!(stored.unwrap().cancelled);
    let to_stop = |node| world.store.read(move |tx: &mut Tx| turns::to_stop(tx, node));
    assert_eq!(to_stop(me).await, Ok(vec![id]));
    assert_eq!(to_stop(node()).await, Ok(vec![]));
    let key = world.key.clone();
    let told = move |tx: &mut Tx| turns::commit(tx, id, 1, update(&key, id, b"x", TurnStatus::Running));
    assert_eq!(world.store.write(told).await, Ok(true));
}

pub async fn an_ended_turn_can_be_reopened(world: World) {
    let me = node();
    let id = insert(&world, new_turn(&world, 1, TurnStatus::Running, Some(me))).await;
    let (key, user) = (world.key.clone(), world.user);
    let (early, epoch, stored, foreign) = world
        .store
        .write(move |tx: &mut Tx| {
            let early = turns::reopen(tx, &key, id, me, at(9), b"again", 2, at(2))?;
            turns::commit(tx, id, 1, update(&key, id, b"end", TurnStatus::Ended))?;
            let epoch = turns::reopen(tx, &key, id, me, at(9), b"again", 2, at(2))?;
            let stored = turns::get(tx, &key, user, id)?.unwrap();
            let nobody = domain::UserId::from_uuid(uuid());
            Ok((early, epoch, stored, turns::get(tx, &key, nobody, id)?))
        })
        .await
        .unwrap();
    assert_eq!((early, epoch, foreign), (None, Some(2), None));
    assert_eq!((stored.status, stored.outcome, stored.attempt), (TurnStatus::Running, None, 2));
    assert_eq!(stored.state.as_deref(), Some(b"again".as_slice()));
}

pub async fn a_turn_is_claimed_also_when_its_state_cannot_be_read(world: World) {
    let me = node();
    let id = insert(&world, new_turn(&world, 1, TurnStatus::Running, Some(me))).await;
    let (key, user) = (world.key.clone(), world.user);
    let (claimed, read) = world
        .store
        .write(move |tx: &mut Tx| {
            tx.run("UPDATE turns SET state = $1 WHERE id = $2", args![vec![7_u8; 60], id])?;
            let read = turns::get(tx, &key, user, id);
            Ok((turns::claim(tx, &key, id, 1, me, (at(9_000), at(0)), at(2))?, read))
        })
        .await
        .unwrap();
    assert!(matches!(read, Err(Error::Crypto { .. })), "{read:?}");
    let claimed = claimed.unwrap();
    assert_eq!((claimed.epoch, claimed.attempt, claimed.state), (2, 2, None));
}

/// A session of many turns must not be read through each time the next one is looked for.
pub async fn the_queue_is_found_by_index(world: World) {
    for (sql, index) in [
        (
            "SELECT id FROM turns WHERE session_id = 'x' AND status = 'queued' ORDER BY position LIMIT 1",
            "turns_queued",
        ),
        ("UPDATE turns SET lease_until = 1 WHERE owner = 'x' AND status = 'running'", "turns_running"),
        (
            "SELECT id FROM turns WHERE status = 'running' AND (owner = 'x' OR lease_until < 1)",
            "turns_running",
        ),
    ] {
        let plan = match world.store.kind() {
            "sqlite" => sqlite_plan(&world, sql).await,
            _ => postgres_plan(&world, sql).await,
        };
        assert!(!plan.is_empty() && plan.iter().all(|step| step.contains(index)), "{sql}: {plan:?}");
    }
}

async fn sqlite_plan(world: &World, sql: &str) -> Vec<String> {
    let explain = format!("EXPLAIN QUERY PLAN {sql}");
    let read = move |tx: &mut Tx| tx.all::<(i64, i64, i64, String)>(&explain, vec![]);
    world.store.read(read).await.unwrap().into_iter().map(|(_, _, _, step)| step).collect()
}

/// The steps that find rows. PostgreSQL plans by the size of the table, and this one is small: without this it would go through it.
async fn postgres_plan(world: &World, sql: &str) -> Vec<String> {
    let explain = format!("EXPLAIN {sql}");
    let read = move |tx: &mut Tx| {
        tx.run("SET LOCAL enable_seqscan = off", vec![])?;
        // A bitmap of rows is found by the same index, and names it in another step.
        tx.run("SET LOCAL enable_bitmapscan = off", vec![])?;
        tx.all::<String>(&explain, vec![])
    };
    let plan = world.store.read(read).await.unwrap();
    plan.into_iter().filter(|step| step.contains("Scan")).collect()
}
