use crate::world::{World, at, new_session, new_user, uuid};
use domain::{Agent, Session, SessionId, Share, UserId, UserRole};
use store::{
    DataKey, Error, MasterKey, Page, Store, Tx, agents,
    sessions::{self, Staffed},
    users,
};

fn page() -> Page {
    Page::first(20)
}

/// The world's agent, shared as told.
async fn share(world: &World, with: Vec<Share>) {
    let (key, agent) = (world.key.clone(), Agent { shared_with: with, ..world.agent.clone() });
    let stale = Agent { shared_with: vec![Share::Everybody], ..agent.clone() };
    let write = move |tx: &mut Tx| {
        agents::share(tx, &agent)?;
        // Other fields are changed by somebody who has read the agent when it was shared with all.
        agents::update(tx, &key, &stale)
    };
    assert!(world.store.write(write).await.unwrap());
}

async fn person(world: &World, role: UserRole) -> (UserId, DataKey) {
    let (vault, new) = (world.store.vault().clone(), new_user(&format!("{role:?} {}", uuid()), role));
    let id = new.id;
    world.store.write(move |tx: &mut Tx| users::create(tx, &vault, new)).await.unwrap();
    (id, world.store.data_key(id).await.unwrap())
}

/// A session of somebody with the world's agent.
async fn talk(world: &World, user: UserId, key: &DataKey) -> Result<SessionId, Error> {
    let session = Session { user_id: user, ..new_session(&world.agent, Some("between us")) };
    let (id, key) = (session.id, key.clone());
    world.store.write(move |tx: &mut Tx| sessions::create(tx, &key, &session)).await.map(|()| id)
}

async fn staffed(world: &World, user: UserId, key: &DataKey, id: SessionId) -> Option<Staffed> {
    let (vault, key) = (world.store.vault().clone(), key.clone());
    let read = move |tx: &mut Tx| sessions::with_agent(tx, &vault, &key, user, id);
    world.store.read(read).await.unwrap()
}

async fn accept(world: &World, user: UserId) -> bool {
    let agent = world.agent.id;
    world.store.write(move |tx: &mut Tx| agents::accept(tx, user, agent, at(2))).await.unwrap()
}

async fn offered(world: &World, user: UserId) -> Vec<domain::AgentId> {
    world.store.read(move |tx: &mut Tx| agents::offered(tx, user)).await.unwrap()
}

async fn set_role(world: &World, user: UserId, role: UserRole) {
    world.store.write(move |tx: &mut Tx| users::set_role(tx, user, role)).await.unwrap();
}

/// What somebody sees: the agents of the list, and whether the world's is among them.
async fn seen(world: &World, user: UserId) -> (u64, bool) {
    let (vault, id) = (world.store.vault().clone(), world.agent.id);
    let read = move |tx: &mut Tx| {
        let list = agents::list(tx, &vault, user, page())?;
        let found = agents::get(tx, &vault, user, id)?.is_some();
        assert_eq!(list.items.iter().any(|agent| agent.id == id), found);
        assert_eq!(list.total, u64::try_from(list.items.len()).unwrap());
        Ok((list.total, found))
    };
    world.store.read(read).await.unwrap()
}

