use crate::{
    turns::inbox::input,
    world::{World, at, turn_id, uuid},
};
use domain::{InputId, Label, MessageAttachment, SessionId, Timestamp, Upload, UploadId, UserId};
use store::{
    DataKey, Error, Result, Tx, args,
    inbox::{self, Inserted, NewInput},
    uploads::{self, NewUpload, OVERHEAD, StoredUpload},
};

/// A file of these pieces, complete.
pub async fn put(world: &World, name: &str, pieces: &[&[u8]]) -> UploadId {
    let id = begun(world, pieces).await;
    let size = pieces.iter().map(|piece| piece.len() as u64).sum();
    complete(world, id, name, size, pieces.len() as u64).await.unwrap();
    id
}

async fn begun(world: &World, pieces: &[&[u8]]) -> UploadId {
    let new = NewUpload { id: UploadId::from_uuid(uuid()), user_id: world.user, at: at(0) };
    let id = new.id;
    world.store.write(move |tx: &mut Tx| uploads::begin(tx, &new)).await.unwrap();
    for (position, piece) in (0..).zip(pieces) {
        append(world, id, position, piece).await.unwrap();
    }
    id
}

async fn append(world: &World, id: UploadId, position: u64, piece: &[u8]) -> Result<u64> {
    let (key, user, piece) = (world.key.clone(), world.user, piece.to_vec());
    let write = move |tx: &mut Tx| uploads::append(tx, &key, user, id, position, &piece);
    world.store.write(write).await
}

async fn complete(world: &World, id: UploadId, name: &str, size: u64, pieces: u64) -> Result<()> {
    let upload = Upload { id, name: name.to_owned(), mime_type: "text/plain".to_owned(), size, text: None };
    let (key, user) = (world.key.clone(), world.user);
    let write = move |tx: &mut Tx| uploads::complete(tx, &key, user, &upload, pieces, at(0));
    world.store.write(write).await
}

async fn get(world: &World, key: &DataKey, user: UserId, id: UploadId) -> Result<Option<StoredUpload>> {
    let key = key.clone();
    world.store.read(move |tx: &mut Tx| uploads::get(tx, &key, user, id)).await
}

async fn bytes(world: &World, id: UploadId) -> Result<Vec<u8>> {
    let (key, user) = (world.key.clone(), world.user);
    let read = move |tx: &mut Tx| {
        let stored = uploads::get(tx, &key, user, id)?.ok_or(Error::NotFound)?;
        uploads::bytes(tx, &key, &stored)
    };
    world.store.read(read).await
}

async fn use_in(world: &World, session: SessionId, ids: Vec<UploadId>, fresh: Timestamp) -> Result<()> {
    let user = world.user;
    world
        .store
        .write(move |tx: &mut Tx| uploads::use_in(tx, user, session, &ids, Label::TRUSTED_PRIVATE, fresh))
        .await
}

async fn prune(world: &World, before: Timestamp) -> u64 {
    world.store.write(move |tx: &mut Tx| uploads::prune(tx, before, 10)).await.unwrap()
}

pub async fn a_file_comes_back_to_its_owner_alone(world: World) {
    let id = put(&world, "notes.txt", &[b"one ", b"two ", b"three"]).await;
    let stored = get(&world, &world.key, world.user, id).await.unwrap().unwrap();
    assert_eq!((stored.upload.name.as_str(), stored.upload.size, stored.pieces), ("notes.txt", 13, 3));
    assert_eq!(bytes(&world, id).await.unwrap(), b"one two three");
    let (stranger, key, ..) = world.stranger().await;
    assert_eq!(get(&world, &key, stranger, id).await, Ok(None));
    // Even a piece that is asked for by its place does not open with another key.
    let read = move |tx: &mut Tx| uploads::piece(tx, &key, id, 0);
    assert!(matches!(world.store.read(read).await, Err(Error::Crypto { .. })));
}

pub async fn half_a_file_is_none(world: World) {
    let id = begun(&world, &[b"one"]).await;
    assert_eq!(get(&world, &world.key, world.user, id).await, Ok(None));
    assert_eq!(append(&world, id, 5, b"six").await, Err(Error::NotFound));
    assert_eq!(append(&world, id, 0, b"one again").await, Err(Error::NotFound));
    assert_eq!(complete(&world, id, "x", 3, 2).await, Err(Error::NotFound));
    assert_eq!(complete(&world, id, "x", 4, 1).await, Err(Error::NotFound));
    complete(&world, id, "x", 3, 1).await.unwrap();
    assert_eq!(append(&world, id, 1, b"more").await, Err(Error::NotFound));
    let (left, user) = (begun(&world, &[b"left"]).await, world.user);
    let abandon = move |tx: &mut Tx| {
        uploads::abandon(tx, user, left)?;
        // What is whole is not taken back.
        uploads::abandon(tx, user, id)
    };
    world.store.write(abandon).await.unwrap();
    assert_eq!((world.count("uploads").await, world.count("upload_pieces").await), (1, 1));
}

pub async fn files_count_for_their_owner(world: World) {
    put(&world, "a", &[b"12345"]).await;
    let id = begun(&world, &[]).await;
    assert_eq!(append(&world, id, 0, b"123").await, Ok(8 + 2 * OVERHEAD));
    let (stranger, ..) = world.stranger().await;
    let held = world.store.read(move |tx: &mut Tx| uploads::held(tx, stranger)).await;
    assert_eq!(held, Ok(0));
}

