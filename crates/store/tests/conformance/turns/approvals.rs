//! Approvals: they wait in order, are answered once, in time, and only by their person; several calls may wait for one.

use crate::world::{World, at, turn_id, uuid};
use domain::{
    Approval, ApprovalId, ApprovalStatus, CallId, Danger, EffectClass, MessageId, Origin, RuleScope,
    SessionId, ShownArgument, Source, TurnId, TurnStatus, UserId,
};
use serde_json::json;
use store::{
    Page, Tx, approvals,
    calls::{self, NewCall},
    turns::{self, NewTurn},
};

pub fn approval(world: &World, turn: TurnId, words: &str) -> Approval {
    Approval {
        id: ApprovalId::from_uuid(uuid()),
        session_id: world.session,
        turn_id: turn,
        call_id: CallId::from_uuid(uuid()),
        tool: "bash".to_owned(),
        arguments: json!({ "command": words }),
        shown: vec![ShownArgument { name: "command".to_owned(), value: words.to_owned() }],
        danger: Danger::Dangerous,
        why: vec![words.to_owned()],
        digest: words.to_owned(),
        scopes: vec![RuleScope::Once, RuleScope::Session],
        workplace: None,
        reaches: Some(vec!["wiki.example".to_owned()]),
        label: Some(domain::Label::UNTRUSTED_COMMON),
        host: None,
        status: ApprovalStatus::Pending,
        reason: None,
        expires_at: at(500),
        created_at: at(0),
    }
}

async fn call(world: &World, turn: TurnId, id: CallId) {
    let call = NewCall {
        id,
        session_id: world.session,
        turn_id: turn,
        user_id: world.user,
        message_id: MessageId::from_uuid(uuid()),
        position: 0,
        name: "bash".to_owned(),
        arguments: json!({}),
        origin: Origin::Native,
        class: EffectClass::Effect,
        made: Default::default(),
    };
    let key = world.key.clone();
    world.store.write(move |tx: &mut Tx| calls::insert(tx, &key, &[call], at(0))).await.unwrap();
}

async fn ask(world: &World, approval: &Approval) {
    call(world, approval.turn_id, approval.call_id).await;
    let (key, user, approval) = (world.key.clone(), world.user, approval.clone());
    let write = move |tx: &mut Tx| {
        approvals::insert(tx, &key, user, &approval)?;
        assert!(approvals::wait(tx, approval.call_id, approval.id)?);
        Ok(())
    };
    world.store.write(write).await.unwrap();
}

pub async fn an_approval_is_answered_once_and_heard_of_until_its_calls_go_on(world: World) {
    let turn = turn_id();
    let (first, second) = (approval(&world, turn, "ls"), approval(&world, turn, "rm"));
    ask(&world, &first).await;
    ask(&world, &second).await;
    let another = CallId::from_uuid(uuid());
    call(&world, turn, another).await;
    let (key, user, stranger) = (world.key.clone(), world.user, UserId::from_uuid(uuid()));
    let (one, two) = (first.clone(), second.clone());
    let write = move |tx: &mut Tx| {
        assert!(approvals::wait(tx, another, one.id)?, "two calls wait for one approval");
        let open = approvals::open(tx, &key, user, &Page::first(1))?;
        assert_eq!((open.total, open.items), (2, vec![one.clone()]));
        assert_eq!(approvals::get(tx, &key, stranger, one.id)?, None, "it is nobody else's");
        assert_eq!(approvals::count_open(tx, user)?, 2);
        assert_eq!(approvals::unheard(tx, &key, turn)?, []);
        let (yes, no) = (ApprovalStatus::Approved, ApprovalStatus::Denied);
        assert!(approvals::settle(tx, &key, one.id, yes, None, at(1))?);
        assert!(!approvals::settle(tx, &key, one.id, no, None, at(2))?, "once");
        let heard = approvals::unheard(tx, &key, turn)?;
        let calls: Vec<CallId> = heard.iter().map(|(call, _)| *call).collect();
        assert_eq!(calls, [one.call_id, another]);
        assert!(heard.iter().all(|(_, approval)| approval.status == yes));
        assert!(calls::start(tx, one.call_id, at(3))?);
        assert_eq!(approvals::unheard(tx, &key, turn)?.len(), 1, "the one that began has heard");
        approvals::withdraw(tx, two.call_id, at(4))?;
        assert!(!approvals::settle(tx, &key, two.id, yes, None, at(5))?);
        approvals::get(tx, &key, user, two.id)
    };
    let withdrawn = world.store.write(write).await.unwrap().unwrap();
    assert_eq!(withdrawn, Approval { status: ApprovalStatus::Denied, ..second });
}

