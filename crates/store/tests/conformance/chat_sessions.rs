use crate::world::{World, new_session};
use domain::SessionId;
use store::{
    Conflict, Error, Tx,
    chat_sessions::{self, PeerIndex},
    sessions,
};

fn peer(world: &World, source: &str, sender: &str) -> PeerIndex {
    PeerIndex::new(world.store.vault(), world.user, source, sender)
}

async fn found(world: &World, peer: PeerIndex) -> Option<(SessionId, bool)> {
    let user = world.user;
    world.store.read(move |tx| chat_sessions::find(tx, user, peer)).await.unwrap()
}

/// A session of its own for the peer, as the engine makes it: none is left behind by whoever loses.
async fn create(world: &World, peer: PeerIndex, before: Option<SessionId>) -> Result<SessionId, Error> {
    let (session, key, user) = (new_session(&world.agent, None), world.key.clone(), world.user);
    let write = move |tx: &mut Tx| {
        sessions::create(tx, &key, &session)?;
        match chat_sessions::claim(tx, user, peer, session.id, before)? {
            true => Ok(session.id),
            false => Err(Conflict::SameKey("taken".to_owned()).into()),
        }
    };
    world.store.write(write).await
}

pub async fn a_peer_has_one_session(world: World) {
    let ada = peer(&world, "signal", "+1");
    assert_eq!(found(&world, ada).await, None);
    let session = create(&world, ada, None).await.unwrap();
    assert_eq!(found(&world, ada).await, Some((session, false)));
    for other in [peer(&world, "signal", "+2"), peer(&world, "telegram", "+1"), peer(&world, "signal+", "1")]
    {
        assert_eq!(found(&world, other).await, None);
    }
    assert!(matches!(create(&world, ada, None).await, Err(Error::Conflict(_))));
    assert_eq!(found(&world, ada).await, Some((session, false)));
}

pub async fn an_archived_session_is_followed_by_one_other(world: World) {
    let ada = peer(&world, "cli", "");
    let first = create(&world, ada, None).await.unwrap();
    let (user, now) = (world.user, crate::world::at(1));
    world.store.write(move |tx| sessions::set_archived(tx, user, first, true, now)).await.unwrap();
    assert_eq!(found(&world, ada).await, Some((first, true)));
    let second = create(&world, ada, Some(first)).await.unwrap();
    assert!(create(&world, ada, Some(first)).await.is_err(), "somebody was faster");
    assert_eq!(found(&world, ada).await, Some((second, false)));
    world.store.write(move |tx| sessions::delete(tx, user, second)).await.unwrap();
    assert_eq!(found(&world, ada).await, None);
}

pub async fn of_many_at_once_one_wins(world: World) {
    let ada = peer(&world, "cli", "");
    let tries = futures_util::future::join_all((0..8).map(|_| create(&world, ada, None))).await;
    let won: Vec<SessionId> = tries.into_iter().filter_map(Result::ok).collect();
    assert_eq!(won.len(), 1);
    assert_eq!(found(&world, ada).await, Some((won[0], false)));
    let (key, user) = (world.key.clone(), world.user);
    let page = store::Page { limit: 100, cursor: None };
    let filter = sessions::SessionFilter::default();
    let all = world.store.read(move |tx| sessions::list(tx, &key, user, filter, page)).await.unwrap();
    assert_eq!(all.total, 2, "the losers left nothing");
}
