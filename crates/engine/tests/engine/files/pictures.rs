//! Pictures in messages: stored, sent to models that see, kept by the sessions that show them.

use crate::world::World;
use domain::{Part, Upload, UploadId};
use engine::{Error, NewFile, NewMessage};
use store::Tx;
use testkit::model::Reply;

/// A picture as far as anybody here looks.
pub const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x01";
const DAY: i64 = 24 * 3_600 * 1_000;

impl World {
    pub async fn upload(&self, name: &str, bytes: Vec<u8>) -> engine::Result<Upload> {
        let (user, file) = (self.user, NewFile { name: name.to_owned(), mime_type: None });
        let work = |engine: engine::Engine| async move {
            let mut receiving = engine.receive(user, file).await?;
            for chunk in bytes.chunks(100_000) {
                receiving.push(chunk).await?;
            }
            receiving.finish().await
        };
        self.house.on(work).await
    }

    pub fn with_picture(&self, text: &str, upload: UploadId) -> NewMessage {
        NewMessage { attachments: vec![upload], ..self.message(text) }
    }

    pub async fn count(&self, table: &str) -> u64 {
        let sql = format!("SELECT COUNT(*) FROM {table}");
        self.store.read(move |tx: &mut Tx| tx.one(&sql, Vec::new())).await.unwrap()
    }

    /// What a store that is looked after drops by itself.
    async fn prune(&self, day: i64) -> u64 {
        let before = capability::Clock::now(self.clock.as_ref()).plus_millis(-day);
        self.store.write(move |tx: &mut Tx| store::uploads::prune(tx, before, 100)).await.unwrap()
    }
}

