//! Small deeds that no other case does: a copy that is not whole, what waits without being opened, and looks at single rows.

use crate::world::{World, at, new_message, new_session, turn_id, uuid};
use domain::{CallId, EventBody, MessageId, ModelCallId, NodeId, Role, Source, TurnId, TurnStatus, UserId};
use store::{
    Error, Page, Tx, agents, api_keys, calls, house,
    log::Entry,
    messages,
    model_calls::{self, EndedModelCall, NewModelCall},
    sessions::{self, SessionFilter},
    turns::{self, NewTurn},
};

pub async fn a_copy_is_in_no_list_until_it_is_whole(world: World) {
    let copy = new_session(&world.agent, Some("a copy"));
    let (key, id, user) = (world.key.clone(), copy.id, world.user);
    let begin = move |tx: &mut Tx| sessions::begin_copy(tx, &key, &copy, at(5)).map(drop);
    world.store.write(begin).await.unwrap();
    let seen = async || {
        let key = world.key.clone();
        let read = move |tx: &mut Tx| {
            let listed = sessions::list(tx, &key, user, SessionFilter::default(), Page::first(10))?;
            let glanced = sessions::glances(tx, user)?;
            let found = listed.items.iter().any(|session| session.id == id);
            Ok((listed.total, found, glanced.iter().any(|(known, ..)| *known == id)))
        };
        world.store.read(read).await.unwrap()
    };
    assert_eq!(seen().await, (1, false, false));
    let drop_before = async |time: i64| {
        world.store.write(move |tx: &mut Tx| sessions::drop_copies(tx, at(time))).await.unwrap()
    };
    assert!(!drop_before(5).await, "it is not that old");
    let finish = async |id| world.store.write(move |tx: &mut Tx| sessions::finish_copy(tx, id)).await;
    assert_eq!(finish(id).await, Ok(()));
    assert_eq!(finish(id).await, Err(Error::NotFound), "it was whole before");
    assert_eq!(seen().await, (2, true, true));
    assert!(!drop_before(1_000).await, "the control: what is whole stays");
    let (key, left) = (world.key.clone(), new_session(&world.agent, None));
    let begin = move |tx: &mut Tx| sessions::begin_copy(tx, &key, &left, at(6)).map(drop);
    world.store.write(begin).await.unwrap();
    assert_eq!((drop_before(7).await, drop_before(7).await), (true, false));
    assert_eq!(world.count("sessions").await, 2);
}

fn new_turn(world: &World, position: u64, status: TurnStatus) -> NewTurn {
    NewTurn {
        id: turn_id(),
        session_id: world.session,
        user_id: world.user,
        position,
        source: Source::Web,
        status,
        owner: None,
        epoch: 3,
        lease_until: None,
        state: None,
        at: at(0),
    }
}

pub async fn turns_are_asked_about_one_by_one(world: World) {
    // A session has one turn that runs or waits for a person.
    let elsewhere = [world.stranger().await.3, world.stranger().await.3];
    let parked = NewTurn { session_id: elsewhere[0], ..new_turn(&world, 1, TurnStatus::Parked) };
    let queued = new_turn(&world, 2, TurnStatus::Queued);
    let running = NewTurn { session_id: elsewhere[1], ..new_turn(&world, 3, TurnStatus::Running) };
    let (fourth, fifth) = (new_turn(&world, 4, TurnStatus::Queued), new_turn(&world, 5, TurnStatus::Queued));
    let user = world.user;
    let (one, two, three): (TurnId, TurnId, TurnId) = (parked.id, queued.id, running.id);
    let (key, session, node) = (world.key.clone(), world.session, NodeId::from_uuid(uuid()));
    let write = move |tx: &mut Tx| {
        for turn in [&parked, &queued, &running] {
            turns::insert(tx, &key, turn)?;
        }
        assert_eq!((turns::position(tx, two)?, turns::attempt(tx, two)?), (Some(2), Some(0)));
        assert_eq!(turns::count_queued(tx)?, 1);
        assert_eq!(turns::fence(tx, three, 3), Ok(()));
        assert!(turns::unowned(tx, three)?.is_some());
        assert!(turns::ours(tx, three, node)?.is_some(), "nobody's");
        assert!(turns::ours(tx, one, node)?.is_none(), "it does not run");
        assert_eq!(turns::active(tx, session)?, None);
        assert_eq!(turns::whereabouts(tx, user, two)?, Some((session, TurnStatus::Queued)));
        assert_eq!(turns::whereabouts(tx, UserId::from_uuid(uuid()), two)?, None);
        assert!(!turns::has_ended(tx, two)?);
        assert!(turns::drop_queued(tx, two, at(1))?);
        assert!(turns::has_ended(tx, two)?);
        assert!(turns::unpark(tx, &key, one, node, at(9), at(1))?.is_some());
        assert!(turns::request_cancel_of(tx, one, at(2))?);
        assert_eq!(sessions::drop_pending(tx, user, session, at(2))?.last(), 1);
        assert_eq!(turns::first_queued(tx, session)?, None);
        assert!(turns::seize(tx, &key, (session, two), node, at(9), at(3))?.is_none(), "none waits");
        for turn in [&fifth, &fourth] {
            turns::insert(tx, &key, turn)?;
        }
        // Another node has ended what could not start: nothing is known of what waits behind it.
        for other in [two, fifth.id] {
            assert!(turns::seize(tx, &key, (session, other), node, at(9), at(3))?.is_none());
        }
        assert_eq!(turns::first_queued(tx, session)?, Some(fourth.id));
        let seized = turns::seize(tx, &key, (session, fourth.id), node, at(9), at(3))?.unwrap();
        assert_eq!((seized.id, seized.status, seized.attempt), (fourth.id, TurnStatus::Running, 1));
        Ok(())
    };
    world.store.write(write).await.unwrap();
}

