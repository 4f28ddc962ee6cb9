//! Files in messages: read once, told to the model within their room, and read on by a tool.

use crate::world::World;
use domain::{CapabilityRef, Label, Part, UploadId};
use engine::{NewFile, NewMessage, SessionChange};
use serde_json::{Value, json};
use testkit::model::Reply;

const MADE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../documents/tests/files/made");

fn made(name: &str) -> Vec<u8> {
    std::fs::read(format!("{MADE}/{name}")).unwrap()
}

impl World {
    fn with_files(&self, text: &str, attachments: &[UploadId]) -> NewMessage {
        NewMessage { attachments: attachments.to_vec(), ..self.message(text) }
    }
}

/// What the model was told of the first message.
fn told(world: &World) -> Value {
    world.model.last_request().unwrap().body["messages"][1]["content"].clone()
}

#[tokio::test]
async fn a_model_is_told_what_is_in_a_file() {
    for (name, noun, kind) in [
        ("german-libreoffice.pdf", "PDF", "application/pdf"),
        (
            "german-pandoc.docx",
            "Word document",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ),
        ("german-windows.txt", "text", "text/plain"),
    ] {
        let world = World::new().await;
        let upload = world.upload(name, made(name)).await.unwrap();
        assert_eq!(upload.mime_type, kind);
        let read = upload.text.clone().unwrap();
        assert_eq!((read.noun.as_str(), read.problem, read.cut), (noun, None, false));
        assert!(read.chars > 1_000);
        world.model.script(Reply::text("A kettle."));
        let accepted = world.send(world.with_files("What is this?", &[upload.id])).await.unwrap();
        world.ended(accepted).await;
        let parts = told(&world);
        let words = parts.to_string();
        assert!(
            words.contains("What is this?") && words.contains(&format!("name=\\\"{name}\\\"")),
            "{words}"
        );
        assert!(words.contains("zweihundertvierzig Euro") && words.contains("This is all of it."), "{words}");
        let message = world.messages().await.remove(0);
        let Some(Part::File { file }) = message.parts.last() else { panic!("{:?}", message.parts) };
        assert_eq!((file.read_chars, file.read_parts, file.name.as_str()), (file.chars, file.parts, name));
        world.model.script(Reply::text("Still."));
        world.run("And now?").await;
        assert_eq!(told(&world), parts, "it is told the same again");
    }
}

#[tokio::test]
async fn files_are_read_once_and_sealed() {
    let world = World::new().await;
    let upload = world.upload("german.pdf", made("german-libreoffice.pdf")).await.unwrap();
    assert_eq!(world.count("upload_texts").await, 2, "the list of its parts, and its words");
    let found = world.engine().upload(world.user, upload.id).await.unwrap();
    assert_eq!(found.upload().text, upload.text);
    let plain = b"Umw\xc3\xa4lzpumpe".to_vec();
    let sql = "SELECT data FROM upload_texts".to_owned();
    let rows: Vec<Vec<u8>> =
        world.store.read(move |tx: &mut store::Tx| tx.all(&sql, Vec::new())).await.unwrap();
    assert!(rows.iter().all(|row| !row.windows(plain.len()).any(|window| window == plain)));
}

/// A long file is told from its beginning, and the tool reads on where the message ends.
#[tokio::test]
async fn what_has_no_room_is_read_by_the_tool() {
    let world = World::new().await;
    world.equip(vec![CapabilityRef::from("attachments")]).await.unwrap();
    let text: String = (0..40_000).map(|line| format!("line number {line}\n")).collect();
    let short = world.upload("short.md", b"# Only this\n".to_vec()).await.unwrap();
    let long = world.upload("long.txt", text.into_bytes()).await.unwrap();
    let find = json!({ "file": "long.txt", "find": "number 39999" });
    world.model.script(Reply::calls([("read_attachment", find)]));
    world.model.script(Reply::calls([("read_attachment", json!({ "file": "long.txt", "offset": 100_000 }))]));
    world.model.script(Reply::text("Read."));
    let accepted = world.send(world.with_files("Look", &[long.id, short.id])).await.unwrap();
    world.ended(accepted).await;
    let parts = world.messages().await.remove(0).parts;
    let files: Vec<_> = parts
        .iter()
        .filter_map(|part| if let Part::File { file } = part { Some(file) } else { None })
        .collect();
    assert_eq!(files[1].read_chars, files[1].chars, "the short one is whole");
    assert!(files[0].read_chars < files[0].chars && files[0].read_chars > 40_000, "{}", files[0].read_chars);
    let words = told(&world).to_string();
    assert!(words.contains("Only this") && words.contains("line number 0"), "{words:.200}");
    assert!(words.contains(&format!("offset {}", files[0].read_chars)), "it says where to read on");
    let messages = world.messages().await;
    let results: Vec<&str> = messages
        .iter()
        .filter(|message| message.role == domain::Role::Tool)
        .map(|message| message.content.as_str())
        .collect();
    assert!(results[0].contains("number 39999") && results[0].contains("\"places\":[{"), "{}", results[0]);
    assert!(
        results[1].contains("next_offset") && results[1].contains("\"offset\":100000"),
        "{:.300}",
        results[1]
    );
}