fn code(refused: engine::Result<engine::Accepted>) -> &'static str {
    match refused.unwrap_err() {
        Error::Invalid { code, .. } => code,
        Error::NotFound(noun) => noun,
        Error::TooLarge(_) => "too_large",
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_model_that_sees_is_shown_the_picture_in_every_later_prompt() {
    let world = World::new().await;
    let upload = world.upload("cat.png", PNG.to_vec()).await.unwrap();
    world.model.script(Reply::text("A cat."));
    world.model.script(Reply::text("Still a cat."));
    let accepted = world.send(world.with_picture("What is this?", upload.id)).await.unwrap();
    world.ended(accepted).await;
    let sent = |body: &serde_json::Value| body["messages"][1]["content"].clone();
    let url = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAAB";
    let expected = serde_json::json!([
        { "type": "text", "text": "What is this?" },
        { "type": "image_url", "image_url": { "url": url } },
    ]);
    assert_eq!(sent(&world.model.last_request().unwrap().body), expected);
    let message = world.messages().await.remove(0);
    // The words are told once: as the content.
    assert_eq!(message.content, "What is this?");
    let text = Part::Text { text: String::new() };
    assert_eq!(message.parts, [text, Part::Image { upload_id: upload.id }]);
    world.run("And now?").await;
    assert_eq!(sent(&world.model.last_request().unwrap().body), expected);
    world.check(&["What is this?", "And now?"]).await;
}

#[tokio::test]
async fn a_picture_needs_no_words_and_waits_and_steers_like_them() {
    let world = World::new().await;
    let upload = world.upload("cat.png", PNG.to_vec()).await.unwrap();
    let gate = std::sync::Arc::new(tokio::sync::Notify::new());
    world.model.script(Reply::pieces(["One ", "moment."]).gate_after_pieces(1, gate.clone()));
    let mut reader = world.follow(engine::Start::Now).await.unwrap();
    world.post("Hello").await;
    crate::world::until_text(&mut reader, "One ").await;
    let queued = world.send(world.with_picture("", upload.id)).await.unwrap();
    world.model.script(Reply::text("I see a cat."));
    gate.notify_one();
    world.ended(queued).await;
    let message = world.messages().await.remove(2);
    assert_eq!((message.content.as_str(), message.parts), ("", vec![Part::Image { upload_id: upload.id }]));
    let request = world.model.last_request().unwrap();
    assert_eq!(
        request.body["messages"].as_array().unwrap().last().unwrap()["content"][0]["type"],
        "image_url"
    );
    world.check(&["Hello", ""]).await;
}

#[tokio::test]
async fn attachments_are_refused_before_anything_is_stored() {
    let world = World::new().await;
    let picture = world.upload("cat.png", PNG.to_vec()).await.unwrap().id;
    let large = world.upload("huge.png", [PNG, &vec![0; 4_000_000]].concat()).await.unwrap().id;
    let nothing = UploadId::from_uuid(uuid::Uuid::nil());
    let many: Vec<UploadId> = (0..11).map(|n| UploadId::from_uuid(uuid::Uuid::from_u128(n))).collect();
    for (attachments, expected) in [
        (vec![large], "too_large"),
        (vec![nothing], "upload"),
        (vec![picture, nothing], "upload"),
        (vec![picture, picture], "bad_attachments"),
        (many, "bad_attachments"),
    ] {
        let message = NewMessage { attachments, ..world.message("Look") };
        assert_eq!(code(world.send(message).await), expected);
    }
    let change = engine::AgentFields { model: engine::Change::Set("demo".to_owned()), ..Default::default() };
    world.engine().change_agent(&world.me(), world.agent, change).await.unwrap();
    assert_eq!(code(world.send(world.with_picture("Look", picture)).await), "model_cannot_see");
    assert_eq!((world.count("inbox").await, world.count("upload_uses").await), (0, 0));
}

#[tokio::test]
async fn a_model_that_cannot_see_is_told_of_older_pictures() {
    let world = World::new().await;
    let upload = world.upload("cat.png", PNG.to_vec()).await.unwrap();
    world.model.script(Reply::text("A cat."));
    let accepted = world.send(world.with_picture("What is this?", upload.id)).await.unwrap();
    world.ended(accepted).await;
    let blind =
        engine::AgentFields { model: engine::Change::Set("test/blind".to_owned()), ..Default::default() };
    world.engine().change_agent(&world.me(), world.agent, blind).await.unwrap();
    world.model.script(Reply::text("I was told of a picture."));
    world.run("And now?").await;
    let first = world.model.last_request().unwrap().body["messages"][1]["content"].to_string();
    assert!(first.contains("What is this?") && first.contains("cannot see pictures"), "{first}");
}

#[tokio::test]
async fn files_are_kept_while_a_session_shows_them() {
    let world = World::new().await;
    let used = world.upload("used.png", PNG.to_vec()).await.unwrap();
    world.upload("unused.png", PNG.to_vec()).await.unwrap();
    world.model.script(Reply::text("A cat."));
    let accepted = world.send(world.with_picture("Look", used.id)).await.unwrap();
    world.ended(accepted).await;
    assert_eq!(world.prune(DAY).await, 0);
    world.clock.advance(DAY + 1);
    assert_eq!(world.prune(DAY).await, 1);
    assert_eq!((world.count("uploads").await, world.count("upload_pieces").await), (1, 1));
    world.engine().delete_session(world.user, world.session).await.unwrap();
    assert_eq!(world.prune(DAY).await, 1);
    assert_eq!(world.count("upload_pieces").await, 0);
}

#[tokio::test]
async fn an_unused_file_is_not_taken_on_its_last_day() {
    let world = World::new().await;
    let upload = world.upload("cat.png", PNG.to_vec()).await.unwrap();
    world.clock.advance(DAY + 1);
    assert_eq!(code(world.send(world.with_picture("Look", upload.id)).await), "upload");
}

#[tokio::test]
async fn a_file_has_its_bytes_back_and_its_owner_has_a_quota() {
    let world = World::with(|setup| {
        setup.settings.files.upload_bytes = 700_000;
        setup.settings.files.upload_quota = 1_000_000;
    })
    .await;
    assert!(matches!(world.upload("more", vec![b'x'; 700_001]).await, Err(Error::TooLarge(_))));
    let text: Vec<u8> = (0..600_000_u32).map(|n| b'a' + (n % 26) as u8).collect();
    let upload = world.upload("../big.txt", text.clone()).await.unwrap();
    assert_eq!(
        (upload.name.as_str(), upload.mime_type.as_str(), upload.size),
        ("big.txt", "text/plain", 600_000)
    );
    let mut download = world.engine().upload(world.user, upload.id).await.unwrap();
    let mut bytes = Vec::new();
    while let Some(piece) = download.next().await.unwrap() {
        assert!(piece.len() <= 256 << 10);
        bytes.extend(piece);
    }
    assert!(bytes == text);
    let full = world.upload("more", vec![b'x'; 500_000]).await;
    assert!(matches!(full, Err(Error::Conflict { code: "upload_quota", .. })), "{full:?}");
    world.upload("less", vec![b'x'; 300_000]).await.unwrap();
    let refused = world.upload("elf", b"\x7fELF\0".to_vec()).await;
    assert!(matches!(refused, Err(Error::UnsupportedMedia { code: "unsupported_file", .. })));
}

/// Whether a request shows the picture with this many pixels in its width.
fn shows(request: &testkit::model::Recorded, width: u8) -> bool {
    let text = request.body.to_string();
    text.contains(&data(&png(width)))
}

fn png(width: u8) -> Vec<u8> {
    [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0".as_slice(), &[width], b"\0\0\0\x01\x08\x06\0\0\0"].concat()
}

fn data(bytes: &[u8]) -> String {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    STANDARD.encode(bytes)
}

#[tokio::test]
async fn a_picture_that_the_vendor_refuses_does_not_end_the_conversation() {
    let world = World::new().await;
    let bad = world.upload("bad.png", png(13)).await.unwrap();
    let good = world.upload("good.png", png(2)).await.unwrap();
    world.model.respond(|request| match shows(request, 13) {
        true => Reply::status(400),
        false => Reply::text("Hm."),
    });
    let refused = world.send(world.with_picture("What is this?", bad.id)).await.unwrap();
    assert_eq!(crate::world::shown(&world.ended(refused).await).last().unwrap(), "turn_ended completed");
    let told = world.model.last_request().unwrap().body.to_string();
    assert!(told.contains("refused it"), "the model can say why it sees nothing: {told}");
    // A later picture is seen, whatever became of the earlier one.
    let seen = world.send(world.with_picture("And this?", good.id)).await.unwrap();
    assert_eq!(crate::world::shown(&world.ended(seen).await).last().unwrap(), "turn_ended completed");
    assert!(shows(&world.model.last_request().unwrap(), 2));
    world.run("And now?").await;
    assert_eq!(world.model.requests().len(), 2 + 2 + 2, "one refusal each, and then an answer");
    // The control: what has no pictures is refused for good.
    world.model.respond(|_| Reply::status(400));
    let other = world.engine().create_session(world.user, engine::NewSession::with(world.agent));
    let session_id = other.await.unwrap().id;
    let message = NewMessage { session_id, ..world.message("Hello") };
    let accepted = world.send(message).await.unwrap();
    let reader =
        world.engine().follow_turn(world.user, session_id, accepted.turn_id, accepted.after).await.unwrap();
    let told = crate::world::shown(&crate::world::rest(reader).await);
    assert_eq!(told.last().unwrap(), "turn_ended failed provider_refused", "{told:?}");
}

#[tokio::test]
async fn a_picture_without_a_size_or_with_a_huge_one_is_not_taken() {
    let world = World::new().await;
    let damaged = world.upload("half.png", PNG[..16].to_vec()).await;
    assert!(matches!(damaged, Err(Error::UnsupportedMedia { code: "bad_picture", .. })), "{damaged:?}");
    let wide = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x1f\x41\0\0\0\x01".to_vec();
    let huge = world.upload("wide.png", wide.clone()).await;
    assert!(matches!(huge, Err(Error::TooLarge(_))), "{huge:?}");
    let mut just = wide;
    just[19] = 0x40;
    world.upload("just.png", just).await.unwrap();
    // A file that is no picture has no size to check.
    world.upload("notes.txt", b"8001 by 1".to_vec()).await.unwrap();
}

#[tokio::test]
async fn the_same_file_with_the_same_key_is_one_file() {
    let world = World::new().await;
    let send = |name: &'static str, bytes: Vec<u8>, key: &'static str| {
        let user = world.user;
        world.house.on(move |engine| async move {
            let file = NewFile { name: name.to_owned(), mime_type: None };
            let mut receiving = engine.receive(user, file).await?.keyed(Some(key.to_owned()))?;
            receiving.push(&bytes).await?;
            receiving.finish().await
        })
    };
    let first = send("cat.png", png(2), "k").await.unwrap();
    let again = send("cat.png", png(2), "k").await.unwrap();
    assert_eq!(first, again);
    for (name, bytes) in [("dog.png", png(2)), ("cat.png", png(3))] {
        let other = send(name, bytes, "k").await;
        assert!(matches!(other, Err(Error::IdempotencyMismatch)), "{other:?}");
    }
    assert_ne!(send("cat.png", png(2), "another").await.unwrap().id, first.id);
    assert!(matches!(send("cat.png", png(2), "").await, Err(Error::Invalid { .. })));
    let engine = world.engine().clone();
    let down =
        world.house.handle().spawn(async move { engine.shutdown(std::time::Duration::from_secs(5)).await });
    down.await.unwrap();
    assert_eq!(world.count("uploads").await, 2, "what was repeated left nothing");
}
