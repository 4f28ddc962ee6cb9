//! Searching one's own conversations: everything is found once, in pieces of any size.

use crate::world::World;
use domain::SessionId;
use engine::{Error, FoundSession, NewSession};
use std::time::Duration;
use store::{Page, Paged, sessions::SessionFilter};
use testkit::model::Reply;

impl World {
    async fn search(&self, text: &str, limit: u32, cursor: Option<String>) -> Paged<FoundSession> {
        let page = Page { limit, cursor };
        self.engine().search(self.user, text, SessionFilter::default(), page).await.unwrap()
    }

    async fn search_all(&self, text: &str, limit: u32) -> (Vec<FoundSession>, u32) {
        let (mut all, mut cursor, mut pieces) = (Vec::new(), None, 0);
        loop {
            let piece = self.search(text, limit, cursor).await;
            assert!(piece.items.len() <= limit as usize);
            all.extend(piece.items);
            pieces += 1;
            cursor = piece.next_cursor;
            if cursor.is_none() {
                return (all, pieces);
            }
        }
    }

    async fn talk(&self, name: Option<&str>, words: &[&str]) -> SessionId {
        let new = NewSession { name: name.map(str::to_owned), ..NewSession::with(self.agent) };
        let id = self.engine().create_session(self.user, new).await.unwrap().id;
        for text in words {
            self.clock.advance(1);
            let accepted =
                self.send(engine::NewMessage { session_id: id, ..self.message(text) }).await.unwrap();
            let reader =
                self.engine().follow_turn(self.user, id, accepted.turn_id, accepted.after).await.unwrap();
            crate::world::rest(reader).await;
        }
        id
    }
}

fn seen(found: &[FoundSession]) -> Vec<(SessionId, bool, &str)> {
    found.iter().map(|f| (f.session.id, f.found.seq.is_some(), f.found.snippet.as_str())).collect()
}

#[tokio::test]
async fn names_and_messages_are_found_newest_first() {
    let world = World::new().await;
    world.model.respond(|_| Reply::text("Noted."));
    let old = world.talk(None, &["Buy CHEESE and bread", "And more cheese"]).await;
    let named = world.talk(Some("Cheese, a history"), &["Tell me"]).await;
    world.talk(None, &["Nothing of interest"]).await;
    let new = world.talk(None, &["Käse is cheese", "Thanks"]).await;
    let (found, _) = world.search_all("cheese", 20).await;
    let expected =
        [(new, true, "Käse is cheese"), (named, false, "Cheese, a history"), (old, true, "And more cheese")];
    assert_eq!(seen(&found), expected);
    assert_eq!(found[0].session.last_message.as_ref().unwrap().content, "Noted.");
    let (found, _) = world.search_all("BREAD cheese", 20).await;
    assert_eq!(seen(&found), [(old, true, "Buy CHEESE and bread")]);
    let (found, _) = world.search_all("KÄSE", 20).await;
    assert_eq!(seen(&found), [(new, true, "Käse is cheese")]);
    assert!(world.search_all("more history", 20).await.0.is_empty());
    let one_by_one = world.search_all("cheese", 1).await;
    assert_eq!(seen(&one_by_one.0), expected);
}

#[tokio::test]
async fn a_search_that_takes_too_long_goes_on_where_it_stopped() {
    let world = World::with(|setup| setup.settings.files.search_time = Duration::ZERO).await;
    world.model.respond(|_| Reply::text("Noted."));
    let ids = [
        world.talk(None, &["a needle", "b", "c"]).await,
        world.talk(None, &["nothing"]).await,
        world.talk(None, &["x", "a needle too", "y"]).await,
    ];
    // Without any time every piece still looks at one message, so in the end all of them are looked at.
    let (found, pieces) = world.search_all("needle", 20).await;
    assert_eq!(seen(&found), [(ids[2], true, "a needle too"), (ids[0], true, "a needle")]);
    assert!(pieces > 8, "{pieces} pieces");
}

#[tokio::test]
async fn a_search_is_bounded_and_ones_own() {
    let world = World::new().await;
    world.model.respond(|_| Reply::text("Noted."));
    world.talk(None, &["a needle"]).await;
    for text in ["", "  ", &"x".repeat(201)] {
        let page = Page::first(20);
        let refused = world.engine().search(world.user, text, SessionFilter::default(), page).await;
        assert!(matches!(refused, Err(Error::Invalid { code: "bad_search", .. })), "{text:?}");
    }
    for cursor in ["", "1", "x.y.z", "1.session_x.1"] {
        let page = Page { limit: 20, cursor: Some(cursor.to_owned()) };
        let refused = world.engine().search(world.user, "needle", SessionFilter::default(), page).await;
        assert!(matches!(refused, Err(Error::Store(store::Error::BadCursor))), "{cursor:?}");
    }
    let person = engine::NewPerson {
        name: "Bea".to_owned(),
        role: domain::UserRole::Member,
        password: None,
        time_zone: None,
    };
    let other = world.engine().people().create_person(person).await.unwrap().id;
    let found =
        world.engine().search(other, "needle", SessionFilter::default(), Page::first(20)).await.unwrap();
    assert_eq!((found.items.len(), found.next_cursor), (0, None));
}