/// ATTACK: a file holds a key of this server, and the tool is asked for a piece that begins or ends inside of it.
/// THREAT[secret-01]
#[tokio::test]
async fn no_half_of_a_secret_is_read_from_a_file() {
    const KEY: &str = "canary-0123456789abcdefghijklmnopqrstuvwxyz";
    let world = World::with(|setup| {
        setup.settings.outside.secrets = vec![KEY.into()];
        setup.settings.turn.result_chars = 100_000;
    })
    .await;
    world.equip(vec![CapabilityRef::from("attachments")]).await.unwrap();
    // A piece has 14,000 characters, and a found place 120 before and after it.
    let (dots, beside) = (".".repeat(14_000 - 10), ".".repeat(110));
    let text = format!("{dots}{KEY}{beside}needle{beside}{KEY}{dots}the end");
    let file = world.upload("keys.txt", text.into_bytes()).await.unwrap();
    let inside = 14_000 - 10 + KEY.len() - 12;
    let find = |words: &str| ("read_attachment", json!({ "file": "keys.txt", "find": words }));
    world.model.script(Reply::text("").then_calls(vec![
        ("read_attachment", json!({ "file": "keys.txt" })),
        ("read_attachment", json!({ "file": "keys.txt", "offset": inside })),
        find("needle"),
        find("canary-0123"),
        find("the end"),
    ]));
    world.model.script(Reply::text("Read."));
    let accepted = world.send(world.with_files("Look", &[file.id])).await.unwrap();
    world.ended(accepted).await;
    let told = world.model.last_request().unwrap().results_since_user();
    assert_eq!(told.len(), 5);
    for result in &told {
        let part = (0..KEY.len() - 6)
            .find(|at| result.contains(&KEY[*at..at + 6]) && !result.contains("find\":\"canary"));
        assert_eq!(part, None, "{result}");
    }
    let told: Vec<Value> = told.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
    // The control: the rest is read as it stands, where it stands.
    assert!(told[0]["text"].as_str().unwrap().ends_with(".[secret]**"), "{}", told[0]);
    assert_eq!(told[0]["next_offset"], 14_000);
    assert!(told[1]["text"].as_str().unwrap().starts_with("************....."), "{}", told[1]);
    let place = &told[2]["places"][0];
    assert_eq!(place["offset"], 14_000 - 10 + KEY.len() + 110);
    assert_eq!(place["text"].as_str().unwrap(), format!("**********{beside}needle{beside}[secret]**"));
    assert_eq!(told[3]["places"], json!([]), "a search does not say where a key stands");
    assert_eq!(told[4]["places"][0]["offset"], 2 * (14_000 - 10 + KEY.len()) + 226);
}

/// THREAT[label-01] Others wrote a file unless its person says otherwise, and what is read of it is as it is.
#[tokio::test]
async fn the_text_has_the_label_of_its_file() {
    for (own, label) in [(false, Label::WORST), (true, Label::TRUSTED_PRIVATE)] {
        let world = World::new().await;
        world.equip(vec![CapabilityRef::from("attachments")]).await.unwrap();
        let change = SessionChange { own_files: Some(own), ..SessionChange::default() };
        world.engine().change_session(&world.me(), world.session, change).await.unwrap();
        let upload = world.upload("a.txt", b"some words".to_vec()).await.unwrap();
        world.model.script(Reply::calls([("read_attachment", json!({ "file": "a.txt" }))]));
        world.model.script(Reply::text("Read."));
        let accepted = world.send(world.with_files("Look", &[upload.id])).await.unwrap();
        world.ended(accepted).await;
        let labels: Vec<Label> = world.messages().await.iter().map(|message| message.label).collect();
        assert!(labels.iter().all(|found| *found == label), "of their own: {own}, {labels:?}");
    }
}

#[tokio::test]
async fn what_cannot_be_read_says_why_and_lies_are_refused() {
    let world = World::new().await;
    let locked = std::fs::read(format!("{MADE}/../locked/locked-256.pdf")).unwrap();
    let upload = world.upload("locked.pdf", locked).await.unwrap();
    let problem = upload.text.unwrap().problem.unwrap();
    assert_eq!(problem, "This PDF is locked with a password. Remove the password and attach it again.");
    world.model.script(Reply::text("Open it first."));
    let accepted = world.send(world.with_files("Look", &[upload.id])).await.unwrap();
    world.ended(accepted).await;
    assert!(told(&world).to_string().contains("could not be read. This PDF is locked"), "{}", told(&world));
    let user = world.user;
    for (bytes, declared, refused) in [
        (made("german-pandoc.docx"), Some("application/pdf"), true),
        (made("german-libreoffice.pdf"), Some("image/png"), true),
        (made("german-pandoc.docx"), Some("text/plain"), true),
        (made("german-pandoc.docx"), None, false),
        (made("german-pandoc.rtf"), Some("text/rtf"), false),
        (made("german-pandoc.rtf"), Some("application/rtf"), false),
        (made("prices-openpyxl.xlsx"), Some("application/octet-stream"), false),
        (b"PK\x03\x04 \0nothing".to_vec(), None, true),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old".to_vec(), None, true),
    ] {
        let file = NewFile { name: "letter.docx".to_owned(), mime_type: declared.map(str::to_owned) };
        let work = |engine: engine::Engine| async move {
            let mut receiving = engine.receive(user, file).await?;
            receiving.push(&bytes).await?;
            receiving.finish().await
        };
        let result = world.house.on(work).await;
        assert_eq!(result.is_err(), refused, "{declared:?}: {result:?}");
    }
}

/// A conversation that is forked has the files of what was said in it.
#[tokio::test]
async fn a_fork_has_the_files_of_its_messages() {
    let world = World::new().await;
    let upload = world.upload("a.txt", b"some words".to_vec()).await.unwrap();
    world.model.script(Reply::text("Read."));
    let accepted = world.send(world.with_files("Look", &[upload.id])).await.unwrap();
    world.ended(accepted).await;
    world.engine().fork_session(world.user, world.session, engine::Fork::default(), None).await.unwrap();
    assert_eq!(world.count("upload_uses").await, 2);
}
