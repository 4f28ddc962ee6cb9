//! How people keep their sessions: folders, pins, and what they deleted a moment ago.

use crate::{
    uploads::put,
    world::{World, at, new_session, turn_id, uuid},
};
use domain::{
    Folder, FolderId, FolderText, Label, Session, SessionId, SessionKind, Source, TurnStatus, UploadId,
    UserId,
};
use store::{
    Conflict, Error, Page, Result, Tx,
    folder_files::{self, Added},
    folders,
    sessions::{self, SessionFilter},
    turns::{self, NewTurn},
    uploads,
};

pub fn folder(user_id: UserId, name: &str) -> Folder {
    let text = FolderText { name: name.to_owned(), instructions: format!("{name}!") };
    let id = FolderId::from_uuid(uuid());
    Folder { id, user_id, text, version: 1, created_at: at(0), updated_at: at(0) }
}

async fn create(world: &World, folder: &Folder, most: u64) -> Result<bool> {
    let (key, folder) = (world.store.data_key(folder.user_id).await.unwrap(), folder.clone());
    world.store.write(move |tx: &mut Tx| folders::create(tx, &key, &folder, most)).await
}

async fn update(world: &World, folder: &Folder) -> Result<bool> {
    let (key, folder) = (world.store.data_key(folder.user_id).await.unwrap(), folder.clone());
    world.store.write(move |tx: &mut Tx| folders::update(tx, &key, &folder)).await
}

async fn get(world: &World, user: UserId, id: FolderId) -> Option<Folder> {
    let key = world.store.data_key(user).await.unwrap();
    world.store.read(move |tx: &mut Tx| folders::get(tx, &key, user, id)).await.unwrap()
}

async fn move_to(world: &World, user: UserId, id: SessionId, folder: Option<FolderId>) -> Result<bool> {
    world.store.write(move |tx: &mut Tx| sessions::move_to(tx, user, id, folder)).await
}

async fn listed(world: &World, filter: SessionFilter) -> Vec<SessionId> {
    let (key, user) = (world.key.clone(), world.user);
    let read = move |tx: &mut Tx| sessions::list(tx, &key, user, filter, Page::first(50));
    world.store.read(read).await.unwrap().items.into_iter().map(|session| session.id).collect()
}

pub async fn plant(world: &World, word: &str) {
    assert!(create(world, &folder(world.user, word), 9).await.unwrap());
}

pub async fn a_folder_comes_back_as_it_was_stored(world: World) {
    let user = world.user;
    let (first, second) = (folder(user, "first"), folder(user, "second"));
    assert!(create(&world, &first, 2).await.unwrap());
    assert!(create(&world, &second, 2).await.unwrap());
    assert!(!create(&world, &folder(user, "third"), 2).await.unwrap(), "there is a limit");
    assert_eq!(get(&world, user, first.id).await, Some(first.clone()));
    let key = world.key.clone();
    let read = move |tx: &mut Tx| folders::list(tx, &key, user, Page { limit: 1, cursor: None });
    let page = world.store.read(read).await.unwrap();
    assert_eq!((page.items, page.total), (vec![first], 2));
    let (key, cursor) = (world.key.clone(), page.next_cursor);
    let read = move |tx: &mut Tx| folders::list(tx, &key, user, Page { limit: 1, cursor });
    let page = world.store.read(read).await.unwrap();
    assert_eq!((page.items, page.next_cursor), (vec![second], None));
}

pub async fn of_two_changes_of_one_version_one_is_refused(world: World) {
    let user = world.user;
    let first = folder(user, "first");
    create(&world, &first, 9).await.unwrap();
    let named = |name: &str| Folder {
        text: FolderText { name: name.to_owned(), ..first.text.clone() },
        ..first.clone()
    };
    let (one, other) = (named("one"), named("other"));
    let (a, b) = tokio::join!(update(&world, &one), update(&world, &other));
    let refused = Err(Error::Conflict(Conflict::FolderChanged));
    let won = if a == Ok(true) { (b, "one") } else { (a, "other") };
    assert_eq!(won.0, refused);
    let kept = get(&world, user, first.id).await.unwrap();
    assert_eq!((kept.text.name.as_str(), kept.version), (won.1, 2));
    let gone = Folder { id: FolderId::from_uuid(uuid()), ..first };
    assert_eq!(update(&world, &gone).await, Ok(false));
}

