//! Versions of a conversation, the model that was chosen for it, and the messages that wait in it.

use crate::{
    turns::inbox::input,
    world::{World, at, new_message, new_session, turn_id, uuid},
};
use domain::{
    Folder, FolderId, FolderText, Integrity, Label, Role, SessionId, Source, TurnId, TurnStatus, Usage,
};
use store::{
    Page, Tx, args, folders, inbox,
    log::Entry,
    sessions::{self, Departure, SessionFilter, VersionOf},
    titles,
    turns::{self, NewTurn},
};

async fn listed(world: &World) -> Vec<SessionId> {
    let (key, user) = (world.key.clone(), world.user);
    let read = move |tx: &mut Tx| sessions::list(tx, &key, user, SessionFilter::default(), Page::first(50));
    world.store.read(read).await.unwrap().items.into_iter().map(|session| session.id).collect()
}

/// A version that departs from the world's session at this message; it is not whole yet.
async fn depart(world: &World, seq: u64) -> SessionId {
    let (key, user, viewed) = (world.key.clone(), world.user, world.session);
    let copy = new_session(&world.agent, Some("a version"));
    let id = copy.id;
    let begin = move |tx: &mut Tx| {
        drop(sessions::begin_copy(tx, &key, &copy, at(5))?);
        sessions::set_departure(tx, user, id, viewed, Departure { from: viewed, seq })
    };
    world.store.write(begin).await.unwrap();
    id
}

async fn show(world: &World, id: SessionId) -> bool {
    let (key, user) = (world.key.clone(), world.user);
    world.store.write(move |tx: &mut Tx| sessions::show_version(tx, &key, user, id)).await.unwrap()
}

async fn versions(world: &World, id: SessionId) -> Vec<VersionOf> {
    let user = world.user;
    world.store.read(move |tx: &mut Tx| sessions::versions(tx, user, id)).await.unwrap()
}

pub async fn one_version_of_a_conversation_is_listed(world: World) {
    let first = world.session;
    assert_eq!(versions(&world, first).await, [], "there is one");
    let second = depart(&world, 3).await;
    assert_eq!(versions(&world, first).await.len(), 1, "what is not whole is none");
    world.store.write(move |tx: &mut Tx| sessions::finish_copy(tx, second)).await.unwrap();
    assert_eq!(listed(&world).await, [first], "it is not shown yet");
    let found = versions(&world, first).await;
    let departures: Vec<_> = found.iter().map(|one| (one.id, one.departure)).collect();
    assert!(departures.contains(&(first, None)));
    assert!(departures.contains(&(second, Some(Departure { from: first, seq: 3 }))));
    let user = world.user;
    let waiting = move |tx: &mut Tx| sessions::lock_waiting(tx, user, first);
    assert_eq!(world.store.write(waiting).await.unwrap(), 0, "nothing waits in it");
    for (working, active) in [(false, None), (true, Some(TurnId::from_uuid(uuid()))), (false, None)] {
        let write = move |tx: &mut Tx| {
            tx.run("UPDATE sessions SET active_turn = $2 WHERE id = $1", args![first, active])?;
            Ok((sessions::lock_shown(tx, user, second)?, sessions::lock_shown(tx, user, first)?))
        };
        assert_eq!(world.store.write(write).await.unwrap(), (working, false), "of the one in the lists");
    }
    assert!(show(&world, second).await);
    assert_eq!(listed(&world).await, [second]);
    assert!(show(&world, first).await);
    assert_eq!(listed(&world).await, [first]);
    let (stranger, key, ..) = world.stranger().await;
    let foreign = move |tx: &mut Tx| sessions::show_version(tx, &key, stranger, first);
    assert!(!world.store.write(foreign).await.unwrap(), "another person's");
    // A conversation goes with all its versions.
    let user = world.user;
    assert!(world.store.write(move |tx: &mut Tx| sessions::delete(tx, user, first)).await.unwrap());
    assert_eq!((listed(&world).await, versions(&world, second).await), (vec![], vec![]));
}

/// Name, pin and folder.
async fn kept(world: &World, id: SessionId) -> (Option<String>, bool, Option<FolderId>) {
    let (key, user) = (world.key.clone(), world.user);
    let read = move |tx: &mut Tx| sessions::get(tx, &key, user, id);
    let session = world.store.read(read).await.unwrap().unwrap();
    (session.name, session.keeping.pinned, session.keeping.folder_id)
}

pub async fn versions_are_one_entry_with_one_name_in_one_place(world: World) {
    let (first, second) = (world.session, depart(&world, 3).await);
    world.store.write(move |tx: &mut Tx| sessions::finish_copy(tx, second)).await.unwrap();
    assert!(show(&world, second).await);
    let (key, user, folder) = (world.key.clone(), world.user, FolderId::from_uuid(uuid()));
    let other = new_session(&world.agent, Some("another"));
    let another = other.id;
    let write = move |tx: &mut Tx| {
        let text = FolderText { name: "Kitchen".to_owned(), instructions: String::new() };
        let made =
            Folder { id: folder, user_id: user, text, version: 1, created_at: at(1), updated_at: at(1) };
        folders::create(tx, &key, &made, 10)?;
        sessions::create(tx, &key, &other)?;
        // What a person does to the one in the list holds for all.
        assert!(sessions::set_pinned(tx, user, second, true)?);
        assert!(sessions::move_to(tx, user, second, Some(folder))?);
        sessions::rename(tx, &key, user, second, Some("Soup"), at(9))
    };
    assert!(world.store.write(write).await.unwrap());
    let soup = (Some("Soup".to_owned()), true, Some(folder));
    assert_eq!((kept(&world, first).await, kept(&world, second).await), (soup.clone(), soup));
    assert_eq!(kept(&world, another).await, (Some("another".to_owned()), false, None), "the control");
    // One that had another place and a title of its own takes over those of the entry.
    let (key, user) = (world.key.clone(), world.user);
    let apart = move |tx: &mut Tx| {
        let sql = "UPDATE sessions SET pinned = 0, folder_id = NULL, name = NULL WHERE id = $1";
        tx.run(sql, args![first])?;
        titles::give(tx, &key, user, first, "A title", Usage::ZERO)
    };
    world.store.write(apart).await.unwrap();
    assert_eq!(kept(&world, first).await, (Some("A title".to_owned()), false, None));
    assert!(show(&world, first).await);
    assert_eq!(kept(&world, first).await, (Some("Soup".to_owned()), true, Some(folder)));
    assert_eq!(listed(&world).await.len(), 2);
}