fn ended_turn(world: &World, id: TurnId) -> NewTurn {
    NewTurn {
        id,
        session_id: world.session,
        user_id: world.user,
        position: 1,
        source: Source::Bridge,
        status: TurnStatus::Ended,
        owner: None,
        epoch: 1,
        lease_until: None,
        state: None,
        at: at(0),
    }
}

/// What is asked about a reply that is there already holds nothing up, and is counted by itself.
pub async fn an_approval_of_a_turn_that_has_ended_is_counted_apart(world: World) {
    let (user, session) = (world.user, world.session);
    let ended = turn_id();
    let (new, key) = (ended_turn(&world, ended), world.key.clone());
    world.store.write(move |tx: &mut Tx| turns::insert(tx, &key, &new)).await.unwrap();
    ask(&world, &approval(&world, ended, "told")).await;
    ask(&world, &approval(&world, turn_id(), "asked")).await;
    let (other, key) = (SessionId::from_uuid(uuid()), world.key.clone());
    let last = approval(&world, ended, "answered");
    let read = move |tx: &mut Tx| {
        assert_eq!(approvals::count_open(tx, user)?, 1);
        assert_eq!(approvals::count_of_ended(tx, user, session)?, (1, 1));
        assert_eq!(approvals::count_of_ended(tx, user, other)?, (0, 1));
        assert_eq!(approvals::count_of_ended(tx, UserId::from_uuid(uuid()), session)?, (0, 0));
        approvals::insert(tx, &key, user, &last)?;
        approvals::settle(tx, &key, last.id, ApprovalStatus::Denied, None, at(1))?;
        approvals::count_of_ended(tx, user, session)
    };
    assert_eq!(world.store.write(read).await.unwrap(), (1, 1), "an answered one waits no longer");
}

pub async fn an_approval_that_comes_too_late_is_none(world: World) {
    let asked = approval(&world, turn_id(), "ls");
    ask(&world, &asked).await;
    let (key, user, id) = (world.key.clone(), world.user, asked.id);
    let write = move |tx: &mut Tx| {
        assert_eq!(approvals::next_due(tx)?, Some(at(500)));
        assert_eq!(approvals::due(tx, at(499))?, []);
        assert_eq!(approvals::due(tx, at(500))?, [(id, user)]);
        let late = ApprovalStatus::Approved;
        assert!(!approvals::settle(tx, &key, id, late, None, at(500))?, "its time is over");
        assert!(approvals::settle(tx, &key, id, ApprovalStatus::Expired, Some("late"), at(501))?);
        assert_eq!(approvals::next_due(tx)?, None);
        approvals::get(tx, &key, user, id)
    };
    let expired = world.store.write(write).await.unwrap().unwrap();
    assert_eq!((expired.status, expired.reason.as_deref()), (ApprovalStatus::Expired, Some("late")));
}

pub async fn an_approval_that_another_call_waits_for_is_not_withdrawn(world: World) {
    let turn = turn_id();
    let asked = approval(&world, turn, "ls");
    ask(&world, &asked).await;
    let another = CallId::from_uuid(uuid());
    call(&world, turn, another).await;
    let (key, user, id, first) = (world.key.clone(), world.user, asked.id, asked.call_id);
    let write = move |tx: &mut Tx| {
        approvals::wait(tx, another, id)?;
        approvals::withdraw(tx, first, at(1))?;
        let kept = approvals::get(tx, &key, user, id)?.unwrap();
        assert_eq!(kept.status, ApprovalStatus::Pending);
        Ok(approvals::of_turn(tx, &key, turn)?.len())
    };
    assert_eq!(world.store.write(write).await.unwrap(), 1);
}

pub async fn what_a_turn_still_asks_ends_with_it(world: World) {
    let (turn, other) = (turn_id(), turn_id());
    let (first, answered, others) =
        (approval(&world, turn, "a"), approval(&world, turn, "b"), approval(&world, other, "c"));
    for asked in [&first, &answered, &others] {
        ask(&world, asked).await;
    }
    let (key, user) = (world.key.clone(), world.user);
    let write = move |tx: &mut Tx| {
        assert!(approvals::settle(tx, &key, answered.id, ApprovalStatus::Approved, None, at(1))?);
        approvals::withdraw_of_turn(tx, turn, at(2))?;
        let mut found = Vec::new();
        for id in [first.id, answered.id, others.id] {
            found.extend(approvals::get(tx, &key, user, id)?.map(|asked| asked.status));
        }
        Ok(found)
    };
    let found = world.store.write(write).await.unwrap();
    assert_eq!(found, [ApprovalStatus::Denied, ApprovalStatus::Approved, ApprovalStatus::Pending]);
}