pub async fn a_folder_is_its_persons_own(world: World) {
    let (user, session) = (world.user, world.session);
    let mine = folder(user, "mine");
    create(&world, &mine, 9).await.unwrap();
    let (stranger, _, _, theirs) = world.stranger().await;
    assert_eq!(get(&world, stranger, mine.id).await, None);
    assert_eq!(update(&world, &Folder { user_id: stranger, ..mine.clone() }).await, Ok(false));
    assert!(matches!(move_to(&world, stranger, theirs, Some(mine.id)).await, Err(Error::Constraint(_))));
    assert_eq!(move_to(&world, stranger, session, None).await, Ok(false));
    let id = mine.id;
    assert!(!world.store.write(move |tx: &mut Tx| folders::delete(tx, stranger, id)).await.unwrap());

    assert_eq!(move_to(&world, user, session, Some(id)).await, Ok(true));
    let inside = SessionFilter { folder_id: Some(id), ..SessionFilter::default() };
    assert_eq!(listed(&world, inside).await, [session]);
    let (vault, key) = (world.store.vault().clone(), world.key.clone());
    let read = move |tx: &mut Tx| sessions::with_agent(tx, &vault, &key, user, session);
    let staffed = world.store.read(read).await.unwrap().unwrap();
    assert_eq!(
        staffed.session.keeping.folder.as_deref(),
        Some(&mine.text),
        "it comes with its folder's words"
    );

    assert!(world.store.write(move |tx: &mut Tx| folders::delete(tx, user, id)).await.unwrap());
    assert_eq!(listed(&world, inside).await, Vec::<SessionId>::new());
    let key = world.key.clone();
    let read = move |tx: &mut Tx| sessions::get(tx, &key, user, session);
    let kept = world.store.read(read).await.unwrap().unwrap();
    assert_eq!(kept.keeping.folder_id, None, "what was in it stays");
}

pub async fn a_session_is_pinned_and_says_where_it_is_from(world: World) {
    let (user, session, key) = (world.user, world.session, world.key.clone());
    let write = move |tx: &mut Tx| {
        let turn = |position, source| NewTurn {
            id: turn_id(),
            session_id: session,
            user_id: user,
            position,
            source,
            status: TurnStatus::Queued,
            owner: None,
            epoch: 0,
            lease_until: None,
            state: None,
            at: at(0),
        };
        turns::insert(tx, &key, &turn(7, Source::Web))?;
        turns::insert(tx, &key, &turn(3, Source::Bridge))?;
        sessions::set_pinned(tx, user, session, true)
    };
    assert!(world.store.write(write).await.unwrap());
    let pinned = SessionFilter { pinned: Some(true), ..SessionFilter::default() };
    assert_eq!(listed(&world, pinned).await, [session]);
    let key = world.key.clone();
    let read = move |tx: &mut Tx| sessions::get(tx, &key, user, session);
    let keeping = world.store.read(read).await.unwrap().unwrap().keeping;
    assert_eq!((keeping.pinned, keeping.source), (true, Some(Source::Bridge)), "by its first turn");
    let (stranger, ..) = world.stranger().await;
    let foreign = move |tx: &mut Tx| sessions::set_pinned(tx, stranger, session, false);
    assert!(!world.store.write(foreign).await.unwrap());
}

