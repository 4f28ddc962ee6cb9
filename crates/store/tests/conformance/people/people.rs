use crate::world::{World, at, new_user, uuid};
use domain::{ApiKey, ApiKeyId, Scope, UserRole};
use store::{
    Error, Tx, agents,
    api_keys::{self, KeyOwner, SourceIndex},
    args, numbers, sessions, users,
};
use tokio::sync::oneshot;

pub async fn a_user_is_found_by_name_in_any_case(world: World) {
    let vault = world.store.vault().clone();
    let new = new_user("Ποσειδών", UserRole::Member);
    let id = new.id;
    let (made, named, owner, everybody, nobody) = world
        .store
        .write(move |tx: &mut Tx| {
            let made = users::create(tx, &vault, new)?;
            let named = users::by_name(tx, &vault, "ΠΟΣΕΙΔΏΝ")?;
            let owner = users::owner(tx, &vault)?;
            let everybody = users::list(tx, &vault)?;
            Ok((made, named, owner, everybody, users::by_name(tx, &vault, "nobody")?))
        })
        .await
        .unwrap();
    assert_eq!(named, Some(made.clone()));
    assert_eq!((made.id, made.name.as_str(), made.time_zone.as_str()), (id, "Ποσειδών", "Europe/Athens"));
    assert_eq!(owner.map(|user| user.name), Some("Ada".to_owned()));
    assert_eq!(everybody.len(), 2);
    assert_eq!(nobody, None);
}

pub async fn there_is_one_owner(world: World) {
    for (name, role, reason) in [
        ("Eve", UserRole::Owner, "There is already an owner account"),
        ("ADA", UserRole::Member, "of that name"),
    ] {
        let (vault, new) = (world.store.vault().clone(), new_user(name, role));
        let refused = world.store.write(move |tx: &mut Tx| users::create(tx, &vault, new)).await;
        assert!(
            matches!(&refused, Err(Error::Conflict(why)) if why.to_string().contains(reason)),
            "{refused:?}"
        );
    }
    assert_eq!(world.count("users").await, 1);
}

pub async fn passwords_are_replaced(world: World) {
    let user = world.user;
    let stranger = new_user("nobody", UserRole::Guest).id;
    let (before, known, after, unknown) = world
        .store
        .write(move |tx: &mut Tx| {
            let before = users::password_hash(tx, user)?;
            let known = users::set_password_hash(tx, user, Some("$argon2id$x"))?;
            let after = users::password_hash(tx, user)?;
            Ok((before, known, after, users::set_password_hash(tx, stranger, None)?))
        })
        .await
        .unwrap();
    assert_eq!((before, known, after.as_deref(), unknown), (None, true, Some("$argon2id$x"), false));
}

pub async fn a_key_is_bound_to_one_bridge_for_good(world: World) {
    let (user, key, vault) = (world.user, world.key.clone(), world.store.vault().clone());
    let new = |source: Option<&str>| ApiKey {
        id: ApiKeyId::from_uuid(uuid()),
        user_id: user,
        name: "phone".to_owned(),
        scope: Scope::Bridge,
        source: source.map(str::to_owned),
        expires_at: None,
        created_at: at(0),
    };
    let (made, old) = (new(Some("signal")), new(None));
    let write = move |tx: &mut Tx| {
        api_keys::create(tx, &key, &made, [7; 32])?;
        api_keys::create(tx, &key, &old, [8; 32])?;
        let rebound = api_keys::bind(tx, &key, made.id, "telegram")?;
        let unbound = api_keys::by_hash(tx, [8; 32])?.unwrap().source();
        let bound = api_keys::bind(tx, &key, old.id, "telegram")?;
        let again = api_keys::bind(tx, &key, old.id, "signal")?;
        let of = |tx: &mut Tx, hash| api_keys::by_hash(tx, hash).unwrap().unwrap().source();
        let names: Vec<_> =
            api_keys::list(tx, &key, user)?.into_iter().map(|key| key.source.unwrap()).collect();
        Ok((rebound, unbound, bound, again, of(tx, [7; 32]), of(tx, [8; 32]), names))
    };
    let (rebound, unbound, bound, again, first, second, mut names) = world.store.write(write).await.unwrap();
    assert_eq!((rebound, unbound, bound, again), (false, None, true, false));
    let index = |source: &str| Some(SourceIndex::new(&vault, user, source));
    assert_eq!((first, second), (index("signal"), index("telegram")));
    names.sort();
    assert_eq!(names, ["signal", "telegram"]);
    let (stranger, ..) = world.stranger().await;
    assert_ne!(
        first,
        Some(SourceIndex::new(&vault, stranger, "signal")),
        "another person's bridge is another"
    );
}