pub async fn a_shared_agent_is_seen_and_used(world: World) {
    let (member, member_key, ..) = world.stranger().await;
    let (admin, admin_key) = person(&world, UserRole::Admin).await;
    assert_eq!(seen(&world, member).await, (1, false));
    assert!(matches!(talk(&world, member, &member_key).await, Err(Error::Constraint(_))));

    share(&world, vec![Share::User(member)]).await;
    assert_eq!(seen(&world, member).await, (2, true));
    // Offered, and not yet theirs.
    assert!(matches!(talk(&world, member, &member_key).await, Err(Error::Constraint(_))));
    assert_eq!(offered(&world, member).await, [world.agent.id]);
    assert!(!accept(&world, admin).await, "what is not shared with them");
    assert!(accept(&world, member).await && accept(&world, member).await);
    assert_eq!(offered(&world, member).await, []);
    let session = talk(&world, member, &member_key).await.unwrap();
    let before = world.store.counts().statements;
    let found = staffed(&world, member, &member_key, session).await.unwrap();
    assert_eq!(world.store.counts().statements - before, 1);
    // Her words with her key, its settings with its owner's.
    assert_eq!((found.session.name.as_deref(), found.usable), (Some("between us"), true));
    assert_eq!(found.agent, world.agent);
    // An admin sees what is shared, and uses what is shared with them.
    assert_eq!(seen(&world, admin).await, (1, true));
    assert!(matches!(talk(&world, admin, &admin_key).await, Err(Error::Constraint(_))));
    share(&world, vec![Share::Everybody]).await;
    talk(&world, admin, &admin_key).await.unwrap();

    let (vault, owner, id) = (world.store.vault().clone(), world.user, world.agent.id);
    let read = move |tx: &mut Tx| agents::get(tx, &vault, owner, id);
    assert_eq!(world.store.read(read).await.unwrap().unwrap().shared_with, [Share::Everybody]);
}

pub async fn guests_use_what_is_shared_with_them_only(world: World) {
    let (guest, guest_key) = person(&world, UserRole::Guest).await;
    let own = crate::world::new_agent(guest, "main");
    let own_session = Session { user_id: guest, ..new_session(&own, None) };
    let key = guest_key.clone();
    let own_refused = world
        .store
        .write(move |tx: &mut Tx| {
            agents::create(tx, &key, &own)?;
            Ok(sessions::create(tx, &key, &own_session))
        })
        .await
        .unwrap();
    assert!(matches!(own_refused, Err(Error::Constraint(_))), "{own_refused:?}");
    assert_eq!(seen(&world, guest).await, (0, false));
    share(&world, vec![Share::Everybody]).await;
    assert_eq!(seen(&world, guest).await, (1, true));
    talk(&world, guest, &guest_key).await.unwrap();
}

pub async fn what_was_shared_is_no_longer_usable_but_stays_readable(world: World) {
    let (member, key, ..) = world.stranger().await;
    share(&world, vec![Share::User(member)]).await;
    assert!(accept(&world, member).await);
    let session = talk(&world, member, &key).await.unwrap();
    share(&world, vec![]).await;
    let found = staffed(&world, member, &key, session).await.unwrap();
    assert_eq!((found.usable, found.session.id), (false, session));
    assert_eq!(seen(&world, member).await, (1, false));
    // Shared again, it is offered again; shared with all by who runs the server, it is the server's.
    share(&world, vec![Share::User(member)]).await;
    assert!(!staffed(&world, member, &key, session).await.unwrap().usable);
    share(&world, vec![Share::Everybody]).await;
    assert!(staffed(&world, member, &key, session).await.unwrap().usable);
    assert_eq!(offered(&world, member).await, []);
    set_role(&world, world.user, UserRole::Member).await;
    assert!(!staffed(&world, member, &key, session).await.unwrap().usable);
    assert_eq!(offered(&world, member).await, [world.agent.id]);
    assert!(accept(&world, member).await);
    assert!(staffed(&world, member, &key, session).await.unwrap().usable);
    let (user, agent) = (member, world.agent.id);
    let decline = move |tx: &mut Tx| agents::decline(tx, user, agent);
    assert!(world.store.write(decline).await.unwrap());
    assert!(!staffed(&world, member, &key, session).await.unwrap().usable);
}

pub async fn other_peoples_sessions_outlive_the_agent(world: World) {
    let (member, key, ..) = world.stranger().await;
    share(&world, vec![Share::User(member)]).await;
    assert!(accept(&world, member).await);
    let session = talk(&world, member, &key).await.unwrap();
    let (owner, agent, own) = (world.user, world.agent.id, world.session);
    let write = move |tx: &mut Tx| {
        sessions::set_archived(tx, owner, own, true, at(1))?;
        agents::delete(tx, owner, agent)
    };
    assert!(world.store.write(write).await.unwrap());
    assert_eq!(staffed(&world, member, &key, session).await, None);
    let read = move |tx: &mut Tx| sessions::get(tx, &key, member, session);
    assert_eq!(world.store.read(read).await.unwrap().unwrap().name.as_deref(), Some("between us"));
    assert_eq!(world.count("agent_shares").await, 0);
    assert_eq!(world.count("agent_acceptances").await, 0);
}

