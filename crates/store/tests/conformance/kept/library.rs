//! What people keep besides conversations, and the links that they give to others.

use crate::world::{World, at, new_user, uuid};
use domain::{
    AccountLink, AccountLinkId, SavedPrompt, SavedPromptId, SavedPromptText, SessionLink, SessionLinkId,
    UserId, UserRole,
};
use store::{
    Conflict, Error, Page, Result, Tx, account_links, saved_prompts, session_links, sessions, users,
};

fn prompt(user_id: UserId, name: &str) -> SavedPrompt {
    let text = SavedPromptText {
        name: name.to_owned(),
        content: format!("Say {name}."),
        description: name.to_owned(),
    };
    SavedPrompt { id: SavedPromptId::from_uuid(uuid()), user_id, text, created_at: at(0), updated_at: at(0) }
}

async fn save(world: &World, prompt: &SavedPrompt, most: u64) -> Result<bool> {
    let (key, prompt) = (world.store.data_key(prompt.user_id).await.unwrap(), prompt.clone());
    world.store.write(move |tx: &mut Tx| saved_prompts::create(tx, &key, &prompt, most)).await
}

fn link(world: &World, secret: &str) -> SessionLink {
    SessionLink {
        id: SessionLinkId::from_uuid(uuid()),
        session_id: world.session,
        secret: secret.to_owned(),
        up_to_seq: 7,
        created_at: at(1),
    }
}

async fn share(world: &World, user: UserId, link: &SessionLink, most: u64) -> bool {
    let (vault, key) = (world.store.vault().clone(), world.store.data_key(user).await.unwrap());
    let link = link.clone();
    let write =
        move |tx: &mut Tx| session_links::create(tx, &vault, &key, user, &link, Some(&link.secret), most);
    world.store.write(write).await.unwrap()
}

async fn opens(world: &World, secret: &str) -> Option<session_links::OpenedLink> {
    let (vault, secret) = (world.store.vault().clone(), secret.to_owned());
    world.store.read(move |tx: &mut Tx| session_links::by_secret(tx, &vault, &secret)).await.unwrap()
}

pub async fn plant(world: &World, word: &str) {
    assert!(save(world, &prompt(world.user, word), 9).await.unwrap());
    assert!(share(world, world.user, &link(world, word), 9).await);
}

pub async fn a_prompt_comes_back_as_it_was_stored(world: World) {
    let user = world.user;
    let (first, second) = (prompt(user, "first"), prompt(user, "second"));
    assert!(save(&world, &first, 2).await.unwrap());
    assert!(save(&world, &second, 2).await.unwrap());
    assert!(!save(&world, &prompt(user, "third"), 2).await.unwrap(), "there is a limit");
    let taken = Err(Error::Conflict(Conflict::PromptName));
    assert_eq!(save(&world, &prompt(user, "first"), 9).await, taken);
    let (stranger, stranger_key, ..) = world.stranger().await;
    let (key, id) = (world.key.clone(), first.id);
    let read = move |tx: &mut Tx| {
        let page = saved_prompts::list(tx, &key, user, Page { limit: 1, cursor: None })?;
        let by_name = saved_prompts::by_name(tx, &key, user, "first")?;
        Ok((page, by_name, saved_prompts::get(tx, &stranger_key, stranger, id)?))
    };
    let (page, by_name, foreign) = world.store.read(read).await.unwrap();
    assert_eq!((page.items, page.total), (vec![first.clone()], 2));
    assert_eq!((by_name, foreign), (Some(first.clone()), None));

    let update = |prompt: SavedPrompt| {
        let key = world.key.clone();
        world.store.write(move |tx: &mut Tx| saved_prompts::update(tx, &key, &prompt))
    };
    let named = |name: &str| SavedPrompt {
        text: SavedPromptText { name: name.to_owned(), ..first.text.clone() },
        ..first.clone()
    };
    assert_eq!(update(named("second")).await, taken);
    assert_eq!(update(named("other")).await, Ok(true));
    assert_eq!(update(SavedPrompt { user_id: stranger, ..named("theirs") }).await, Ok(false));
    let delete = |user| move |tx: &mut Tx| saved_prompts::delete(tx, user, id);
    assert!(!world.store.write(delete(stranger)).await.unwrap());
    assert!(world.store.write(delete(user)).await.unwrap());
}

