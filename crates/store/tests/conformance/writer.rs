//! What only the writer thread of SQLite can do wrong.

use crate::world::World;
use std::{
    future::{Future, poll_fn},
    pin::Pin,
    sync::mpsc,
    task::Poll,
};
use store::{Conflict, Error, Result, Store, Tx, args};

const NOTE: &str = "INSERT INTO meta (name, value) VALUES ($1, $2)";

type Waiting<T> = Pin<Box<dyn Future<Output = Result<T>> + Send>>;

/// Hands a job to the writer and comes back as soon as it is queued.
async fn queued<T: Send + 'static>(job: impl Future<Output = Result<T>> + Send + 'static) -> Waiting<T> {
    let mut job: Waiting<T> = Box::pin(job);
    let first = poll_fn(|context| Poll::Ready(job.as_mut().poll(context).is_pending())).await;
    assert!(first, "the job was answered before it could have been done");
    job
}

/// Keeps the writer busy until it is told to go on, so that what comes after shares its batch.
async fn hold(store: &Store) -> (mpsc::Sender<()>, Waiting<u64>) {
    let (go, wait) = mpsc::channel::<()>();
    let store = store.clone();
    let job = async move {
        store
            .write(move |tx: &mut Tx| {
                wait.recv().map_err(|_| Error::Closed)?;
                tx.run(NOTE, args!["held", vec![0_u8]])
            })
            .await
    };
    (go, queued(job).await)
}

async fn note(store: &Store, name: &'static str) -> Waiting<u64> {
    let store = store.clone();
    queued(async move { store.write(move |tx: &mut Tx| tx.run(NOTE, args![name, vec![0_u8]])).await }).await
}

#[tokio::test]
async fn queued_jobs_share_one_commit() {
    let world = World::on_sqlite().await;
    let before = world.store.counts().commits;
    let (go, held) = hold(&world.store).await;
    let names = ["a", "b", "c", "d"];
    let mut jobs = Vec::new();
    for name in names {
        jobs.push(note(&world.store, name).await);
    }
    go.send(()).unwrap();
    assert_eq!(held.await, Ok(1));
    for job in jobs {
        assert_eq!(job.await, Ok(1));
    }
    assert_eq!(world.store.counts().commits - before, 1);
}

#[tokio::test]
async fn a_failing_job_undoes_only_itself() {
    let world = World::on_sqlite().await;
    let (go, held) = hold(&world.store).await;
    let good = note(&world.store, "good").await;
    let store = world.store.clone();
    let bad = queued(async move {
        store
            .write(|tx: &mut Tx| -> Result<()> {
                tx.run(NOTE, args!["bad", vec![0_u8]])?;
                Err(Error::Fenced)
            })
            .await
    })
    .await;
    let store = world.store.clone();
    let panics = queued(async move {
        store
            .write(|tx: &mut Tx| -> Result<()> {
                tx.run(NOTE, args!["panics", vec![0_u8]])?;
                panic!("on purpose")
            })
            .await
    })
    .await;
    let doubled = note(&world.store, "good").await;
    let last = note(&world.store, "last").await;
    go.send(()).unwrap();
    assert_eq!((held.await, good.await, last.await), (Ok(1), Ok(1), Ok(1)));
    assert_eq!((bad.await, panics.await), (Err(Error::Fenced), Err(Error::Panicked)));
    assert!(matches!(doubled.await, Err(Error::Conflict(_))));
    assert_eq!(world.count("meta WHERE name IN ('held', 'good', 'last')").await, 3);
    assert_eq!(world.count("meta WHERE name IN ('bad', 'panics')").await, 0);
}

/// A reference that is checked at COMMIT only: the way to make COMMIT itself fail.
async fn deferred(world: &World) {
    let table = "CREATE TABLE late (id TEXT REFERENCES users (id) DEFERRABLE INITIALLY DEFERRED)";
    let make = move |tx: &mut Tx| tx.run(table, vec![]);
    world.store.write(make).await.unwrap();
}

#[tokio::test]
async fn a_commit_that_fails_answers_every_job() {
    let world = World::on_sqlite().await;
    deferred(&world).await;
    let before = world.store.counts().commits;
    let (go, held) = hold(&world.store).await;
    let good = note(&world.store, "good").await;
    let store = world.store.clone();
    let dangling = |tx: &mut Tx| tx.run("INSERT INTO late (id) VALUES ('nobody')", vec![]);
    let dangling = queued(async move { store.write(dangling).await }).await;
    go.send(()).unwrap();
    for outcome in [held.await, good.await, dangling.await] {
        assert!(matches!(outcome, Err(Error::Constraint(_))), "{outcome:?}");
    }
    assert_eq!(world.store.counts().commits, before);
    assert_eq!(world.count("meta WHERE name IN ('held', 'good')").await, 0);
    assert_eq!(note(&world.store, "good").await.await, Ok(1), "the writer goes on");
}