/// What the step of the schema does with those who were there before it.
pub async fn who_used_a_shared_agent_before_has_accepted_it(world: World) {
    let (user, key) = person(&world, UserRole::Member).await;
    let (idle, _) = person(&world, UserRole::Member).await;
    share(&world, vec![Share::User(user), Share::User(idle)]).await;
    assert!(accept(&world, user).await);
    talk(&world, user, &key).await.unwrap();
    let step = include_str!("../../../migrations/0018_bridges_and_offers.sql");
    let (_, step) = step.rsplit_once("INSERT INTO").unwrap();
    let step = format!("INSERT INTO {}", step.trim().trim_end_matches(';'));
    let write = move |tx: &mut Tx| {
        tx.run("DELETE FROM agent_acceptances", vec![])?;
        tx.run(&step, vec![])
    };
    assert_eq!(world.store.write(write).await.unwrap(), 1);
    assert_eq!(offered(&world, user).await, []);
    assert_eq!(offered(&world, idle).await, [world.agent.id]);
}

/// With rows of the first version, whose schema itself refused a session with somebody else's agent.
#[tokio::test]
async fn a_database_of_the_first_version_is_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("majordomo.db");
    let old = rusqlite::Connection::open(&path).unwrap();
    old.execute_batch(include_str!("../../../migrations/0001_spine.sql")).unwrap();
    let rows = "CREATE TABLE schema_version (version BIGINT PRIMARY KEY); INSERT INTO schema_version VALUES (1);
        PRAGMA foreign_keys = ON;
        INSERT INTO users VALUES ('u1', x'01', 'owner', NULL, 1, x'', x'', 0), ('u2', x'02', 'member', NULL, 1, x'', x'', 0);
        INSERT INTO agents VALUES ('a1', 'u1', x'01', 'active', 0, 0, x'');
        INSERT INTO sessions (id, user_id, agent_id, status, archived, message_count, last_seq, read_seq, pending, \
          steering, input_tokens, output_tokens, cached_tokens, label, created_at, updated_at) \
          VALUES ('s1', 'u1', 'a1', 'idle', 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        INSERT INTO events VALUES ('s1', 1, 0, NULL, 'x', x'00');";
    old.execute_batch(rows).unwrap();
    let foreign = "INSERT INTO sessions (id, user_id, agent_id, status, archived, message_count, last_seq, read_seq, \
                   pending, steering, input_tokens, output_tokens, cached_tokens, label, created_at, updated_at) \
                   VALUES ('s2', 'u2', 'a1', 'idle', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)";
    old.execute_batch(foreign).unwrap_err();
    drop(old);

    let store =
        Store::open(&format!("sqlite:{}", path.display()), MasterKey::random().unwrap()).await.unwrap();
    // On the connection that changed the schema, and on one that was open before.
    store.write(move |tx: &mut Tx| tx.run(foreign, vec![])).await.unwrap();
    let count = |tx: &mut Tx| {
        let sessions: i64 = tx.one("SELECT COUNT(*) FROM sessions", vec![])?;
        Ok((sessions, tx.one::<i64>("SELECT COUNT(*) FROM events", vec![])?))
    };
    assert_eq!(store.read(count).await.unwrap(), (2, 1));
    let orphan = |tx: &mut Tx| tx.run("INSERT INTO events VALUES ('s9', 1, 0, NULL, 'x', x'')", vec![]);
    assert!(matches!(store.write(orphan).await, Err(Error::Constraint(_))));
    let check = |tx: &mut Tx| tx.one::<String>("PRAGMA integrity_check", vec![]);
    assert_eq!(store.read(check).await.unwrap(), "ok");
    store.close().await;
}