pub async fn a_link_opens_until_it_is_revoked_or_its_session_is_deleted(world: World) {
    let (user, session) = (world.user, world.session);
    let (stranger, ..) = world.stranger().await;
    let (one, two) = (link(&world, "one"), link(&world, "two"));
    assert!(!share(&world, stranger, &one, 9).await, "another person's session");
    assert!(share(&world, user, &one, 2).await);
    assert!(share(&world, user, &two, 2).await);
    assert!(!share(&world, user, &link(&world, "three"), 2).await, "there is a limit");
    let opened = opens(&world, "one").await.unwrap();
    assert_eq!(
        opened.name(&world.key).unwrap().as_deref(),
        Some("one"),
        "as it was called when the link was made"
    );
    assert_eq!((opened.session_id, opened.user_id, opened.up_to_seq), (session, user, 7));
    let key = world.key.clone();
    let listed = world.store.read(move |tx: &mut Tx| session_links::list(tx, &key, user, session)).await;
    assert!(listed.unwrap() == [one.clone(), two]);
    let revoke = |user| move |tx: &mut Tx| session_links::revoke(tx, user, one.id);
    assert!(!world.store.write(revoke(stranger)).await.unwrap());
    assert!(world.store.write(revoke(user)).await.unwrap());
    assert_eq!(opens(&world, "one").await, None);
    assert!(opens(&world, "two").await.is_some());
    // From the moment on in which its person deletes the session, and not only when it goes.
    let delete = move |tx: &mut Tx| sessions::mark_deleted(tx, user, session, at(100));
    assert!(world.store.write(delete).await.unwrap());
    assert_eq!(opens(&world, "two").await, None);
    let gone = move |tx: &mut Tx| sessions::delete(tx, user, session);
    assert!(world.store.write(gone).await.unwrap());
    assert_eq!(opens(&world, "two").await, None);
}

pub async fn a_link_goes_with_its_person(world: World) {
    let (stranger, _, _, theirs) = world.stranger().await;
    let shared = SessionLink { session_id: theirs, ..link(&world, "theirs") };
    assert!(share(&world, stranger, &shared, 9).await);
    assert!(opens(&world, "theirs").await.is_some());
    assert!(world.store.write(move |tx: &mut Tx| users::delete(tx, stranger)).await.unwrap());
    assert_eq!(opens(&world, "theirs").await, None);
}

fn account_link(made_by: UserId, user_id: Option<UserId>) -> AccountLink {
    let id = AccountLinkId::from_uuid(uuid());
    AccountLink { id, made_by, user_id, role: UserRole::Member, created_at: at(0), expires_at: at(100) }
}

async fn invite(world: &World, link: AccountLink, secret: u8, most: u64) -> bool {
    let write = move |tx: &mut Tx| account_links::create(tx, &link, [secret; 32], most);
    world.store.write(write).await.unwrap()
}

async fn usable(world: &World, secret: u8, now: i64) -> Option<AccountLink> {
    let read = move |tx: &mut Tx| account_links::by_hash(tx, [secret; 32], at(now));
    world.store.read(read).await.unwrap()
}

pub async fn an_account_link_is_used_once(world: World) {
    let (one, two) = (account_link(world.user, None), account_link(world.user, None));
    assert!(invite(&world, one, 1, 2).await);
    assert!(invite(&world, two, 2, 2).await);
    assert!(!invite(&world, account_link(world.user, None), 3, 2).await, "there is a limit");
    assert_eq!(usable(&world, 1, 99).await, Some(one));
    assert_eq!(usable(&world, 1, 100).await, None, "its time is over");
    let listed = world.store.read(|tx: &mut Tx| account_links::list(tx, at(0), 9)).await.unwrap();
    assert_eq!(listed, [two, one]);
    let end = move |tx: &mut Tx| account_links::end(tx, one.id);
    let (a, b) = tokio::join!(world.store.write(end), world.store.write(end));
    assert_ne!(a.unwrap(), b.unwrap(), "of two at once one is told that it is gone");
    assert_eq!(usable(&world, 1, 0).await, None);
    let user = world.user;
    world.store.write(move |tx: &mut Tx| account_links::end_of(tx, user)).await.unwrap();
    assert_eq!(usable(&world, 2, 0).await, None, "it counts no longer than its maker's rights");
    assert!(invite(&world, account_link(user, None), 4, 9).await);
    assert_eq!(world.store.write(|tx: &mut Tx| account_links::prune(tx, at(100))).await.unwrap(), 1);
}

pub async fn a_further_password_link_replaces_the_first(world: World) {
    let (vault, bob) = (world.store.vault().clone(), new_user("bob", UserRole::Member));
    let id = bob.id;
    world.store.write(move |tx: &mut Tx| users::create(tx, &vault, bob)).await.unwrap();
    let (one, two) = (account_link(world.user, Some(id)), account_link(world.user, Some(id)));
    assert!(invite(&world, one, 1, 9).await);
    assert!(invite(&world, two, 2, 9).await);
    assert_eq!((usable(&world, 1, 0).await, usable(&world, 2, 0).await), (None, Some(two)));
    assert!(world.store.write(move |tx: &mut Tx| users::delete(tx, id)).await.unwrap());
    assert_eq!(usable(&world, 2, 0).await, None, "it goes with the person");
    let any = move |tx: &mut Tx| store::known_places::has_any(tx, id);
    assert!(!world.store.read(any).await.unwrap());
}
