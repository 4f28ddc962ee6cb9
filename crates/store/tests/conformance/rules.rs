//! Rules: they come back as they were made, count for whom they are, and are used up once.

use crate::world::{World, at, uuid};
use domain::{Permission, Rule, RuleArguments, RuleId, RuleScope, SessionId, Subject, UserId};
use serde_json::json;
use store::{Error, Page, Tx, rules};

pub fn rule(user: Option<UserId>, subject: Subject, words: &str) -> Rule {
    Rule {
        id: RuleId::from_uuid(uuid()),
        user_id: user,
        subject,
        tool: "bash".to_owned(),
        action: Permission::Allow,
        scope: RuleScope::Always,
        arguments: Some(RuleArguments::Exact(json!({ "command": words }))),
        expires_at: None,
        created_at: at(0),
    }
}

async fn put(world: &World, rule: &Rule) {
    let (vault, rule) = (world.store.vault().clone(), rule.clone());
    world.store.write(move |tx: &mut Tx| rules::insert(tx, &vault, &rule)).await.unwrap();
}

pub async fn rules_count_for_whom_they_are(world: World) {
    let (stranger, ..) = world.stranger().await;
    let mine = rule(Some(world.user), Subject::Session(world.session), "ls");
    let house = Rule { arguments: None, ..rule(None, Subject::Everybody, "") };
    let theirs = rule(Some(stranger), Subject::User(stranger), "rm");
    let over =
        Rule { expires_at: Some(at(5)), ..rule(Some(world.user), Subject::Agent(world.agent.id), "x") };
    for rule in [&mine, &house, &theirs, &over] {
        put(&world, rule).await;
    }
    let (vault, user, session) = (world.store.vault().clone(), world.user, world.session);
    let elsewhere = SessionId::from_uuid(uuid());
    let (first, second) = (mine.clone(), house.clone());
    let read = move |tx: &mut Tx| {
        let own = [session];
        assert_eq!(rules::for_call(tx, &vault, user, &own, at(5))?, [first.clone(), second.clone()]);
        assert_eq!(rules::for_call(tx, &vault, user, &own, at(4))?.len(), 3);
        // What is for another session is not even read.
        assert_eq!(rules::for_call(tx, &vault, user, &[elsewhere], at(5))?, std::slice::from_ref(&second));
        assert_eq!(rules::for_call(tx, &vault, user, &[], at(5))?, [second]);
        assert_eq!(rules::list(tx, &vault, user, &Page::first(10))?.total, 3);
        assert_eq!(rules::count(tx, Some(user))?, 1);
        assert_eq!(rules::count_in(tx, session)?, 1);
        assert_eq!(rules::count(tx, None)?, 1);
        rules::get(tx, &vault, first.id)
    };
    assert_eq!(world.store.read(read).await.unwrap(), Some(mine));
}

pub async fn a_rule_for_one_call_is_used_up_once(world: World) {
    let once = Rule { scope: RuleScope::Once, ..rule(Some(world.user), Subject::User(world.user), "ls") };
    let lasting = rule(Some(world.user), Subject::User(world.user), "ls");
    put(&world, &once).await;
    put(&world, &lasting).await;
    let spend = async |id: RuleId| world.store.write(move |tx: &mut Tx| rules::spend(tx, id)).await;
    assert_eq!(spend(once.id).await, Ok(true));
    assert_eq!(spend(once.id).await, Ok(false));
    assert_eq!(spend(lasting.id).await, Ok(false), "what holds for longer is not used up");
    let (id, again) = (lasting.id, lasting.id);
    assert!(world.store.write(move |tx: &mut Tx| rules::delete(tx, id)).await.unwrap());
    assert!(!world.store.write(move |tx: &mut Tx| rules::delete(tx, again)).await.unwrap());
}

pub async fn the_arguments_of_a_rule_cannot_be_moved(world: World) {
    let narrow = rule(Some(world.user), Subject::User(world.user), "ls");
    put(&world, &narrow).await;
    let (vault, id) = (world.store.vault().clone(), narrow.id);
    world.tamper("UPDATE rules SET tool = 'python' WHERE id = $1", store::args![id]).await;
    let read = move |tx: &mut Tx| rules::get(tx, &vault, id);
    assert!(matches!(world.store.read(read).await, Err(Error::Crypto { table: "rules", .. })));
}

pub async fn rules_for_a_session_make_room_and_end_with_their_time(world: World) {
    let (session, subject) = (world.session, Subject::Session(world.session));
    let denied = Rule { action: Permission::Deny, ..rule(Some(world.user), subject, "rm") };
    put(&world, &denied).await;
    let mut allowed = Vec::new();
    for number in 0..6 {
        let next = rule(Some(world.user), subject, &format!("ls {number}"));
        let (vault, saved) = (world.store.vault().clone(), next.clone());
        let write = move |tx: &mut Tx| {
            rules::make_room(tx, session, 4)?;
            rules::insert(tx, &vault, &saved)
        };
        world.store.write(write).await.unwrap();
        allowed.push(next);
    }
    let expected = [&[denied], allowed.get(3..).unwrap()].concat();
    let (vault, user) = (world.store.vault().clone(), world.user);
    let read = move |tx: &mut Tx| rules::for_call(tx, &vault, user, &[session], at(0));
    assert_eq!(
        world.store.read(read).await.unwrap(),
        expected,
        "the oldest that allow go, what forbids stays"
    );
    let over = Rule { expires_at: Some(at(5)), ..rule(Some(world.user), Subject::User(world.user), "x") };
    put(&world, &over).await;
    let prune = async |now: i64| world.store.write(move |tx: &mut Tx| rules::prune(tx, at(now))).await;
    assert_eq!((prune(4).await, prune(5).await, prune(5).await), (Ok(0), Ok(1), Ok(0)));
    let user = world.user;
    let delete = move |tx: &mut Tx| store::sessions::delete(tx, user, session);
    assert!(world.store.write(delete).await.is_ok());
    assert_eq!(world.count("rules").await, 0, "they go with their session");
}
