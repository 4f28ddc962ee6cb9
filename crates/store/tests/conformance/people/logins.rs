use crate::world::{World, at, uuid};
use domain::{LoginId, Timestamp, UserId, UserRole};
use store::{
    Tx,
    logins::{self, LoginOwner, NewLogin},
};

fn new_login(user_id: UserId, secret: u8, at: Timestamp) -> NewLogin {
    let id = LoginId::from_uuid(uuid());
    let (user_agent, address) = (Some("curl/8".to_owned()), Some("192.0.2.1".to_owned()));
    NewLogin { id, user_id, secret_hash: [secret; 32], user_agent, address, at }
}

pub async fn a_login_is_found_by_its_hash_until_it_ends(world: World) {
    let (user, key) = (world.user, world.key.clone());
    let (stranger, ..) = world.stranger().await;
    let new = new_login(user, 7, at(1));
    let id = new.id;
    let (found, listed, confirmed, foreign, ended, again, gone) = world
        .store
        .write(move |tx: &mut Tx| {
            logins::create(tx, &key, new)?;
            logins::touch(tx, id, at(5))?;
            logins::touch(tx, id, at(4))?;
            let found = logins::by_hash(tx, [7; 32])?;
            assert_eq!(logins::by_ids(tx, &[id])?, found.clone().into_iter().collect::<Vec<_>>());
            let listed = logins::list(tx, &key, user)?;
            let confirmed = logins::confirm(tx, id, at(6))?;
            assert_eq!(logins::by_hash(tx, [7; 32])?.unwrap().confirmed_at, Some(at(6)));
            let foreign = logins::end(tx, stranger, id)?;
            let ended = logins::end(tx, user, id)?;
            let again = logins::confirm(tx, id, at(7))?;
            Ok((found, listed, confirmed, foreign, ended, again, logins::by_hash(tx, [7; 32])?))
        })
        .await
        .unwrap();
    let expected = LoginOwner {
        login_id: id,
        user_id: user,
        role: UserRole::Owner,
        created_at: at(1),
        seen_at: at(5),
        confirmed_at: None,
    };
    assert_eq!(found, Some(expected));
    assert_eq!(
        (listed[0].user_agent.as_deref(), listed[0].address.as_deref()),
        (Some("curl/8"), Some("192.0.2.1"))
    );
    assert_eq!((confirmed, foreign, ended, again, gone), (true, false, true, false, None));
}

pub async fn logins_are_ended_together_but_for_one(world: World) {
    let (user, key) = (world.user, world.key.clone());
    let (stranger, stranger_key, ..) = world.stranger().await;
    let kept = new_login(user, 0, at(0));
    let id = kept.id;
    let (ended, left, rest) = world
        .store
        .write(move |tx: &mut Tx| {
            logins::create(tx, &key, kept)?;
            for secret in 1..4 {
                logins::create(tx, &key, new_login(user, secret, at(1)))?;
            }
            logins::create(tx, &stranger_key, new_login(stranger, 9, at(1)))?;
            let ended = logins::end_all(tx, user, Some(id))?;
            let left = logins::list(tx, &key, user)?;
            Ok((ended, left, logins::end_all(tx, user, None)?))
        })
        .await
        .unwrap();
    assert_eq!((ended, left.len(), rest), (3, 1, 1));
    assert_eq!(left[0].id, id);
    assert_eq!(world.count("logins").await, 1);
}

pub async fn old_logins_are_forgotten(world: World) {
    let (user, key) = (world.user, world.key.clone());
    let forgotten = world
        .store
        .write(move |tx: &mut Tx| {
            let unused = new_login(user, 1, at(20));
            let used = new_login(user, 2, at(20));
            logins::create(tx, &key, new_login(user, 0, at(5)))?;
            logins::touch(tx, used.id, at(40))?;
            let id = used.id;
            logins::create(tx, &key, unused)?;
            logins::create(tx, &key, used)?;
            logins::touch(tx, id, at(40))?;
            logins::forget(tx, at(10), at(30))
        })
        .await
        .unwrap();
    assert_eq!((forgotten, world.count("logins").await), (2, 1));
}

pub async fn the_oldest_login_gives_way(world: World) {
    let (user, key) = (world.user, world.key.clone());
    let oldest = world
        .store
        .write(move |tx: &mut Tx| {
            for secret in 0..=100 {
                logins::create(tx, &key, new_login(user, secret, at(i64::from(secret))))?;
            }
            logins::by_hash(tx, [0; 32])
        })
        .await
        .unwrap();
    assert_eq!((oldest, world.count("logins").await), (None, 100));
}