pub async fn a_revoked_key_is_not_found(world: World) {
    let World { user, key, .. } = &world;
    let (stranger, ..) = world.stranger().await;
    let api_key = ApiKey {
        id: ApiKeyId::from_uuid(uuid()),
        user_id: *user,
        name: "laptop".to_owned(),
        scope: Scope::Chat,
        source: None,
        expires_at: Some(at(1_000)),
        created_at: at(0),
    };
    let (user, key, want) = (*user, key.clone(), api_key.clone());
    let (found, listed, foreign, revoked, again, gone) = world
        .store
        .write(move |tx: &mut Tx| {
            api_keys::create(tx, &key, &api_key, [7; 32])?;
            let found = api_keys::by_hash(tx, [7; 32])?;
            let listed = api_keys::list(tx, &key, user)?;
            let foreign = api_keys::revoke(tx, stranger, api_key.id, at(1))?;
            let revoked = api_keys::revoke(tx, user, api_key.id, at(1))?;
            let again = api_keys::revoke(tx, user, api_key.id, at(2))?;
            Ok((found, listed, foreign, revoked, again, api_keys::by_hash(tx, [7; 32])?))
        })
        .await
        .unwrap();
    let owner = KeyOwner {
        key_id: want.id,
        user_id: want.user_id,
        role: UserRole::Owner,
        scope: Scope::Chat,
        expires_at: want.expires_at,
        source_index: None,
    };
    assert_eq!(found, Some(owner));
    assert_eq!(listed, [want]);
    assert_eq!((foreign, revoked, again, gone), (false, true, false, None));
}

pub async fn a_user_is_changed_as_a_whole(world: World) {
    let (vault, new) = (world.store.vault().clone(), new_user("Grace", UserRole::Guest));
    let (found, taken, credentials) = world
        .store
        .write(move |tx: &mut Tx| {
            let mut user = users::create(tx, &vault, new)?;
            user.name = "Amazing Grace".to_owned();
            user.language = "el".to_owned();
            assert!(users::set_role(tx, user.id, UserRole::Member)?);
            // Whoever changes a profile may have read it before the role was changed.
            assert!(users::update(tx, &vault, &user)?);
            user.role = UserRole::Member;
            users::set_password_hash(tx, user.id, Some("$argon2id$x"))?;
            let found = users::by_name(tx, &vault, "amazing grace")?;
            assert_eq!(found.as_ref(), Some(&user));
            assert_eq!(users::by_name(tx, &vault, "Grace")?, None);
            assert!(users::still_has_password(tx, user.id, "$argon2id$x")?);
            assert!(!users::still_has_password(tx, user.id, "$argon2id$y")?);
            let credentials = users::credentials(tx, &vault, "AMAZING GRACE")?;
            assert_eq!(users::credentials(tx, &vault, "Grace")?, None);
            user.name = "ada".to_owned();
            Ok((found, users::update(tx, &vault, &user), credentials))
        })
        .await
        .unwrap();
    let found = found.unwrap();
    assert!(matches!(taken, Err(Error::Conflict(_))), "{taken:?}");
    assert_eq!(credentials, Some((found.id, UserRole::Member, Some("$argon2id$x".to_owned()))));
}

pub async fn a_removed_user_leaves_nothing_but_what_was_spent(world: World) {
    let (stranger, stranger_key, agent, _) = world.stranger().await;
    let owner = world.user;
    let key = ApiKey {
        id: ApiKeyId::from_uuid(uuid()),
        user_id: stranger,
        name: "laptop".to_owned(),
        scope: Scope::Full,
        source: None,
        expires_at: None,
        created_at: at(0),
    };
    let mut shared = agent.clone();
    shared.shared_with = vec![domain::Share::User(owner)];
    let (removed, again, owners) = world
        .store
        .write(move |tx: &mut Tx| {
            api_keys::create(tx, &stranger_key, &key, [7; 32])?;
            agents::share(tx, &shared)?;
            numbers::next(tx, stranger, "test")?;
            let removed = users::delete(tx, stranger)?;
            Ok((removed, users::delete(tx, stranger)?, users::delete(tx, owner)?))
        })
        .await
        .unwrap();
    assert_eq!((removed, again, owners), (true, false, false));
    for (table, left) in [("users", 1), ("agents", 1), ("api_keys", 0), ("agent_shares", 0), ("numbers", 0)] {
        assert_eq!(world.count(table).await, left, "{table}");
    }
}

