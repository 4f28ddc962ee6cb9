//! Labels join in the rows of sessions and files, and are lowered by one statement only.

use crate::world::{World, at, new_message, new_session, turn_id};
use domain::{FilePath, Label, Message, Role, Session};
use store::{
    Error, Tx,
    log::Entry,
    session_files::{self, Change, Copied, Limits, Prepared},
    sessions,
};

impl World {
    async fn say_labelled(&self, label: Label) {
        let message = Message { label, ..new_message(turn_id(), Role::Tool, "words") };
        self.append(vec![Entry::Message(message)]).await;
    }

    async fn file_of(&self, text: &str, label: Label) {
        let (key, path): (_, FilePath) = (self.key.clone(), text.parse().unwrap());
        let limits = Limits { file_bytes: 100, session_bytes: 1_000, entries: 10 };
        let file = Prepared::new(&key, self.session, path, b"bytes").unwrap();
        let change = Change { limits, read_only: None, label, at: at(0) };
        let write = move |tx: &mut Tx| session_files::write(tx, &key, file, change);
        self.store.write(write).await.unwrap().unwrap();
    }

    async fn file_label(&self, text: &str) -> Label {
        let (key, session, path) = (self.key.clone(), self.session, text.parse().unwrap());
        let read = move |tx: &mut Tx| session_files::stat(tx, &key, session, &path);
        self.store.read(read).await.unwrap().unwrap().label
    }

    async fn files_worst(&self) -> Label {
        let session = self.session;
        self.store.read(move |tx: &mut Tx| session_files::worst(tx, session)).await.unwrap()
    }

    async fn session_shown(&self) -> Session {
        let (key, user, session) = (self.key.clone(), self.user, self.session);
        let read = move |tx: &mut Tx| sessions::get(tx, &key, user, session);
        self.store.read(read).await.unwrap().unwrap()
    }
}

pub async fn the_worst_stays(world: World) {
    world.say_labelled(Label::TRUSTED_PRIVATE).await;
    world.file_of("/a", Label::TRUSTED_PRIVATE).await;
    assert_eq!(world.session_shown().await.label, Label::TRUSTED_PRIVATE, "private from the beginning");
    assert_eq!(world.files_worst().await, Label::TRUSTED_PRIVATE);
    world.say_labelled(Label::UNTRUSTED_PUBLIC).await;
    world.say_labelled(Label::TRUSTED_PUBLIC).await;
    assert_eq!(world.session_shown().await.label, Label::WORST);
    world.file_of("/b", Label::UNTRUSTED_PUBLIC).await;
    assert_eq!(world.files_worst().await, Label::WORST, "of all files together");
    assert_eq!(world.file_label("/a").await, Label::TRUSTED_PRIVATE);
    world.file_of("/a", Label::UNTRUSTED_PUBLIC).await;
    assert_eq!(world.file_label("/a").await, Label::UNTRUSTED_PUBLIC, "nothing of the old one is left");
    let to = new_session(&world.agent, None).id;
    let (key, from) = (world.key.clone(), world.session);
    let copied = world.store.read(move |tx: &mut Tx| Copied::read(tx, &key, from, to));
    assert_eq!(copied.await.unwrap().label(), Label::UNTRUSTED_PUBLIC);
}

pub async fn what_has_changed_is_trusted_no_longer(world: World) {
    for _ in 0..3 {
        world.say_labelled(Label::WORST).await;
    }
    let (user, session) = (world.user, world.session);
    let trust = move |tx: &mut Tx| sessions::trust(tx, user, session, 3, true);
    assert!(world.store.write(trust).await.unwrap());
    let doubt = async |seq| {
        world.store.write(move |tx: &mut Tx| sessions::doubt(tx, session, seq)).await.unwrap();
        world.session_shown().await.trusted_seq
    };
    assert_eq!(doubt(4).await, 3, "the control: what is before it stays trusted");
    assert_eq!(doubt(2).await, 1);
    assert_eq!(doubt(3).await, 1, "nothing is trusted by it");
}

