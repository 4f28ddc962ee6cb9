use crate::world::{World, at, new_agent, new_session};
use domain::{Agent, AgentStatus, CapabilityRef};
use store::{Error, Page, Tx, agents, sessions};

pub async fn an_agent_comes_back_as_it_was_stored(world: World) {
    let World { store, agent, user, .. } = &world;
    let (stranger, ..) = world.stranger().await;
    let (id, user, vault) = (agent.id, *user, store.vault().clone());
    let before = store.counts();
    let found = {
        let vault = vault.clone();
        store.read(move |tx: &mut Tx| agents::get(tx, &vault, user, id)).await.unwrap()
    };
    assert_eq!(found.as_ref(), Some(agent));
    assert_eq!(store.counts().statements - before.statements, 2);
    let (named, foreign) = store
        .read(move |tx: &mut Tx| {
            let named = agents::by_name(tx, &vault, user, "MAIN")?;
            Ok((named, agents::get(tx, &vault, stranger, id)?))
        })
        .await
        .unwrap();
    assert_eq!(named.as_ref(), Some(agent));
    assert_eq!(foreign, None);
}

pub async fn a_name_is_taken_in_any_case(world: World) {
    let World { store, key, user, .. } = &world;
    let taken = new_agent(*user, "Main");
    let other = new_agent(*user, "helper");
    let (_, stranger_key, ..) = world.stranger().await;
    let theirs = new_agent(stranger_key.owner(), "Helper");
    let key2 = key.clone();
    let refused = store.write(move |tx: &mut Tx| agents::create(tx, &key2, &taken)).await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
    let (key2, renamed) = (key.clone(), Agent { name: "MAIN".to_owned(), ..other.clone() });
    store
        .write(move |tx: &mut Tx| {
            agents::create(tx, &key2, &other)?;
            agents::create(tx, &stranger_key, &theirs)
        })
        .await
        .unwrap();
    let key2 = key.clone();
    let refused = store.write(move |tx: &mut Tx| agents::update(tx, &key2, &renamed)).await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
}

pub async fn changing_an_agent_replaces_its_capabilities(world: World) {
    let World { store, key, user, agent, .. } = &world;
    let changed = Agent {
        name: "Main 2".to_owned(),
        status: AgentStatus::Archived,
        capabilities: vec![CapabilityRef::from("test_math"), CapabilityRef::from("noop")],
        updated_at: at(5),
        ..agent.clone()
    };
    let absent = new_agent(*user, "nobody");
    let (key, user, want, vault) = (key.clone(), *user, changed.clone(), store.vault().clone());
    let (known, unknown, found) = store
        .write(move |tx: &mut Tx| {
            let known = agents::update(tx, &key, &changed)?;
            let unknown = agents::update(tx, &key, &absent)?;
            Ok((known, unknown, agents::get(tx, &vault, user, changed.id)?))
        })
        .await
        .unwrap();
    assert!(known && !unknown);
    assert_eq!(found, Some(want));
}

pub async fn agents_are_listed_in_pieces(world: World) {
    let World { store, key, user, .. } = &world;
    let (key2, user2) = (key.clone(), *user);
    store
        .write(move |tx: &mut Tx| {
            for name in ["b", "c", "d", "e"] {
                agents::create(tx, &key2, &new_agent(user2, name))?;
            }
            Ok(())
        })
        .await
        .unwrap();
    let mut names = Vec::new();
    let mut cursor = None;
    loop {
        let (vault, user, page) = (store.vault().clone(), *user, Page { limit: 2, cursor });
        let piece = store.read(move |tx: &mut Tx| agents::list(tx, &vault, user, page)).await.unwrap();
        assert_eq!(piece.total, 5);
        assert!(piece.items.iter().all(|agent| agent.capabilities.len() == 2));
        names.extend(piece.items.into_iter().map(|agent| agent.name));
        cursor = piece.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(names, ["main", "b", "c", "d", "e"]);
    let (vault, user) = (store.vault().clone(), *user);
    let bad = Page { limit: 2, cursor: Some("42".to_owned()) };
    let refused = store.read(move |tx: &mut Tx| agents::list(tx, &vault, user, bad)).await;
    assert_eq!(refused.unwrap_err(), Error::BadCursor);
}

pub async fn an_agent_with_open_sessions_is_kept(world: World) {
    let World { store, key, user, agent, session, .. } = &world;
    let (user, id, session) = (*user, agent.id, *session);
    let refused = store.write(move |tx: &mut Tx| agents::delete(tx, user, id)).await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
    let another = new_session(agent, None);
    let (key, vault) = (key.clone(), store.vault().clone());
    let (stranger, ..) = world.stranger().await;
    let deleted = store
        .write(move |tx: &mut Tx| {
            sessions::create(tx, &key, &another)?;
            assert!(!agents::delete(tx, stranger, id)?);
            sessions::set_archived(tx, user, session, true, at(1))?;
            sessions::set_archived(tx, user, another.id, true, at(1))?;
            let deleted = agents::delete(tx, user, id)?;
            assert_eq!(agents::get(tx, &vault, user, id)?, None);
            Ok(deleted)
        })
        .await
        .unwrap();
    assert!(deleted);
    // The stranger's are still there.
    assert_eq!(world.count("sessions").await, 1);
    assert_eq!(world.count("agent_capabilities").await, 2);
}