pub async fn a_user_at_work_is_not_removed(world: World) {
    let (stranger, _, _, session) = world.stranger().await;
    let turn = crate::world::turn_id();
    let (working, refused) = world
        .store
        .write(move |tx: &mut Tx| {
            assert_eq!(users::at_work(tx, stranger)?, []);
            sessions::take_input(tx, session, stranger, turn, 5, 1, at(1))?;
            Ok((users::at_work(tx, stranger)?, users::delete(tx, stranger)))
        })
        .await
        .unwrap();
    assert_eq!(working, [(session, stranger)]);
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
}

/// Do these bytes lie in a file of the database? On PostgreSQL in the file of the table of people.
async fn lie(world: &World, bytes: &[u8]) -> bool {
    let found = |file: &[u8]| file.windows(bytes.len()).any(|window| window == bytes);
    if let Some(folder) = &world.folder {
        let files = std::fs::read_dir(folder.path()).unwrap();
        return files.into_iter().any(|file| found(&std::fs::read(file.unwrap().path()).unwrap()));
    }
    let read = |tx: &mut Tx| tx.one("SELECT pg_relation_filepath('users')", vec![]);
    let path: String = world.store.read(read).await.unwrap();
    let checkpoint = |tx: &mut Tx| tx.run("CHECKPOINT", vec![]);
    world.store.write(checkpoint).await.unwrap();
    let cluster = testkit::postgres::Cluster::shared().unwrap().unwrap();
    found(&std::fs::read(cluster.folder().join("data").join(path)).unwrap())
}

/// ATTACK: the disk is stolen together with the master key, after somebody was removed.
pub async fn the_key_of_a_removed_person_goes_from_the_files(world: World) {
    let (stranger, ..) = world.stranger().await;
    let owner = world.user;
    let read = move |tx: &mut Tx| {
        let one = "SELECT data_key FROM users WHERE id = $1";
        Ok((tx.one(one, args![stranger])?, tx.one(one, args![owner])?))
    };
    let (theirs, mine): (Vec<u8>, Vec<u8>) = world.store.read(read).await.unwrap();
    assert!(lie(&world, &theirs).await, "the control: the search finds it");
    assert!(world.store.write(move |tx: &mut Tx| users::delete(tx, stranger)).await.unwrap());
    assert!(lie(&world, &theirs).await, "the control: deleting alone leaves a copy");
    erase(&world).await;
    assert!(!lie(&world, &theirs).await);
    assert!(lie(&world, &mine).await, "the one who stays keeps theirs");
    assert!(world.store.data_key(world.user).await.is_ok());
}

/// On PostgreSQL a connection that is just being made, of another test, too, holds back for a moment what was deleted.
async fn erase(world: &World) {
    for _ in 0..1_000 {
        if world.store.erase().await.unwrap() {
            return;
        }
    }
    panic!("the files are never rid of what was deleted");
}

/// A reader that began before the deletion may still see the row: the store says that its key is still there.
pub async fn a_key_that_is_still_being_read_is_not_called_gone(world: World) {
    let (stranger, ..) = world.stranger().await;
    let read = move |tx: &mut Tx| tx.one("SELECT data_key FROM users WHERE id = $1", args![stranger]);
    let theirs: Vec<u8> = world.store.read(read).await.unwrap();
    let (tell, told) = oneshot::channel::<()>();
    let (release, released) = oneshot::channel::<()>();
    let store = world.store.clone();
    let hold = move |tx: &mut Tx| {
        let _: i64 = tx.one("SELECT COUNT(*) FROM sessions", vec![])?;
        tell.send(()).unwrap();
        // Each reader is a thread of its own, which this keeps.
        drop(released.blocking_recv());
        Ok(())
    };
    let reader = tokio::spawn(async move { store.read(hold).await });
    told.await.unwrap();
    assert!(world.store.write(move |tx: &mut Tx| users::delete(tx, stranger)).await.unwrap());
    assert!(!world.store.erase().await.unwrap(), "the reader may still see it");
    assert!(lie(&world, &theirs).await, "and so it is there");
    release.send(()).unwrap();
    reader.await.unwrap().unwrap();
    erase(&world).await;
    assert!(!lie(&world, &theirs).await);
}
