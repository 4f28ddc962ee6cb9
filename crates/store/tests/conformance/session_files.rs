use crate::world::{World, at, new_session};
use domain::{FileInfo, FilePath, FileRefusal, Label, SessionId, Timestamp};
use store::{
    DataKey, Error, Result, Tx, args,
    session_files::{self, Change, Copied, Leavings, Limits, Prepared},
};

const LIMITS: Limits = Limits { file_bytes: 100, session_bytes: 250, entries: 8 };

type Answer<T> = Result<std::result::Result<T, FileRefusal>>;

fn path(text: &str) -> FilePath {
    text.parse().unwrap()
}

impl World {
    async fn put(&self, text: &str, content: &[u8]) -> Answer<(FileInfo, bool)> {
        self.put_as(text, content, None, at(0)).await
    }

    async fn put_as(
        &self,
        text: &str,
        content: &[u8],
        read_only: Option<bool>,
        at: Timestamp,
    ) -> Answer<(FileInfo, bool)> {
        let key = self.key.clone();
        let file = Prepared::new(&key, self.session, path(text), content).unwrap();
        let change = Change { limits: LIMITS, read_only, label: Label::TRUSTED_PRIVATE, at };
        self.store.write(move |tx: &mut Tx| session_files::write(tx, &key, file, change)).await
    }

    async fn remove(&self, text: &str, recursive: bool) -> Answer<u64> {
        let (key, session, path) = (self.key.clone(), self.session, path(text));
        let delete = move |tx: &mut Tx| session_files::delete(tx, &key, session, &path, recursive);
        self.store.write(delete).await
    }

    async fn bytes(&self, key: &DataKey, session: SessionId, text: &str) -> Answer<Vec<u8>> {
        let (key, path) = (key.clone(), path(text));
        let read = move |tx: &mut Tx| session_files::read(tx, &key, session, &path);
        Ok(self.store.read(read).await?.map(|(_, content)| content))
    }

    async fn content(&self, text: &str) -> Answer<Vec<u8>> {
        self.bytes(&self.key, self.session, text).await
    }

    async fn names(&self, folder: &str) -> Answer<Vec<String>> {
        let (key, session, folder) = (self.key.clone(), self.session, path(folder));
        let read = move |tx: &mut Tx| session_files::list(tx, &key, session, &folder);
        let listed = self.store.read(read).await?;
        Ok(listed.map(|entries| entries.into_iter().map(|info| info.name).collect()))
    }
}

/// A file with the word in its name and in its content, for whoever looks for words.
pub async fn plant(world: &World, word: &str) {
    world.put(&format!("/{word}/{word}.txt"), word.as_bytes()).await.unwrap().unwrap();
}

pub async fn a_file_comes_back_with_its_folders(world: World) {
    let (info, created) = world.put("/a/b/c.txt", b"hello").await.unwrap().unwrap();
    assert!(created);
    assert_eq!((info.name.as_str(), info.size_bytes, info.created_at), ("c.txt", 5, at(0)));
    assert_eq!(world.content("/a/b/c.txt").await.unwrap().unwrap(), b"hello");
    assert_eq!(world.names("/").await.unwrap().unwrap(), ["a"]);
    assert_eq!(world.names("/a").await.unwrap().unwrap(), ["b"]);
    let (info, created) = world.put_as("/a/b/c.txt", b"", None, at(5)).await.unwrap().unwrap();
    assert!(!created, "it was there");
    assert_eq!((info.size_bytes, info.created_at, info.updated_at), (0, at(0), at(5)));
    assert_eq!(world.content("/a/b/c.txt").await.unwrap().unwrap(), b"");
    world.put("/a/z", b"").await.unwrap().unwrap();
    world.put("/a/B", b"").await.unwrap().unwrap();
    assert_eq!(world.names("/a").await.unwrap().unwrap(), ["B", "b", "z"]);
    assert_eq!(world.count("session_files").await, 5);
}