#[tokio::test]
async fn a_batch_whose_transaction_is_lost_answers_every_job() {
    let world = World::on_sqlite().await;
    let (go, held) = hold(&world.store).await;
    let store = world.store.clone();
    // The statement fails, and SQLite itself ends the outer transaction, as it does on a full disk.
    let lost = |tx: &mut Tx| {
        let sql = "INSERT OR ROLLBACK INTO meta (name, value) VALUES ('held', $1)";
        tx.run(sql, args![vec![1_u8]]).map_err(|_| Error::Fenced)
    };
    let lost = queued(async move { store.write(lost).await }).await;
    let after = note(&world.store, "after").await;
    go.send(()).unwrap();
    // Whatever one of them makes of it: what the database could not do is the reason for all.
    for outcome in [held.await, lost.await] {
        assert!(matches!(outcome, Err(Error::Conflict(Conflict::SameKey(_)))), "{outcome:?}");
    }
    assert_eq!(after.await, Ok(1), "what had not begun is done in the next batch");
    assert_eq!(world.count("meta WHERE name = 'held'").await, 0);
}

#[tokio::test]
async fn a_job_that_ends_the_transaction_itself_loses_the_batch() {
    let world = World::on_sqlite().await;
    let (go, held) = hold(&world.store).await;
    let store = world.store.clone();
    let lost = |tx: &mut Tx| -> Result<()> {
        tx.run("ROLLBACK", vec![])?;
        Err(Error::Fenced)
    };
    let lost = queued(async move { store.write(lost).await }).await;
    let after = note(&world.store, "after").await;
    go.send(()).unwrap();
    assert!(matches!(held.await, Err(Error::Database(_))));
    assert!(matches!(lost.await, Err(Error::Database(_))));
    assert_eq!(after.await, Ok(1), "what had not begun is done in the next batch");
    assert_eq!(world.count("meta WHERE name = 'held'").await, 0);
}

#[tokio::test]
async fn a_caller_that_goes_away_does_not_undo_its_job() {
    let world = World::on_sqlite().await;
    let (go, held) = hold(&world.store).await;
    drop(note(&world.store, "left alone").await);
    go.send(()).unwrap();
    held.await.unwrap();
    assert_eq!(world.count("meta WHERE name = 'left alone'").await, 1);
}

#[tokio::test]
async fn closing_finishes_what_is_queued() {
    let world = World::on_sqlite().await;
    let (go, held) = hold(&world.store).await;
    let job = note(&world.store, "in time").await;
    let store = world.store.clone();
    let closing = tokio::spawn(async move { store.close().await });
    go.send(()).unwrap();
    closing.await.unwrap();
    assert_eq!((held.await, job.await), (Ok(1), Ok(1)));
    let reopened = Store::open(&world.url, world.master.clone()).await.unwrap();
    let count = |tx: &mut Tx| tx.one::<u64>("SELECT COUNT(*) FROM meta WHERE name = 'in time'", vec![]);
    assert_eq!(reopened.read(count).await, Ok(1));
}

#[tokio::test]
async fn readers_do_not_wait_for_the_writer() {
    let world = World::on_sqlite().await;
    let (go, held) = hold(&world.store).await;
    assert_eq!(world.count("meta WHERE name = 'held'").await, 0, "not committed, not seen");
    go.send(()).unwrap();
    held.await.unwrap();
    assert_eq!(world.count("meta WHERE name = 'held'").await, 1);
}

/// A refusal may rest on what another job of the batch wrote, so it waits for the COMMIT like a success.
#[tokio::test]
async fn a_refusal_is_told_after_the_commit_it_rests_on() {
    let world = World::on_sqlite().await;
    let (go, held) = hold(&world.store).await;
    let first = note(&world.store, "twice").await;
    let mut second = note(&world.store, "twice").await;
    let (began, begun) = tokio::sync::oneshot::channel::<()>();
    let (release, released) = mpsc::channel::<()>();
    let store = world.store.clone();
    let last = queued(async move {
        store
            .write(move |_: &mut Tx| {
                let _ = began.send(());
                released.recv().map_err(|_| Error::Closed)
            })
            .await
    })
    .await;
    go.send(()).unwrap();
    begun.await.unwrap();
    // The second has been refused by now, inside a batch that is still open.
    let early = poll_fn(|context| Poll::Ready(second.as_mut().poll(context).is_ready())).await;
    assert!(!early, "refused because of a row that nobody can see yet");
    release.send(()).unwrap();
    assert!(matches!(second.await, Err(Error::Conflict(_))));
    let count = "SELECT COUNT(*) FROM meta WHERE name = 'twice'";
    let seen: i64 = world.store.read(move |tx: &mut Tx| tx.one(count, args![])).await.unwrap();
    assert_eq!(seen, 1);
    assert_eq!((held.await, first.await, last.await), (Ok(1), Ok(1), Ok(())));
}

/// A large write makes the log of the database large. Once it was written back, the disk has that room again.
#[tokio::test]
async fn what_a_large_write_took_for_the_log_is_given_back() {
    let world = World::on_sqlite().await;
    let folder = world.folder.as_ref().unwrap().path().to_owned();
    let log = || {
        let files = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap());
        let log = files.filter(|file| file.file_name().to_string_lossy().ends_with("-wal"));
        log.map(|file| file.metadata().unwrap().len()).sum::<u64>()
    };
    let large = |tx: &mut Tx| tx.run(NOTE, args!["large", vec![7_u8; 24 << 20]]);
    world.store.write(large).await.unwrap();
    assert!(log() > 24 << 20, "{}", log());
    for name in ["a", "b", "c"] {
        assert_eq!(note(&world.store, name).await.await, Ok(1));
    }
    assert!(log() <= 6 << 20, "{}", log());
}