pub async fn a_title_made_of_untrusted_words_stays_with_them(world: World) {
    let (first, second) = (world.session, depart(&world, 3).await);
    let (key, user) = (world.key.clone(), world.user);
    let write = move |tx: &mut Tx| {
        sessions::finish_copy(tx, second)?;
        sessions::show_version(tx, &key, user, second)?;
        let untrusted = Label { integrity: Integrity::Untrusted, ..Label::TRUSTED_PRIVATE };
        sessions::taint(tx, second, untrusted)
    };
    world.store.write(write).await.unwrap();
    let before = kept(&world, first).await.0;
    assert!(show(&world, first).await);
    assert_eq!(kept(&world, first).await.0, before, "not “a version”, which came from elsewhere");
    assert!(show(&world, second).await);
    assert_eq!(kept(&world, second).await.0, before, "the other way round nothing is lost");
}

pub async fn a_version_that_is_not_whole_is_dropped_alone(world: World) {
    let (user, left) = (world.user, depart(&world, 3).await);
    let drop =
        async |id| world.store.write(move |tx: &mut Tx| sessions::drop_copy(tx, user, id)).await.unwrap();
    assert!(drop(left).await);
    assert!(!drop(world.session).await, "the control: what is whole stays");
    assert_eq!(listed(&world).await, [world.session]);
}

pub async fn a_message_is_found_by_its_place(world: World) {
    let turn = turn_id();
    let said = |text: &str| Entry::Message(new_message(turn, Role::User, text));
    let events = world.append(vec![said("one"), said("two"), said("three")]).await;
    let seqs: Vec<u64> = events.iter().map(|event| event.seq).collect();
    let session = world.session;
    let read = move |tx: &mut Tx| {
        let places = (0..5).map(|place| sessions::nth_message(tx, session, place));
        let places = places.collect::<store::Result<Vec<_>>>()?;
        Ok((
            places,
            sessions::first_message_after(tx, session, seqs[0])?,
            sessions::first_message_after(tx, session, seqs[2])?,
            seqs,
        ))
    };
    let (places, second, none, seqs) = world.store.read(read).await.unwrap();
    assert_eq!(places, [None, Some(seqs[0]), Some(seqs[1]), Some(seqs[2]), None]);
    assert_eq!((second, none), (Some(seqs[1]), None));
}

pub async fn a_model_is_chosen_and_given_back(world: World) {
    let (user, id, vault) = (world.user, world.session, world.store.vault().clone());
    let choose = async |model: Option<&'static str>| {
        world.store.write(move |tx: &mut Tx| sessions::set_model(tx, user, id, model, at(3))).await.unwrap()
    };
    let model = async || {
        let (key, vault) = (world.key.clone(), vault.clone());
        let read = move |tx: &mut Tx| sessions::with_agent(tx, &vault, &key, user, id);
        let found = world.store.read(read).await.unwrap().unwrap();
        (found.session.model, found.agent.model)
    };
    let before = model().await;
    assert!(choose(Some("a/b")).await);
    assert_eq!(model().await, (Some("a/b".to_owned()), Some("a/b".to_owned())));
    assert!(choose(None).await);
    assert_eq!(model().await, before);
}

pub async fn what_waits_is_listed_within_bytes(world: World) {
    let (session, user) = (world.session, world.user);
    let (vault, key) = (world.store.vault().clone(), world.key.clone());
    let ids: Vec<TurnId> = (0..3).map(|_| turn_id()).collect();
    let turns_of = ids.clone();
    let write = move |tx: &mut Tx| {
        for (position, id) in (1..).zip(turns_of) {
            let new = input(session, user, id, None, &"x".repeat(1_000));
            inbox::insert(tx, &vault, &key, &new)?;
            let turn = NewTurn {
                id,
                session_id: session,
                user_id: user,
                position,
                source: Source::Web,
                status: TurnStatus::Queued,
                owner: None,
                epoch: 0,
                lease_until: None,
                state: None,
                at: at(0),
            };
            turns::insert(tx, &key, &turn)?;
        }
        Ok(())
    };
    world.store.write(write).await.unwrap();
    let waiting = async |bytes: u64| {
        let key = world.key.clone();
        let read = move |tx: &mut Tx| inbox::waiting(tx, &key, session, bytes);
        let found = world.store.read(read).await.unwrap();
        found.into_iter().map(|(turn, _)| turn).collect::<Vec<_>>()
    };
    assert_eq!(waiting(1 << 20).await, ids, "in their order");
    assert_eq!(waiting(2_500).await, ids[..2]);
    assert_eq!(waiting(0).await, ids[..1], "always one");
}