pub async fn a_deletion_can_be_taken_back_for_a_while(world: World) {
    let (user, session, key) = (world.user, world.session, world.key.clone());
    let other = new_session(&world.agent, None);
    let kept = other.id;
    let child =
        Session { kind: SessionKind::Subagent, parent_id: Some(session), ..new_session(&world.agent, None) };
    let (worked_for, fork) = (child.id, Session { kind: SessionKind::Own, ..child.clone() });
    let fork = Session { id: SessionId::from_uuid(uuid()), ..fork };
    let forked = fork.id;
    let create = move |tx: &mut Tx| {
        sessions::create(tx, &key, &other)?;
        sessions::create(tx, &key, &child)?;
        sessions::create(tx, &key, &fork)
    };
    world.store.write(create).await.unwrap();
    let delete = move |tx: &mut Tx| sessions::mark_deleted(tx, user, session, at(100));
    assert!(world.store.write(delete).await.unwrap());
    assert!(!world.store.write(delete).await.unwrap(), "it is gone already");
    assert_eq!(
        listed(&world, SessionFilter::default()).await,
        [forked, kept],
        "with what works for it, without forks"
    );
    let glances = world.store.read(move |tx: &mut Tx| sessions::glances(tx, user)).await.unwrap();
    assert_eq!(glances.len(), 2);
    let key = world.key.clone();
    let read = move |tx: &mut Tx| sessions::get(tx, &key, user, session);
    assert_eq!(world.store.read(read).await.unwrap(), None);
    let due = |now| move |tx: &mut Tx| Ok((sessions::due(tx, at(now), 9)?, sessions::next_deletion(tx)?));
    assert_eq!(world.store.read(due(99)).await.unwrap(), (vec![], Some(at(100))));
    assert_eq!(
        world.store.read(due(100)).await.unwrap(),
        (vec![(user, session), (user, worked_for)], Some(at(100)))
    );

    let (stranger, ..) = world.stranger().await;
    let back = |user, now| move |tx: &mut Tx| sessions::take_back(tx, user, session, at(now));
    assert!(!world.store.write(back(stranger, 50)).await.unwrap());
    assert!(!world.store.write(back(user, 100)).await.unwrap(), "its time is over");
    assert!(world.store.write(back(user, 99)).await.unwrap());
    assert!(!world.store.write(back(user, 99)).await.unwrap());
    assert_eq!(listed(&world, SessionFilter::default()).await.len(), 4);
    let start = move |tx: &mut Tx| sessions::take_input(tx, session, user, turn_id(), 1, 1, at(1));
    world.store.write(start).await.unwrap();
    assert!(matches!(world.store.write(delete).await, Err(Error::Conflict(Conflict::SessionAtWork))));
}

async fn add_file(world: &World, (user, folder): (UserId, FolderId), upload: UploadId) -> Result<Added> {
    let add =
        move |tx: &mut Tx| folder_files::add(tx, (user, folder), upload, Label::WORST, (at(5), at(-10)), 2);
    world.store.write(add).await
}

async fn remove_file(world: &World, user: UserId, folder: FolderId, upload: UploadId) -> bool {
    world.store.write(move |tx: &mut Tx| folder_files::remove(tx, user, folder, upload)).await.unwrap()
}

async fn files_of(world: &World, folder: FolderId) -> Vec<UploadId> {
    let (key, user) = (world.key.clone(), world.user);
    let read = move |tx: &mut Tx| uploads::of_folder(tx, &key, user, folder, 9);
    let found = world.store.read(read).await.unwrap();
    assert!(found.iter().all(|(_, label)| *label == Label::WORST));
    found.into_iter().map(|(stored, _)| stored.upload.id).collect()
}

async fn is_there(world: &World, upload: UploadId) -> bool {
    let (key, user) = (world.key.clone(), world.user);
    world.store.read(move |tx: &mut Tx| uploads::get(tx, &key, user, upload)).await.unwrap().is_some()
}

pub async fn the_files_of_a_folder_are_its_persons_and_few(world: World) {
    let user = world.user;
    let mine = folder(user, "mine");
    create(&world, &mine, 9).await.unwrap();
    let (one, two, three) = (
        put(&world, "one.txt", &[b"one"]).await,
        put(&world, "two.txt", &[b"two"]).await,
        put(&world, "three.txt", &[b"three"]).await,
    );
    assert_eq!(add_file(&world, (user, mine.id), one).await, Ok(Added::Done));
    assert_eq!(add_file(&world, (user, mine.id), two).await, Ok(Added::Done));
    assert_eq!(add_file(&world, (user, mine.id), three).await, Ok(Added::Full));
    assert_eq!(add_file(&world, (user, mine.id), one).await, Ok(Added::Done), "it is there already");
    let mut found = files_of(&world, mine.id).await;
    found.sort();
    let mut both = [one, two];
    both.sort();
    assert_eq!(found, both);
    let (stranger, ..) = world.stranger().await;
    assert_eq!(add_file(&world, (stranger, mine.id), one).await, Err(Error::NotFound));
    assert!(!remove_file(&world, stranger, mine.id, one).await);
    // What nothing else shows goes for good.
    assert!(remove_file(&world, user, mine.id, one).await);
    assert!(!remove_file(&world, user, mine.id, one).await);
    assert_eq!(files_of(&world, mine.id).await, [two]);
    assert!(!is_there(&world, one).await && is_there(&world, two).await);
    assert_eq!(add_file(&world, (user, mine.id), three).await, Ok(Added::Done), "there is room again");
}