pub async fn what_cannot_be_done_with_a_file_changes_nothing(world: World) {
    use FileRefusal::{IsDirectory, Missing, NotDirectory, NotEmpty, Root};
    world.put("/a/b", b"x").await.unwrap().unwrap();
    assert_eq!(world.put("/a", b"x").await.unwrap(), Err(IsDirectory(path("/a"))));
    assert_eq!(world.put("/a/b/c/d", b"x").await.unwrap(), Err(NotDirectory(path("/a/b"))));
    assert_eq!(world.put("/", b"x").await.unwrap(), Err(Root));
    assert_eq!(world.content("/none").await.unwrap(), Err(Missing(path("/none"))));
    assert_eq!(world.content("/a").await.unwrap(), Err(IsDirectory(path("/a"))));
    assert_eq!(world.content("/").await.unwrap(), Err(IsDirectory(path("/"))));
    assert_eq!(world.names("/a/b").await.unwrap(), Err(NotDirectory(path("/a/b"))));
    assert_eq!(world.names("/none").await.unwrap(), Err(Missing(path("/none"))));
    assert_eq!(world.remove("/none", true).await.unwrap(), Err(Missing(path("/none"))));
    assert_eq!(world.remove("/", true).await.unwrap(), Err(Root));
    assert_eq!(world.remove("/a", false).await.unwrap(), Err(NotEmpty(path("/a"))));
    assert_eq!(world.count("session_files").await, 2);
}

pub async fn a_folder_goes_with_everything_in_it(world: World) {
    for text in ["/a/b/c", "/a/d", "/ab", "/x"] {
        world.put(text, b"x").await.unwrap().unwrap();
    }
    assert_eq!(world.remove("/a", true).await.unwrap(), Ok(4));
    assert_eq!(world.names("/").await.unwrap().unwrap(), ["ab", "x"], "its neighbour stays");
    assert_eq!(world.remove("/x", false).await.unwrap(), Ok(1));
    world.put("/e/f", b"x").await.unwrap().unwrap();
    world.remove("/e/f", false).await.unwrap().unwrap();
    assert_eq!(world.remove("/e", false).await.unwrap(), Ok(1), "an empty folder needs no more words");
}

/// EVERRUNS-09: a read-only file is neither changed nor deleted.
pub async fn a_read_only_file_stays_as_it_is(world: World) {
    let kept = || FileRefusal::ReadOnly(path("/a/kept"));
    world.put_as("/a/kept", b"first", Some(true), at(0)).await.unwrap().unwrap();
    assert_eq!(world.put("/a/kept", b"second").await.unwrap(), Err(kept()));
    assert_eq!(world.remove("/a/kept", false).await.unwrap(), Err(kept()));
    assert_eq!(world.remove("/a", true).await.unwrap(), Err(kept()), "nor with its folder");
    assert_eq!(world.content("/a/kept").await.unwrap().unwrap(), b"first");
    world.put_as("/a/kept", b"second", Some(false), at(0)).await.unwrap().unwrap();
    assert_eq!(world.remove("/a", true).await.unwrap(), Ok(2), "the control");
}

pub async fn files_have_their_limits(world: World) {
    assert_eq!(world.put("/x", &[0; 101]).await.unwrap(), Err(FileRefusal::TooLarge(100)));
    for text in ["/1", "/2"] {
        world.put(text, &[0; 100]).await.unwrap().unwrap();
    }
    assert_eq!(world.put("/3", &[0; 51]).await.unwrap(), Err(FileRefusal::NoRoom(250)));
    world.put("/3", &[0; 50]).await.unwrap().unwrap();
    world.put("/1", &[1; 100]).await.unwrap().unwrap();
    assert_eq!(world.put("/3", &[0; 51]).await.unwrap(), Err(FileRefusal::NoRoom(250)), "one more");
    assert_eq!(world.put("/a/b/c/d/e/f", b"").await.unwrap(), Err(FileRefusal::TooMany(8)));
    world.put("/a/b/c/d/e", b"").await.unwrap().unwrap();
    assert_eq!(world.put("/one-more", b"").await.unwrap(), Err(FileRefusal::TooMany(8)));
    world.put("/1", b"").await.unwrap().unwrap();
    assert_eq!(world.count("session_files").await, 8);
}

