//! Errands: an answer is stored with the end of its turn, delivered once, and to no turn when none waits.

use crate::world::{World, at, new_session, turn_id, uuid};
use domain::{
    CallId, EffectClass, ErrandOutcome, ErrandStatus, Label, MessageId, Origin, ResultStatus, Session,
    SessionId, SessionKind, TurnId,
};
use serde_json::json;
use store::{
    Page, Tx,
    calls::{self, NewCall},
    errands::{self, Errand, ErrandAnswer},
    sessions::{self, SessionFilter},
};

pub fn errand(world: &World, parent_turn: TurnId) -> Errand {
    Errand {
        turn_id: turn_id(),
        session_id: world.session,
        user_id: world.user,
        root_turn: parent_turn,
        parent_session: world.session,
        parent_turn,
        parent_call: CallId::from_uuid(uuid()),
        status: ErrandStatus::Pending,
        depth_left: 1,
        hops_left: 7,
        expires_at: Some(at(500)),
    }
}

pub fn answer(words: &str) -> ErrandAnswer {
    ErrandAnswer {
        outcome: ErrandOutcome::Completed,
        status: ResultStatus::Ok,
        content: words.to_owned(),
        label: Label::WORST,
    }
}

pub async fn give(world: &World, errand: Errand) {
    let (key, user) = (world.key.clone(), world.user);
    let call = NewCall {
        id: errand.parent_call,
        session_id: errand.parent_session,
        turn_id: errand.parent_turn,
        user_id: user,
        message_id: MessageId::from_uuid(uuid()),
        position: 0,
        name: "delegate".to_owned(),
        arguments: json!({}),
        origin: Origin::Native,
        class: EffectClass::Txn,
        made: Default::default(),
    };
    let write = move |tx: &mut Tx| {
        calls::insert(tx, &key, &[call], at(0))?;
        assert!(calls::wait(tx, errand.parent_call)?);
        errands::insert(tx, &errand, at(0))
    };
    world.store.write(write).await.unwrap();
}

/// For the columns that hold words.
pub async fn plant(world: &World, words: &str) {
    let errand = errand(world, turn_id());
    give(world, errand).await;
    let (key, answer) = (world.key.clone(), answer(words));
    let write = move |tx: &mut Tx| errands::finish(tx, &key, errand.turn_id, &answer, at(1));
    assert!(world.store.write(write).await.unwrap());
}

pub async fn an_answer_is_delivered_once(world: World) {
    let parent = turn_id();
    let errand = errand(&world, parent);
    give(&world, errand).await;
    let key = world.key.clone();
    let write = move |tx: &mut Tx| {
        assert_eq!(errands::of_turn(tx, errand.turn_id)?, Some(errand));
        assert_eq!((errands::given(tx, parent)?, errands::in_tree(tx, parent)?), (1, 1));
        let early = errands::deliver(tx, &key, errand.turn_id);
        assert_eq!(early.unwrap(), None, "there is no answer yet");
        assert!(errands::finish(tx, &key, errand.turn_id, &answer("Soup."), at(1))?);
        assert!(!errands::finish(tx, &key, errand.turn_id, &answer("Other."), at(1))?, "ended once");
        assert_eq!(errands::due(tx)?.len(), 1);
        // Nobody has been told.
        let awaited = errands::awaited(tx, &key, parent)?;
        assert_eq!((awaited.len(), awaited[0].1.clone()), (1, None));
        assert_eq!(errands::deliver(tx, &key, errand.turn_id)?, Some(answer("Soup.")));
        assert_eq!(errands::deliver(tx, &key, errand.turn_id)?, None);
        assert_eq!(errands::awaited(tx, &key, parent)?[0].1, Some(answer("Soup.")));
        assert_eq!(errands::due(tx)?.len(), 0);
        assert_eq!(errands::withdraw(tx, errand.parent_call, at(2))?, None, "it was delivered");
        let settled = calls::Settled { status: ResultStatus::Ok, result_seq: 1, started_at: None, at: at(2) };
        assert!(calls::settle(tx, errand.parent_call, settled)?);
        assert_eq!(errands::awaited(tx, &key, parent)?.len(), 0, "its call has heard");
        Ok(())
    };
    world.store.write(write).await.unwrap();
}

