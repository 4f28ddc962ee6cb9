use crate::world::{World, at, new_message, new_session, turn_id};
use domain::{Label, Role, Session, SessionId};
use store::{
    DataKey, Error, Needle, Result, Tx, args,
    log::{self, Entry},
    search::{FoundPage, Search, SearchScope, search as look},
    sessions::{self, Departure, SessionFilter},
};

/// A session used at this time, with these messages.
async fn talk(world: &World, millis: i64, name: Option<&str>, words: &[String]) -> SessionId {
    let count = words.len() as u64;
    let session = Session { updated_at: at(millis), message_count: count, ..new_session(&world.agent, name) };
    let (id, user, key, turn) = (session.id, world.user, world.key.clone(), turn_id());
    let entries = words.iter().map(|text| Entry::Message(new_message(turn, Role::User, text))).collect();
    let write = move |tx: &mut Tx| {
        sessions::create(tx, &key, &session)?;
        let numbers = sessions::take_seq(tx, user, id, count, at(millis))?;
        log::append(tx, &key, numbers, at(millis), entries)
    };
    world.store.write(write).await.unwrap();
    id
}

async fn piece(
    world: &World,
    key: &DataKey,
    words: &str,
    limit: u32,
    cursor: Option<String>,
    steps: u32,
) -> Result<FoundPage> {
    piece_of(world, key, (words, SearchScope::Everything), limit, cursor, steps).await
}

async fn piece_of(
    world: &World,
    key: &DataKey,
    (words, scope): (&str, SearchScope),
    limit: u32,
    cursor: Option<String>,
    steps: u32,
) -> Result<FoundPage> {
    let search = Search {
        needle: Needle::new(words).unwrap(),
        scope,
        filter: SessionFilter::default(),
        limit,
        cursor,
    };
    let (key, mut left) = (key.clone(), steps);
    let read = move |tx: &mut Tx| {
        let enough = || {
            left = left.saturating_sub(1);
            left == 0
        };
        look(tx, &key, key.owner(), search, enough)
    };
    world.store.read(read).await
}

/// Everything, in pieces of so many steps.
async fn all(world: &World, words: &str, limit: u32, steps: u32) -> Vec<(SessionId, Option<u64>, String)> {
    let (mut found, mut cursor) = (Vec::new(), None);
    loop {
        let page = piece(world, &world.key, words, limit, cursor, steps).await.unwrap();
        found.extend(
            page.found
                .into_iter()
                .map(|one| (one.session.id, one.message.map(|message| message.seq), one.snippet)),
        );
        cursor = page.next_cursor;
        if cursor.is_none() {
            return found;
        }
    }
}

pub async fn everything_is_found_once_whatever_the_pieces(world: World) {
    let plain = |count: usize| (0..count).map(|n| format!("message {n}")).collect::<Vec<_>>();
    let mut long = plain(600);
    long[10] = "a needle, deep down".to_owned();
    let mut large = plain(3);
    large[0] = format!("{} Needle", "x".repeat(700_000));
    let first = talk(&world, 10, None, &long).await;
    let named = talk(&world, 20, Some("The needle"), &plain(2)).await;
    talk(&world, 20, None, &plain(5)).await;
    let second = talk(&world, 30, None, &large).await;
    let expected = [(second, Some(1)), (named, None), (first, Some(11))];
    let seen = |found: Vec<(SessionId, Option<u64>, String)>| {
        found.into_iter().map(|(id, seq, _)| (id, seq)).collect::<Vec<_>>()
    };
    for (limit, steps) in [(100, u32::MAX), (1, u32::MAX), (2, 7), (100, 50), (100, 1)] {
        // One step at a time takes long on a server; the same is seen with the large one alone.
        let words = if steps == 1 { "NEEDLE x" } else { "needle" };
        let found = seen(all(&world, words, limit, steps).await);
        let wanted = if steps == 1 { expected[..1].to_vec() } else { expected.to_vec() };
        assert_eq!(found, wanted, "limit {limit}, {steps} steps");
    }
}

