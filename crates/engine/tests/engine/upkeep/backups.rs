//! Backups that the server makes daily, and those that an admin asks for.

use crate::world::{PATIENCE, World};
use engine::{Backup, BackupStatus, Error};
use std::{path::Path, time::Duration};

const EVERY: Duration = Duration::from_millis(100);
const HOUR: i64 = 3_600_000;

async fn world(folder: &Path, every: Option<Duration>) -> World {
    let folder = folder.to_owned();
    World::with(move |setup| {
        setup.settings.backups = engine::BackupSettings { folder: Some(folder), every, thin_out: true };
    })
    .await
}

/// Looks until there are so many that are whole.
async fn until(world: &World, count: usize) -> Vec<Backup> {
    let look = async {
        loop {
            let found = world.house.engine.backups().await.unwrap();
            let whole: Vec<Backup> =
                found.into_iter().filter(|backup| backup.status == BackupStatus::Verified).collect();
            if whole.len() >= count {
                return whole;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, look).await.expect("no backup is made")
}

#[tokio::test(flavor = "multi_thread")]
async fn they_come_by_themselves_and_are_thinned_out() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(folder.path(), Some(EVERY)).await;
    assert_eq!(world.house.engine.backups().await.unwrap(), [], "it is not time yet");
    for count in 1..=3 {
        world.clock.advance(HOUR);
        let found = until(&world, count).await;
        assert_eq!(found[0].kind.as_deref(), Some("sqlite"));
        assert!(found[0].rows > 0 && found[0].bytes > 0);
    }
    // Somebody has long had more than are kept; 24 and the first of the day stay.
    for minute in 0..40 {
        let name = format!("majordomo-20261101T00{minute:02}00000Z.backup");
        std::fs::write(folder.path().join(name), "old").unwrap();
    }
    world.clock.advance(HOUR);
    let look = async {
        // 4 of today and 20 more are the newest; one more is the first of its day.
        while std::fs::read_dir(folder.path()).unwrap().count() != 25 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, look).await.expect("old backups stay");
    assert!(folder.path().join("majordomo-20261101T000000000Z.backup").exists());
}

/// A crash in the middle of a backup leaves files as large as the database.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_crash_left_of_a_backup_goes_at_the_start_and_before_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let (left, others) = ("majordomo-20261101T000000000Z.backup.partial", "holiday.backup.partial");
    let leave = || std::fs::write(folder.path().join(left), "half").unwrap();
    let is_there = |name: &str| folder.path().join(name).exists();
    std::fs::write(folder.path().join(others), "half").unwrap();
    leave();
    let mut world = world(folder.path(), None).await;
    assert!(!is_there(left), "at the first start");
    leave();
    world.restart().await;
    assert!(!is_there(left), "at each start");
    leave();
    world.house.engine.make_backup(None).await.unwrap();
    assert!(!is_there(left), "before the next backup");
    assert!(is_there(others), "what is not called as ours are is not touched");
}

#[tokio::test(flavor = "multi_thread")]
async fn never_means_never() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(folder.path(), None).await;
    world.clock.advance(1_000 * HOUR);
    let made = world.house.engine.make_backup(None).await.unwrap();
    assert_eq!(made.status, BackupStatus::Verified);
    assert_eq!(world.house.engine.backups().await.unwrap(), [made], "only the one that was asked for");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_at_a_time_and_never_over_another() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(folder.path(), None).await;
    let engine = &world.house.engine;
    let (one, other) = tokio::join!(engine.make_backup(None), engine.make_backup(None));
    let refused = one.and(other).unwrap_err();
    assert!(matches!(refused, Error::Conflict { code: "backup_running" | "backup_failed", .. }), "{refused}");
    assert_eq!(engine.backups().await.unwrap().len(), 1);
    let relative = engine.make_backup(Some("here".into())).await.unwrap_err();
    assert!(matches!(relative, Error::Invalid { code: "bad_path", .. }), "{relative}");
    let nowhere = engine.make_backup(Some("/nowhere/at/all".into())).await.unwrap_err();
    assert!(matches!(nowhere, Error::Conflict { code: "backup_failed", .. }), "{nowhere}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_one_is_listed_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(folder.path(), None).await;
    std::fs::write(folder.path().join("majordomo-20261101T000000000Z.backup"), "not one").unwrap();
    let found = world.house.engine.backups().await.unwrap();
    assert_eq!(found[0].status, BackupStatus::Damaged);
    assert!(found[0].problem.as_ref().unwrap().contains("damaged"), "{found:?}");
}