/// EVERRUNS-09: two sessions do not see each other's files.
pub async fn files_are_their_sessions_own(world: World) {
    world.put("/secret", b"mine").await.unwrap().unwrap();
    let other = new_session(&world.agent, None);
    let (id, key) = (other.id, world.key.clone());
    world.store.write(move |tx: &mut Tx| store::sessions::create(tx, &key, &other)).await.unwrap();
    let missing = Err(FileRefusal::Missing(path("/secret")));
    assert_eq!(world.bytes(&world.key, id, "/secret").await.unwrap(), missing);
    let (_, stranger, ..) = world.stranger().await;
    let foreign = world.bytes(&stranger, world.session, "/secret").await;
    assert_eq!(foreign.unwrap_err(), Error::NotFound, "somebody else's session is none");
    let file = Prepared::new(&stranger, world.session, path("/x"), b"").unwrap();
    let change = Change { limits: LIMITS, read_only: None, label: Label::TRUSTED_PRIVATE, at: at(0) };
    let write = move |tx: &mut Tx| session_files::write(tx, &stranger, file, change);
    assert_eq!(world.store.write(write).await.unwrap_err(), Error::NotFound);
    let (user, session) = (world.user, world.session);
    world.store.write(move |tx: &mut Tx| store::sessions::delete(tx, user, session)).await.unwrap();
    assert_eq!(world.count("session_files").await, 0, "they go with their session");
}

pub async fn files_cannot_be_moved_behind_their_owners_back(world: World) {
    world.put("/one", b"one").await.unwrap().unwrap();
    world.put("/two", b"two").await.unwrap().unwrap();
    let swap = "UPDATE session_files SET content = (SELECT f.content FROM session_files f WHERE f.path_index <> \
                session_files.path_index)";
    world.tamper(swap, vec![]).await;
    let refused = world.content("/one").await.unwrap_err();
    assert_eq!(refused, Error::Crypto { table: "session_files", column: "content" });
    world.tamper("UPDATE session_files SET size = 0", vec![]).await;
    let refused = world.names("/").await.unwrap_err();
    assert_eq!(refused, Error::Crypto { table: "session_files", column: "head" });
}

pub async fn a_copy_is_sealed_for_its_own_session(world: World) {
    world.put("/a/one", b"one").await.unwrap().unwrap();
    world.put_as("/two", b"two", Some(true), at(3)).await.unwrap().unwrap();
    let fork = new_session(&world.agent, None);
    let (from, to, key) = (world.session, fork.id, world.key.clone());
    let copy = move |tx: &mut Tx| {
        store::sessions::create(tx, &key, &fork)?;
        let copied = Copied::read(tx, &key, from, to)?;
        session_files::insert_copies(tx, &key, copied)
    };
    world.store.write(copy).await.unwrap();
    assert_eq!(world.bytes(&world.key, to, "/a/one").await.unwrap().unwrap(), b"one");
    let key = world.key.clone();
    let all = move |tx: &mut Tx| Ok((session_files::all(tx, &key, from)?, session_files::all(tx, &key, to)?));
    let (own, copies) = world.store.read(all).await.unwrap();
    assert_eq!(own, copies, "times and read-only too");
    world.put("/a/one", b"changed").await.unwrap().unwrap();
    assert_eq!(world.bytes(&world.key, to, "/a/one").await.unwrap().unwrap(), b"one");
    let same = "SELECT COUNT(*) FROM session_files a JOIN session_files b \
                ON a.path_index = b.path_index AND a.session_id <> b.session_id";
    let same: u64 = world.store.read(move |tx: &mut Tx| tx.one(same, args![])).await.unwrap();
    assert_eq!(same, 0, "nobody sees that two sessions have the same paths");
}

impl World {
    /// Everything at once, as a run of a program leaves it.
    async fn apply(
        &self,
        written: &[(&str, &[u8])],
        deleted: &[&str],
    ) -> std::result::Result<session_files::Applied, String> {
        let (key, session) = (self.key.clone(), self.session);
        let prepare =
            |(text, content): &(&str, &[u8])| Prepared::new(&key, session, path(text), content).unwrap();
        let written: Vec<Prepared> = written.iter().map(prepare).collect();
        let deleted: Vec<FilePath> = deleted.iter().map(|text| path(text)).collect();
        let since = self.versions().await;
        self.leave(Leavings { written, deleted, since }).await
    }

    /// As the files are now.
    async fn versions(&self) -> session_files::Versions {
        let (key, session) = (self.key.clone(), self.session);
        let read = move |tx: &mut Tx| session_files::all_with_versions(tx, &key, session);
        self.store.read(read).await.unwrap().1
    }

