use super::*;
use crate::{
    Error, Health, Tx,
    database::{Database, migrate},
};

const SIZE: u64 = 8 << 20;

/// Its length, and whether it takes room.
fn found(file: &Path) -> (u64, bool) {
    let found = fs::metadata(file).unwrap();
    (found.len(), found.blocks() > 0)
}

#[test]
fn it_takes_room_until_it_is_let_go_and_comes_back_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let mut reserve = Reserve::of(&folder.path().join("m.db"));
    reserve.look = |_| Some(SIZE * 8);
    assert!(reserve.is_there(), "where nothing is to be kept back, nothing is missing");
    reserve.keep(SIZE);
    let file = folder.path().join("m.db.reserve");
    assert_eq!(found(&file), (SIZE, true));
    reserve.let_go();
    assert_eq!(found(&file), (SIZE, false));
    assert!(reserve.is_there(), "there is room again");
    assert_eq!(found(&file), (SIZE, true));
}

/// What was let go is room that the disk now says it has: that is no reason to begin anything.
#[test]
fn what_was_let_go_does_not_count_as_room() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("m.db");
    let mut reserve = Reserve::of(&database);
    reserve.look = |_| Some(SIZE * 8);
    reserve.keep(SIZE);
    reserve.let_go();
    reserve.look = |_| Some(SIZE * 2 - 1);
    assert!(!reserve.is_there());
    // After a restart, too.
    let mut reserve = Reserve::of(&database);
    reserve.look = |_| Some(SIZE * 2 - 1);
    reserve.keep(SIZE);
    assert!(!reserve.is_there());
    reserve.look = |_| Some(SIZE * 2);
    assert!(reserve.is_there(), "the control");
    assert_eq!(found(&folder.path().join("m.db.reserve")), (SIZE, true));
}

/// Whether it was held or let go: a length that is left over would refuse work when something is kept back again.
#[test]
fn nothing_is_left_where_nothing_is_to_be_kept_back() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.db.reserve");
    for is_let_go in [false, true] {
        let mut reserve = Reserve::of(&folder.path().join("m.db"));
        reserve.look = |_| Some(SIZE * 8);
        reserve.keep(SIZE);
        assert_eq!(found(&file), (SIZE, true));
        if is_let_go {
            reserve.let_go();
        }
        let reserve = Reserve::of(&folder.path().join("m.db"));
        reserve.keep(0);
        assert!(!file.exists() && reserve.is_there());
        // The second time there is nothing to remove.
        reserve.keep(0);
        assert!(reserve.is_there());
    }
}

#[test]
fn more_than_the_disk_has_is_not_taken() {
    let folder = tempfile::tempdir().unwrap();
    let mut reserve = Reserve::of(&folder.path().join("m.db"));
    reserve.look = |_| Some(SIZE * 8);
    reserve.keep(u64::MAX);
    assert_eq!(found(&folder.path().join("m.db.reserve")).0, SIZE);
}

/// Ready again only when the reserve is there again, whatever is written with what was let go.
#[tokio::test]
async fn a_database_is_full_until_its_reserve_is_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    let mut database = Database::open(&format!("sqlite:{}", path.display())).await.unwrap();
    database.reserve().unwrap().look = |_| Some(SIZE * 8);
    database.keep_room(SIZE);
    let tables = |tx: &mut Tx| {
        migrate::begin(tx)?;
        tx.script("CREATE TABLE words (word TEXT)")
    };
    database.write(tables).await.unwrap();
    assert_eq!(database.health().await, Health::Good);
    let most = |tx: &mut Tx| tx.one::<u64>("PRAGMA max_page_count = 1", vec![]);
    database.write(most).await.unwrap();
    let much = |tx: &mut Tx| tx.run("INSERT INTO words VALUES (zeroblob(100000))", vec![]);
    database.reserve().unwrap().look = |_| Some(SIZE + TIGHT);
    assert!(matches!(database.write(much).await, Err(Error::Full(_))));
    assert_eq!(database.health().await, Health::Full);
    // What has begun is ended, which needs little.
    let little = |tx: &mut Tx| tx.run("INSERT INTO words VALUES ('end')", vec![]);
    database.write(little).await.unwrap();
    assert_eq!((database.health().await, database.has_room()), (Health::Full, false));
    database.reserve().unwrap().look = |_| Some(SIZE * 2);
    assert_eq!((database.health().await, database.has_room()), (Health::Good, true));
    assert_eq!(found(&folder.path().join("m.db.reserve")), (SIZE, true));
    database.close().await;
}

#[test]
fn a_file_that_cannot_be_made_refuses_no_work() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("m.db.reserve")).unwrap();
    let mut reserve = Reserve::of(&folder.path().join("m.db"));
    reserve.look = |_| Some(SIZE * 8);
    reserve.keep(SIZE);
    assert!(reserve.is_there());
}

#[test]
fn where_room_cannot_be_asked_for_it_is_taken_by_writing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db.reserve");
    fill(&fs::File::create(&path).unwrap(), SIZE).unwrap();
    assert_eq!(found(&path), (SIZE, true));
}