pub async fn a_person_lowers_it(world: World) {
    world.say_labelled(Label::WORST).await;
    world.file_of("/a", Label::WORST).await;
    let (user, session) = (world.user, world.session);
    let seq = world.session_shown().await.last_seq;
    // What came after what they saw is not trusted by it, and may be in its files.
    world.say_labelled(Label::WORST).await;
    let part = move |tx: &mut Tx| sessions::trust(tx, user, session, seq, false);
    assert!(world.store.write(part).await.unwrap());
    let shown = world.session_shown().await;
    assert_eq!((shown.label, shown.trusted_seq), (Label::WORST, seq));
    assert_eq!(world.file_label("/a").await, Label::WORST);
    let seq = shown.last_seq;
    let newest = move |tx: &mut Tx| sessions::newest(tx, user, session);
    assert_eq!(world.store.read(newest).await.unwrap(), Some((seq, seq)));
    let trust = move |tx: &mut Tx| sessions::trust(tx, user, session, seq, true);
    assert!(world.store.write(trust).await.unwrap());
    let shown = world.session_shown().await;
    assert_eq!((shown.label, shown.trusted_seq, shown.last_seq), (Label::TRUSTED_PRIVATE, seq, seq));
    assert_eq!(world.file_label("/a").await, Label::TRUSTED_PRIVATE);
    world.say_labelled(Label::UNTRUSTED_PUBLIC).await;
    assert_eq!(world.session_shown().await.label, Label::WORST, "what comes later counts again");
    let (stranger, ..) = world.stranger().await;
    let foreign = move |tx: &mut Tx| sessions::trust(tx, stranger, session, seq, true);
    assert!(!world.store.write(foreign).await.unwrap());
    assert_eq!(world.session_shown().await.label, Label::WORST);
    let turn = turn_id();
    let begin = move |tx: &mut Tx| sessions::take_input(tx, session, user, turn, 1, 1, at(1));
    world.store.write(begin).await.unwrap();
    let busy = move |tx: &mut Tx| sessions::trust(tx, user, session, seq, true);
    assert!(matches!(world.store.write(busy).await, Err(Error::Conflict(_))));
}

/// A database from before people's words were private: what may have been trusted too much counts as the words of others, and
/// stays so until its person declares it trusted.
pub async fn an_older_database_trusts_no_more_than_it_should(world: World) {
    world.say_labelled(Label::TRUSTED_PRIVATE).await;
    world.file_of("/letter", Label::TRUSTED_PRIVATE).await;
    let plain = new_session(&world.agent, None);
    let (key, session) = (world.key.clone(), plain.clone());
    let make = move |tx: &mut Tx| sessions::create(tx, &key, &session);
    world.store.write(make).await.unwrap();
    let before = [
        "ALTER TABLE sessions DROP COLUMN own_files",
        "ALTER TABLE sessions DROP COLUMN doubted_seq",
        "ALTER TABLE inbox DROP COLUMN label",
        "UPDATE sessions SET label = 0",
        "UPDATE session_files SET label = 2",
        "DELETE FROM schema_version WHERE version = 17",
    ];
    for sql in before {
        world.store.write(move |tx: &mut Tx| tx.run(sql, vec![])).await.unwrap();
    }
    world.store.close().await;
    let store = store::Store::open(&world.url, world.master.clone()).await.unwrap();
    let world = World { store, ..world };
    let shown = world.session_shown().await;
    assert_eq!((shown.label, shown.doubted_seq, shown.own_files), (Label::WORST, shown.last_seq, false));
    assert_eq!(world.file_label("/letter").await, Label::WORST);
    let words_only = World { session: plain.id, ..world };
    let shown = words_only.session_shown().await;
    assert_eq!(
        (shown.label, shown.doubted_seq),
        (Label::TRUSTED_PRIVATE, 0),
        "nobody but its person had a say in it"
    );
}