    async fn leave(&self, leavings: Leavings) -> std::result::Result<session_files::Applied, String> {
        let (key, session) = (self.key.clone(), self.session);
        let change = Change { limits: LIMITS, read_only: None, label: Label::UNTRUSTED_PUBLIC, at: at(1) };
        let apply = move |tx: &mut Tx| session_files::apply(tx, &key, session, &leavings, change);
        self.store.write(apply).await.unwrap()
    }
}

pub async fn what_a_run_left_is_written_whole_or_not_at_all(world: World) {
    world.put("/a/old", b"old").await.unwrap().unwrap();
    world.put("/dir/below", b"x").await.unwrap().unwrap();
    world.put_as("/law", b"law", Some(true), at(0)).await.unwrap().unwrap();
    let applied = world
        .apply(
            &[("/a/new", b"new"), ("/law", b"changed"), ("/dir", b"a file")],
            &["/a/old", "/dir/below", "/none"],
        )
        .await
        .unwrap();
    assert_eq!(
        (applied.written, applied.deleted),
        (vec![path("/a/new"), path("/dir")], vec![path("/a/old"), path("/dir/below")])
    );
    assert_eq!(applied.read_only, [path("/law")]);
    assert_eq!(world.names("/").await.unwrap().unwrap(), ["a", "dir", "law"]);
    assert_eq!(world.content("/dir").await.unwrap().unwrap(), b"a file");
    assert_eq!(world.content("/law").await.unwrap().unwrap(), b"law");
    let large = [b'x'; 90];
    for (written, named) in [
        (vec![("/a/new", &b"other"[..]), ("/big", &[b'x'; 101][..])], "/big"),
        (vec![("/a/new", b"other"), ("/b1", &large), ("/b2", &large), ("/b3", &large)], "/b3"),
        (vec![("/a/new", b"other"), ("/1/2/3/4/5/6", b"x")], "/1/2/3/4/5/6"),
        (vec![("/dir/under", b"x")], "/dir"),
    ] {
        let refused = world.apply(&written, &[]).await.unwrap_err();
        assert!(refused.contains(named), "{refused}");
        assert_eq!(world.content("/a/new").await.unwrap().unwrap(), b"new", "nothing of it happened");
    }
    let applied = world.apply(&[("/dir/under", b"x")], &["/dir"]).await.unwrap();
    assert_eq!(applied.written, [path("/dir/under")], "a folder in the place of a file");
}

/// Between the beginning of a run and its end somebody writes, makes and keeps what it changes, too.
pub async fn what_somebody_wrote_meanwhile_stays(world: World) {
    for name in ["/both.txt", "/gone", "/same"] {
        world.put(name, b"old").await.unwrap().unwrap();
    }
    let since = world.versions().await;
    for (name, words) in
        [("/both.txt", b"hers"), ("/gone", b"hers"), ("/new", b"hers"), ("/both (from run).txt", b"hers")]
    {
        world.put(name, words).await.unwrap().unwrap();
    }
    // The same words at the same moment are another writing of it, all the same.
    world.put("/same", b"old").await.unwrap().unwrap();
    let prepare = |name: &str| Prepared::new(&world.key, world.session, path(name), b"its").unwrap();
    let written = ["/both.txt", "/new", "/same"].map(prepare).into();
    let applied = world.leave(Leavings { written, deleted: vec![path("/gone")], since }).await.unwrap();
    let moved = |from: &str, to: &str| (path(from), path(to));
    assert_eq!(
        applied.moved,
        [
            moved("/both.txt", "/both (from run 2).txt"),
            moved("/new", "/new (from run)"),
            moved("/same", "/same (from run)")
        ]
    );
    assert_eq!((applied.left, applied.deleted), (vec![path("/gone")], vec![]));
    for (name, words) in [("/both.txt", b"hers"), ("/gone", b"hers"), ("/new", b"hers")] {
        assert_eq!(world.content(name).await.unwrap().unwrap(), words, "{name} is hers");
    }
    for name in ["/both (from run 2).txt", "/new (from run)", "/same (from run)"] {
        assert_eq!(world.content(name).await.unwrap().unwrap(), b"its", "{name}");
    }
    // The control: who begins after her writes over it.
    let applied = world.apply(&[("/both.txt", b"its")], &["/gone"]).await.unwrap();
    assert_eq!((applied.moved, applied.deleted), (vec![], vec![path("/gone")]));
    assert_eq!(world.content("/both.txt").await.unwrap().unwrap(), b"its");
}