pub async fn an_agent_has_read_what_stands_before_its_words(world: World) {
    let (turn, session) = (turn_id(), world.session);
    let said = |role, words: &str| Entry::Message(new_message(turn, role, words));
    let is_read =
        async |seq: u64| world.store.read(move |tx| messages::is_read(tx, session, seq)).await.unwrap();
    world.append(vec![said(Role::Assistant, "Which colour?"), said(Role::User, "Wait")]).await;
    assert!(!is_read(1).await, "its own words are not later ones, and a person's are no reading");
    let body = EventBody::MessageStart {
        message_id: MessageId::from_uuid(uuid()),
        agent_id: world.agent.id,
        agent_name: "main".to_owned(),
    };
    world.append_log(vec![Entry::Event { turn_id: Some(turn), body }]).await;
    assert_eq!((is_read(1).await, is_read(3).await), (true, false), "it writes");
    // A copy of a conversation has what was said, and no log of how it was written.
    world.append(vec![said(Role::Assistant, "Blue?")]).await;
    assert_eq!((is_read(3).await, is_read(4).await), (true, false));
}

pub async fn single_rows_are_looked_at(world: World) {
    let (turn, user, session) = (turn_id(), world.user, world.session);
    let mut message = new_message(turn, Role::User, "hello");
    world.append(vec![Entry::Message(message.clone())]).await;
    message.seq = 1;
    let (key, agent, vault) = (world.key.clone(), world.agent.id, world.store.vault().clone());
    let model_call = NewModelCall {
        id: ModelCallId::from_uuid(uuid()),
        session_id: session,
        turn_id: turn,
        user_id: user,
        agent_id: agent,
        step: 0,
        attempt: 1,
        model: "demo/demo".to_owned(),
        at: at(0),
    };
    let write = move |tx: &mut Tx| {
        assert_eq!(messages::extent(tx, session, 1)?.0, 1);
        assert_eq!(messages::up_to(tx, &key, session, 1)?.len(), 1);
        assert!(messages::get(tx, &key, user, session, message.id)?.is_some());
        assert!(messages::get(tx, &key, user, session, MessageId::from_uuid(uuid()))?.is_none());
        messages::set_answers(tx, &key, session, &message)?;
        assert_eq!(sessions::agent_of(tx, session)?, Some(agent));
        assert!(sessions::set_handler(tx, user, session, Some("basic"), at(1))?);
        assert!(sessions::hold_idle(tx, user, session)?);
        assert_eq!(sessions::own_files(tx, user, session)?, Some(false));
        assert!(sessions::set_own_files(tx, user, session, true)?);
        assert_eq!(sessions::own_files(tx, user, session)?, Some(true));
        assert!(sessions::set_memory(tx, user, session, false)?);
        let somebody = UserId::from_uuid(uuid());
        assert!(!sessions::set_own_files(tx, somebody, session, false)?);
        assert_eq!(sessions::own_files(tx, somebody, session)?, None);
        assert!(!sessions::hold_idle(tx, somebody, session)?);
        assert_eq!(calls::receipt(tx, &key, turn, CallId::from_uuid(uuid())), Err(Error::Fenced));
        assert_eq!(agents::usable(tx, &vault, user, 10)?.len(), 1);
        agents::unshare_all(tx, user)?;
        assert_eq!(api_keys::revoke_all(tx, user, at(1))?, 0);
        model_calls::start(tx, &model_call)?;
        model_calls::hold(tx, model_call.id)?;
        model_calls::give_up(tx, model_call.id, at(1))?;
        model_calls::settle(tx, model_call.id, EndedModelCall::UNSENT, at(2))?;
        house::put(tx, &vault, house::CUSTOM_PROMPT, Some("Be kind."), at(1))?;
        assert_eq!(house::get(tx, &vault, house::CUSTOM_PROMPT)?.as_deref(), Some("Be kind."));
        house::put(tx, &vault, house::CUSTOM_PROMPT, None, at(1))
    };
    world.store.write(write).await.unwrap();
    let newest = store::checkup(&world.url, &world.master.clone().into(), None).await.unwrap().newest;
    assert!(newest.is_some());
}