pub async fn what_nobody_waits_for_is_to_be_stopped(world: World) {
    let parent = turn_id();
    let (gone, late) = (errand(&world, parent), errand(&world, parent));
    give(&world, gone).await;
    give(&world, late).await;
    let key = world.key.clone();
    let write = move |tx: &mut Tx| {
        assert_eq!(errands::withdraw(tx, gone.parent_call, at(1))?, Some(gone.turn_id));
        assert!(!errands::finish(tx, &key, gone.turn_id, &answer("Too late."), at(2))?);
        assert_eq!(errands::next_expiry(tx)?, Some(at(500)));
        assert_eq!(errands::expired(tx, at(499))?.len(), 0);
        assert_eq!(errands::expired(tx, at(500))?.len(), 1);
        assert!(errands::expire(tx, &key, late.turn_id, &answer("Over."), at(500))?);
        let again = errands::expire(tx, &key, late.turn_id, &answer("Over."), at(500));
        assert!(!again.unwrap());
        assert_eq!(errands::next_expiry(tx)?, None);
        let due = errands::due(tx)?;
        assert_eq!(due.len(), 2);
        for errand in due {
            errands::done(tx, errand.turn_id)?;
        }
        assert_eq!(errands::due(tx)?.len(), 0);
        let heard = errands::awaited(tx, &key, parent)?;
        let answers: Vec<_> = heard.into_iter().filter_map(|(_, answer)| answer).collect();
        assert_eq!(answers, [answer("Over.")], "of the one whose time was over it is told");
        Ok(())
    };
    world.store.write(write).await.unwrap();
}

async fn child(world: &World, parent: SessionId, kind: SessionKind) -> SessionId {
    let session = Session { kind, parent_id: Some(parent), ..new_session(&world.agent, None) };
    let (key, id) = (world.key.clone(), session.id);
    world.store.write(move |tx: &mut Tx| sessions::create(tx, &key, &session)).await.unwrap();
    id
}

pub async fn sessions_of_others_go_with_the_one_they_work_for(world: World) {
    let first = child(&world, world.session, SessionKind::Colleague).await;
    let below = child(&world, first, SessionKind::Subagent).await;
    let fork = child(&world, world.session, SessionKind::Own).await;
    let (user, key, root, agent) = (world.user, world.key.clone(), world.session, world.agent.id);
    let write = move |tx: &mut Tx| {
        assert_eq!(sessions::colleague(tx, user, root, agent)?, Some(first));
        let filter = SessionFilter { parent_id: Some(root), ..SessionFilter::default() };
        assert_eq!(sessions::list(tx, &key, user, filter, Page::first(10))?.total, 2);
        let own = SessionFilter { kind: Some(SessionKind::Own), ..SessionFilter::default() };
        let listed = sessions::list(tx, &key, user, own, Page::first(10))?;
        let mut ids: Vec<_> = listed.items.iter().map(|session| session.id).collect();
        ids.sort();
        let mut expected = vec![root, fork];
        expected.sort();
        assert_eq!(ids, expected);
        assert!(sessions::set_archived(tx, user, root, true, at(1))?);
        for id in [first, below] {
            assert!(sessions::get(tx, &key, user, id)?.unwrap().archived);
        }
        assert!(!sessions::get(tx, &key, user, fork)?.unwrap().archived, "a fork is a session of its own");
        assert_eq!(sessions::colleague(tx, user, root, agent)?, None, "archived ones are not gone on with");
        assert!(sessions::delete(tx, user, root)?);
        for id in [first, below] {
            assert_eq!(sessions::get(tx, &key, user, id)?, None);
        }
        let fork = sessions::get(tx, &key, user, fork)?.unwrap();
        assert_eq!(fork.parent_id, None);
        Ok(())
    };
    world.store.write(write).await.unwrap();
}