pub async fn a_file_lives_while_a_session_shows_it(world: World) {
    let (used, unused) = (put(&world, "used", &[b"1"]).await, put(&world, "unused", &[b"2"]).await);
    let half = begun(&world, &[b"3"]).await;
    let (_, _, _, foreign) = world.stranger().await;
    assert_eq!(use_in(&world, world.session, vec![used, half], at(-1)).await, Err(Error::NotFound));
    use_in(&world, world.session, vec![used], at(-1)).await.unwrap();
    use_in(&world, world.session, vec![used], at(-1)).await.unwrap();
    // Not fresh any more: only what is used somewhere can be used elsewhere.
    use_in(&world, foreign, vec![used], at(1)).await.unwrap();
    assert_eq!(use_in(&world, world.session, vec![unused], at(1)).await, Err(Error::NotFound));
    assert_eq!(prune(&world, at(0)).await, 0);
    assert_eq!(prune(&world, at(1)).await, 2);
    assert_eq!(bytes(&world, used).await.unwrap(), b"1");
    world.tamper("DELETE FROM sessions WHERE id = $1", args![foreign]).await;
    assert_eq!(prune(&world, at(1)).await, 0);
    world.tamper("DELETE FROM sessions WHERE id = $1", args![world.session]).await;
    assert_eq!(prune(&world, at(1)).await, 1);
    assert_eq!((world.count("upload_pieces").await, world.count("upload_uses").await), (0, 0));
}

/// The text that was read of a file is bound to its place, and goes with it; a session knows where its files come from.
pub async fn the_text_of_a_file_is_kept_with_it(world: World) {
    let id = put(&world, "a", &[b"one"]).await;
    let (key, session, user) = (world.key.clone(), world.session, world.user);
    let keep = move |tx: &mut Tx| uploads::keep_text(tx, &key, id, &[b"list".to_vec(), b"words".to_vec()]);
    world.store.write(keep).await.unwrap();
    let piece = async |position: u64| {
        let key = world.key.clone();
        world.store.read(move |tx: &mut Tx| uploads::text_piece(tx, &key, id, position)).await
    };
    assert_eq!(piece(0).await.unwrap().unwrap(), b"list");
    assert_eq!(piece(1).await.unwrap().unwrap(), b"words");
    assert_eq!(piece(2).await.unwrap(), None);
    let worst = async || world.store.read(move |tx: &mut Tx| uploads::worst(tx, session)).await.unwrap();
    let worst_use = async || world.store.read(move |tx: &mut Tx| uploads::worst_use(tx, id)).await.unwrap();
    assert_eq!((worst().await, worst_use().await), (Label::TRUSTED_PUBLIC, Label::TRUSTED_PUBLIC));
    use_in(&world, session, vec![id], at(-1)).await.unwrap();
    assert_eq!((worst().await, worst_use().await), (Label::TRUSTED_PRIVATE, Label::TRUSTED_PRIVATE));
    let again = move |tx: &mut Tx| uploads::use_in(tx, user, session, &[id], Label::UNTRUSTED_PUBLIC, at(-1));
    world.store.write(again).await.unwrap();
    assert_eq!((worst().await, worst_use().await), (Label::WORST, Label::WORST), "the worst of both");
    let key = world.key.clone();
    let found =
        world.store.read(move |tx: &mut Tx| uploads::of_session(tx, &key, session, 10)).await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].0.upload.id, found[0].1), (id, Label::WORST));
    world
        .tamper("UPDATE upload_texts SET position = 7 WHERE position = 1 AND upload_id = $1", args![id])
        .await;
    assert!(matches!(piece(7).await, Err(Error::Crypto { table: "upload_texts", .. })));
    world.tamper("DELETE FROM uploads WHERE id = $1", args![id]).await;
    assert_eq!(world.count("upload_texts").await, 0);
}

pub async fn a_file_cannot_be_rearranged(world: World) {
    let id = put(&world, "a", &[b"one", b"two"]).await;
    for swap in ["2 WHERE position = 0", "0 WHERE position = 1", "1 WHERE position = 2"] {
        let sql = format!("UPDATE upload_pieces SET position = {swap}");
        world.store.write(move |tx: &mut Tx| tx.run(&sql, args![])).await.unwrap();
    }
    assert!(matches!(bytes(&world, id).await, Err(Error::Crypto { table: "upload_pieces", .. })));
    let id = put(&world, "b", &[b"one", b"two"]).await;
    world.tamper("UPDATE uploads SET pieces = 1 WHERE id = $1", args![id]).await;
    assert!(matches!(bytes(&world, id).await, Err(Error::Crypto { table: "uploads", .. })));
}

pub async fn an_input_keeps_its_attachments(world: World) {
    let (one, two) = (UploadId::from_uuid(uuid()), UploadId::from_uuid(uuid()));
    let turn = turn_id();
    let first = NewInput {
        attachments: vec![one.into(), two.into()],
        ..input(world.session, world.user, turn, Some("k"), "look")
    };
    let again = NewInput { id: InputId::from_uuid(uuid()), ..first.clone() };
    let fewer = NewInput { attachments: vec![one.into()], ..again.clone() };
    let (vault, key) = (world.store.vault().clone(), world.key.clone());
    let write = move |tx: &mut Tx| {
        let inserted = inbox::insert(tx, &vault, &key, &first)?;
        let repeated = inbox::insert(tx, &vault, &key, &again)?;
        let changed = inbox::insert(tx, &vault, &key, &fewer)?;
        Ok((inserted, repeated, changed, inbox::of_turn(tx, &key, turn)?))
    };
    let (inserted, repeated, changed, found) = world.store.write(write).await.unwrap();
    assert_eq!(inserted, Inserted::New);
    assert!(matches!(repeated, Inserted::Repeat { same_body: true, .. }));
    assert!(matches!(changed, Inserted::Repeat { same_body: false, .. }));
    assert_eq!(
        found.unwrap().attachments,
        [MessageAttachment::Picture(one), MessageAttachment::Picture(two)]
    );
}
