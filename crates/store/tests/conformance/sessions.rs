use crate::world::{World, at, new_message, new_session, turn_id, uuid};
use domain::{Integrity, Label, Role, Session, SessionKind, SessionStatus, Usage};
use store::{
    Error, Page, Tx,
    log::Entry,
    model_calls::{self, NewModelCall},
    sessions::{self, Active, Advance, SessionFilter, Staffed},
};

pub async fn a_session_belongs_to_one_user_and_to_their_agent(world: World) {
    let (stranger, stranger_key, ..) = world.stranger().await;
    let mut full = new_session(&world.agent, Some("Γάμος"));
    full.parent_id = Some(world.session);
    full.label = Label { integrity: Integrity::Untrusted, ..full.label };
    full.usage = Usage { input_tokens: 1, output_tokens: 2, cached_tokens: 3, cost_microusd: None };
    let theirs = Session { id: domain::SessionId::from_uuid(uuid()), user_id: stranger, ..full.clone() };
    let (key, user, want) = (world.key.clone(), world.user, full.clone());
    let (mine, foreign, renamed, read, moved) = world
        .store
        .write(move |tx: &mut Tx| {
            sessions::create(tx, &key, &full)?;
            let mine = sessions::get(tx, &key, user, full.id)?;
            let foreign = sessions::get(tx, &key, stranger, full.id)?;
            let renamed = sessions::rename(tx, &key, stranger, full.id, Some("x"), at(1))?;
            sessions::rename(tx, &key, user, full.id, None, at(1))?;
            let read = sessions::set_read_seq(tx, user, full.id, u64::MAX)?;
            let reach = |tx: &mut Tx, who| sessions::reach(tx, who, full.id);
            assert_eq!((reach(tx, user)?, reach(tx, stranger)?), (Some(0), None));
            Ok((mine, foreign, renamed, read, sessions::get(tx, &key, user, full.id)?.unwrap()))
        })
        .await
        .unwrap();
    assert_eq!(mine, Some(want));
    assert_eq!((foreign, renamed, read), (None, false, true));
    assert_eq!((moved.name, moved.read_seq, moved.updated_at), (None, 0, at(1)));
    // With somebody else's agent, which is not shared.
    let refused = world.store.write(move |tx: &mut Tx| sessions::create(tx, &stranger_key, &theirs)).await;
    assert!(matches!(refused, Err(Error::Constraint(_))), "{refused:?}");
}