pub async fn a_conversation_is_found_once_whatever_its_versions(world: World) {
    let said = |words: &[&str]| words.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let first = talk(&world, 10, Some("first"), &said(&["apple", "pear", "melon"])).await;
    let second = talk(&world, 20, Some("second"), &said(&["apple", "plum"])).await;
    let third = talk(&world, 15, Some("third"), &said(&["apple", "plum", "fig"])).await;
    let other = talk(&world, 5, None, &said(&["apple"])).await;
    let (key, user) = (world.key.clone(), world.user);
    let write = move |tx: &mut Tx| {
        for version in [second, third] {
            sessions::set_departure(tx, user, version, first, Departure { from: first, seq: 2 })?;
            // The first message is a copy.
            tx.run("UPDATE sessions SET version_base = 1 WHERE id = $1", args![version])?;
        }
        sessions::show_version(tx, &key, user, second)
    };
    world.store.write(write).await.unwrap();
    for steps in [u32::MAX, 1, 2, 3] {
        let found = async |words: &str| {
            let found = all(&world, words, 100, steps).await;
            found.into_iter().map(|(id, seq, _)| (id, seq)).collect::<Vec<_>>()
        };
        assert_eq!(found("apple").await, [(second, Some(1)), (other, Some(1))], "{steps} steps");
        assert_eq!(found("plum").await, [(second, Some(2))], "the one in the lists first");
        assert_eq!(found("melon").await, [(first, Some(3))], "in one that is in no list");
        assert_eq!(found("fig").await, [(third, Some(3))]);
        assert_eq!(found("nothing").await, []);
    }
}

pub async fn what_is_deleted_is_not_found_in_the_middle_of_a_search(world: World) {
    let words = ["a needle", "more", "still more"].map(str::to_owned);
    let id = talk(&world, 10, None, &words).await;
    let begun = piece(&world, &world.key, "needle", 10, None, 2).await.unwrap();
    assert!(begun.found.is_empty() && begun.next_cursor.is_some());
    let user = world.user;
    let delete = move |tx: &mut Tx| sessions::mark_deleted(tx, user, id, at(1_000));
    assert!(world.store.write(delete).await.unwrap());
    let rest = piece(&world, &world.key, "needle", 10, begun.next_cursor, u32::MAX).await.unwrap();
    assert_eq!(rest.found, []);
}

pub async fn a_search_is_its_owners_and_its_cursor_its_own(world: World) {
    talk(&world, 10, None, &["a needle".to_owned()]).await;
    let (_, key, _, foreign) = world.stranger().await;
    let nothing = piece(&world, &key, "needle", 10, None, u32::MAX).await.unwrap();
    assert_eq!((nothing.found.len(), nothing.next_cursor), (0, None));
    // A cursor that names somebody else's session finds nothing there.
    let cursor = Some(format!("{}.{}.{}", at(10).as_millis(), world.session, u64::MAX / 2));
    let nothing = piece(&world, &key, "needle", 10, cursor, u32::MAX).await.unwrap();
    assert_eq!(nothing.found.len(), 0);
    for bad in
        ["", "1", "1.2.3", &format!("1.{foreign}"), &format!("1.{foreign}.x"), &format!("1.{foreign}.1.1")]
    {
        let refused = piece(&world, &key, "needle", 10, Some(bad.to_owned()), u32::MAX).await;
        assert_eq!(refused.unwrap_err(), Error::BadCursor, "{bad}");
    }
}

/// THREAT[memory-05]
pub async fn an_agent_finds_what_was_said_and_nothing_of_others(world: World) {
    let session = Session { message_count: 4, ..new_session(&world.agent, Some("needle")) };
    let (id, user, key, turn) = (session.id, world.user, world.key.clone(), turn_id());
    let said = |role, words: &str, label| {
        Entry::Message(domain::Message { label, ..new_message(turn, role, words) })
    };
    let entries = vec![
        said(Role::User, "my needle", Label::TRUSTED_PRIVATE),
        said(Role::User, "their needle", Label::UNTRUSTED_PUBLIC),
        said(Role::Assistant, "their needle again", Label::WORST),
        said(Role::Tool, "a needle of a tool", Label::TRUSTED_PRIVATE),
    ];
    let write = move |tx: &mut Tx| {
        sessions::create(tx, &key, &session)?;
        let numbers = sessions::take_seq(tx, user, id, 4, at(1))?;
        log::append(tx, &key, numbers, at(1), entries)
    };
    world.store.write(write).await.unwrap();
    let found = async |scope| {
        let found = piece_of(&world, &world.key, ("needle", scope), 10, None, u32::MAX).await.unwrap();
        let seen: Vec<(Option<u64>, Label)> =
            found.found.iter().map(|one| (one.message.map(|message| message.seq), one.label)).collect();
        (seen, found.left_out)
    };
    let trusted = SearchScope::Said { takes_untrusted: false };
    assert_eq!(found(trusted).await, (vec![(Some(1), Label::TRUSTED_PRIVATE)], 2));
    let all = SearchScope::Said { takes_untrusted: true };
    assert_eq!(found(all).await, (vec![(Some(3), Label::WORST)], 0));
    assert_eq!(found(SearchScope::Everything).await.0[0].0, None, "its person finds the name");
}