pub async fn sessions_are_listed_with_their_newest_message(world: World) {
    let turn = turn_id();
    let long = "λ".repeat(300);
    world
        .append(vec![
            Entry::Message(new_message(turn, Role::User, "question")),
            Entry::Message(new_message(turn, Role::Assistant, &long)),
            Entry::Message(new_message(turn, Role::Tool, "result")),
        ])
        .await;
    world.stranger().await;
    let extra: Vec<Session> = (1..=4)
        .map(|n| Session {
            updated_at: at(10 * (n / 2)),
            archived: n == 4,
            ..new_session(&world.agent, None)
        })
        .collect();
    let (key, user, made) = (world.key.clone(), world.user, extra.clone());
    let create = move |tx: &mut Tx| {
        for session in &made {
            sessions::create(tx, &key, session)?;
        }
        Ok(())
    };
    world.store.write(create).await.unwrap();
    let mut seen = Vec::new();
    let mut cursor = None;
    loop {
        let (key, page) = (world.key.clone(), Page { limit: 2, cursor });
        let filter = SessionFilter {
            archived: Some(false),
            agent_id: Some(world.agent.id),
            ..SessionFilter::default()
        };
        let list = move |tx: &mut Tx| sessions::list(tx, &key, user, filter, page);
        let piece = world.store.read(list).await.unwrap();
        assert_eq!(piece.total, 4);
        seen.extend(piece.items);
        cursor = piece.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    let ids: Vec<_> = seen.iter().map(|session| session.id).collect();
    assert_eq!(ids, [extra[2].id, extra[1].id, world.session, extra[0].id]);
    let last = seen[2].last_message.clone().unwrap();
    assert_eq!((last.role, last.content.chars().count()), (Role::Assistant, 200));
    assert_eq!(seen[0].last_message, None);
    let (key, page) = (world.key.clone(), Page::first(10));
    let all = move |tx: &mut Tx| sessions::list(tx, &key, user, SessionFilter::default(), page);
    assert_eq!(world.store.read(all).await.unwrap().items.len(), 5);
}

pub async fn a_long_list_is_not_counted_to_its_end(world: World) {
    let (user, store) = (world.user, &world.store);
    let listed = |kind| {
        let (key, filter) =
            (world.key.clone(), SessionFilter { kind: Some(kind), ..SessionFilter::default() });
        store.read(move |tx: &mut Tx| sessions::list(tx, &key, user, filter, Page::first(1)))
    };
    let make = |count: usize| {
        let (key, made) = (world.key.clone(), vec![new_session(&world.agent, None); count]);
        store.write(move |tx: &mut Tx| {
            let create = |session: Session| {
                sessions::create(tx, &key, &Session { id: domain::SessionId::from_uuid(uuid()), ..session })
            };
            made.into_iter().try_for_each(create)
        })
    };
    make(999).await.unwrap();
    let thousand = listed(SessionKind::Own).await.unwrap();
    assert_eq!((thousand.total, thousand.total_is_more, thousand.items.len()), (1_000, false, 1));
    make(1).await.unwrap();
    let more = listed(SessionKind::Own).await.unwrap();
    assert_eq!((more.total, more.total_is_more, more.next_cursor.is_some()), (1_000, true, true));
    let none = listed(SessionKind::Subagent).await.unwrap();
    assert_eq!((none.total, none.total_is_more), (0, false));
}

pub async fn a_session_at_work_is_neither_archived_nor_deleted(world: World) {
    let (session, user) = (world.session, world.user);
    let start = move |tx: &mut Tx| sessions::take_input(tx, session, user, turn_id(), 1, 1, at(1));
    world.store.write(start).await.unwrap();
    let archive = move |tx: &mut Tx| sessions::set_archived(tx, user, session, true, at(2));
    assert!(matches!(world.store.write(archive).await, Err(Error::Conflict(_))));
    let delete = move |tx: &mut Tx| sessions::delete(tx, user, session);
    assert!(matches!(world.store.write(delete).await, Err(Error::Conflict(_))));
    let (stranger, ..) = world.stranger().await;
    let foreign = move |tx: &mut Tx| {
        Ok((
            sessions::set_archived(tx, stranger, session, true, at(2))?,
            sessions::delete(tx, stranger, session)?,
        ))
    };
    assert_eq!(world.store.write(foreign).await, Ok((false, false)));
}

pub async fn deleting_a_session_leaves_only_what_it_cost(world: World) {
    let turn = turn_id();
    world.append(vec![Entry::Message(new_message(turn, Role::User, "x"))]).await;
    let (session, user, vault, key) =
        (world.session, world.user, world.store.vault().clone(), world.key.clone());
    let spent = NewModelCall {
        id: domain::ModelCallId::from_uuid(uuid()),
        session_id: session,
        turn_id: turn,
        user_id: user,
        agent_id: world.agent.id,
        step: 0,
        attempt: 1,
        model: "demo/demo".to_owned(),
        at: at(0),
    };
    let input = crate::turns::inbox::input(session, user, turn, None, "x");
    let deleted = world
        .store
        .write(move |tx: &mut Tx| {
            model_calls::start(tx, &spent)?;
            store::inbox::insert(tx, &vault, &key, &input)?;
            sessions::delete(tx, user, session)
        })
        .await
        .unwrap();
    assert!(deleted);
    for table in ["sessions", "events", "messages", "inbox"] {
        assert_eq!(world.count(table).await, 0, "{table}");
    }
    assert_eq!(world.count("model_calls").await, 1);
}

pub async fn a_session_comes_with_its_agent_in_one_statement(world: World) {
    let (session, user, key) = (world.session, world.user, world.key.clone());
    let vault = world.store.vault().clone();
    let before = world.store.counts().statements;
    let read = move |tx: &mut Tx| sessions::with_agent(tx, &vault, &key, user, session);
    let Staffed { session: found, agent, usable } = world.store.read(read).await.unwrap().unwrap();
    assert!(usable);
    assert_eq!(world.store.counts().statements - before, 1);
    assert_eq!((found.id, found.name.as_deref()), (session, Some("first")));
    assert_eq!(agent, world.agent);
    let (stranger, stranger_key, ..) = world.stranger().await;
    let vault = world.store.vault().clone();
    let foreign = move |tx: &mut Tx| sessions::with_agent(tx, &vault, &stranger_key, stranger, session);
    assert_eq!(world.store.read(foreign).await.unwrap(), None);
}

pub async fn inputs_start_or_queue(world: World) {
    let (session, user, key) = (world.session, world.user, world.key.clone());
    let (stranger, ..) = world.stranger().await;
    let (first, second) = (turn_id(), turn_id());
    let (foreign, started, queued, found) = world
        .store
        .write(move |tx: &mut Tx| {
            let foreign = sessions::take_input(tx, session, stranger, first, 4, 1, at(1))?;
            let started = sessions::take_input(tx, session, user, first, 4, 1, at(1))?.unwrap();
            let queued = sessions::take_input(tx, session, user, second, 4, 1, at(2))?.unwrap();
            Ok((foreign, started, queued, sessions::get(tx, &key, user, session)?.unwrap()))
        })
        .await
        .unwrap();
    assert_eq!(foreign, None);
    assert_eq!((started.numbers.last(), started.started, started.pending), (4, true, 0));
    assert_eq!((queued.numbers.last(), queued.started, queued.pending, queued.idle), (5, false, 1, false));
    assert_eq!((found.status, found.message_count, found.last_seq), (SessionStatus::Working, 1, 5));
    // A turn that ended without starting the next one leaves it waiting: nobody overtakes it.
    let behind = move |tx: &mut Tx| {
        let ended = Advance { status: SessionStatus::Idle, ..step(Active::Ends(first), 0) };
        sessions::advance(tx, user, session, ended)?;
        sessions::take_input(tx, session, user, turn_id(), 4, 1, at(3))
    };
    let behind = world.store.write(behind).await.unwrap().unwrap();
    assert_eq!((behind.started, behind.pending, behind.idle), (false, 2, true));
    // An archived session takes nothing.
    let idle = new_session(&world.agent, None);
    let key = world.key.clone();
    let archived = move |tx: &mut Tx| {
        sessions::create(tx, &key, &idle)?;
        sessions::set_archived(tx, user, idle.id, true, at(1))?;
        sessions::take_input(tx, idle.id, user, turn_id(), 1, 1, at(1))
    };
    assert_eq!(world.store.write(archived).await.unwrap(), None);
}

fn step(active: Active, steered: u64) -> Advance {
    Advance {
        events: 3,
        messages: 1,
        usage: Usage { input_tokens: 10, output_tokens: 20, cached_tokens: 5, cost_microusd: Some(7) },
        steered,
        status: SessionStatus::Working,
        active,
        now: at(9),
    }
}

pub async fn steering_joins_the_active_turn(world: World) {
    let (session, user, turn) = (world.session, world.user, turn_id());
    let (idle, joined, first, rest) = world
        .store
        .write(move |tx: &mut Tx| {
            let idle = sessions::steer(tx, session, user, at(1))?;
            sessions::take_input(tx, session, user, turn, 4, 1, at(1))?;
            sessions::steer(tx, session, user, at(2))?;
            let joined = sessions::steer(tx, session, user, at(2))?.unwrap();
            let first = sessions::advance(tx, user, session, step(Active::Keep, 1))?;
            Ok((idle, joined, first, sessions::advance(tx, user, session, step(Active::Keep, 9))?))
        })
        .await
        .unwrap();
    assert_eq!(idle, None);
    assert_eq!((joined.numbers.last(), joined.turn_id), (6, turn));
    assert_eq!((first.numbers.last(), first.steering, rest.steering), (9, 1, 0));
}

pub async fn advancing_promotes_the_next_turn(world: World) {
    let (session, user, key) = (world.session, world.user, world.key.clone());
    let (first, second) = (turn_id(), turn_id());
    let unknown = Usage { cost_microusd: None, ..Usage::ZERO };
    let huge = Usage {
        input_tokens: u64::MAX,
        output_tokens: u64::MAX,
        cached_tokens: u64::MAX,
        cost_microusd: Some(u64::MAX),
    };
    let (next, active, found, after) = world
        .store
        .write(move |tx: &mut Tx| {
            sessions::take_input(tx, session, user, first, 4, 1, at(1))?;
            sessions::take_input(tx, session, user, second, 4, 1, at(1))?;
            let end = Advance { events: 0, messages: 0, usage: Usage::ZERO, ..step(Active::Ends(first), 0) };
            sessions::advance(tx, user, session, end)?;
            let next = sessions::advance(tx, user, session, step(Active::Next(second), 0))?;
            let active = sessions::steer(tx, session, user, at(2))?.unwrap().turn_id;
            let clear = Advance { status: SessionStatus::Idle, ..step(Active::Ends(second), 1) };
            sessions::advance(tx, user, session, clear)?;
            let found = sessions::get(tx, &key, user, session)?.unwrap();
            for usage in [huge, huge, unknown] {
                sessions::advance(tx, user, session, Advance { usage, ..step(Active::Keep, 0) })?;
            }
            Ok((next, active, found, sessions::get(tx, &key, user, session)?.unwrap()))
        })
        .await
        .unwrap();
    assert_eq!((next.pending, active), (0, second));
    assert_eq!(found.status, SessionStatus::Idle);
    assert_eq!(
        found.usage,
        Usage { input_tokens: 20, output_tokens: 40, cached_tokens: 10, cost_microusd: Some(14) }
    );
    assert_eq!(after.usage.cost_microusd, None, "a sum with an unknown part is unknown");
    let nowhere = domain::SessionId::from_uuid(uuid());
    let lost = move |tx: &mut Tx| sessions::advance(tx, user, nowhere, step(Active::Keep, 0));
    assert_eq!(world.store.write(lost).await, Err(Error::NotFound));
}

pub async fn an_ended_turn_runs_again_only_when_nothing_else_does(world: World) {
    let (session, user) = (world.session, world.user);
    let (ended, other) = (turn_id(), turn_id());
    let again = move |tx: &mut Tx| {
        sessions::advance(tx, user, session, step(Active::Again(ended), 0))?;
        Ok(sessions::steer(tx, session, user, at(2))?.map(|steered| steered.turn_id))
    };
    assert_eq!(world.store.write(again).await, Ok(Some(ended)));
    let busy = move |tx: &mut Tx| sessions::advance(tx, user, session, step(Active::Again(other), 0));
    let refused = world.store.write(busy).await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
}

/// A worker that has lost its turn, or a node that is behind, changes nothing of the session.
pub async fn a_step_needs_the_turn_that_is_active(world: World) {
    let (session, user) = (world.session, world.user);
    let (active, other) = (turn_id(), turn_id());
    let begin = move |tx: &mut Tx| sessions::take_input(tx, session, user, active, 4, 1, at(1));
    world.store.write(begin).await.unwrap();
    for wrong in [Active::GoesOn(other), Active::Ends(other), Active::Next(other), Active::Next(active)] {
        let advance = move |tx: &mut Tx| sessions::advance(tx, user, session, step(wrong, 0));
        assert_eq!(world.store.write(advance).await, Err(Error::Fenced), "{wrong:?}");
    }
    let held = world.store.write(move |tx: &mut Tx| sessions::hold(tx, user, session)).await;
    assert_eq!(held, Ok(Some(Some(active))));
    let end = move |tx: &mut Tx| {
        sessions::advance(tx, user, session, step(Active::GoesOn(active), 0))?;
        sessions::advance(tx, user, session, step(Active::Ends(active), 0))?;
        sessions::hold(tx, user, session)
    };
    assert_eq!(world.store.write(end).await, Ok(Some(None)));
    let late = move |tx: &mut Tx| sessions::advance(tx, user, session, step(Active::GoesOn(active), 0));
    assert_eq!(world.store.write(late).await, Err(Error::Fenced));
}

pub async fn steering_that_was_left_over_waits_its_turn(world: World) {
    let (session, user, turn) = (world.session, world.user, turn_id());
    let (stranger, ..) = world.stranger().await;
    let (before, last, after) = world
        .store
        .write(move |tx: &mut Tx| {
            sessions::take_input(tx, session, user, turn, 4, 1, at(1))?;
            sessions::steer(tx, session, user, at(2))?;
            sessions::steer(tx, session, user, at(2))?;
            let before = sessions::advance(tx, user, session, step(Active::Ends(turn), 0))?;
            let last = sessions::requeue(tx, user, session, 2, at(3))?;
            Ok((before, last, sessions::advance(tx, user, session, step(Active::Keep, 0))?))
        })
        .await
        .unwrap();
    assert_eq!((before.steering, before.pending), (2, 0));
    assert_eq!(last.last(), before.numbers.last() + 2);
    assert_eq!((after.steering, after.pending), (0, 2));
    let foreign = move |tx: &mut Tx| sessions::take_seq(tx, stranger, session, 1, at(3));
    assert_eq!(world.store.write(foreign).await, Err(Error::NotFound));
}
