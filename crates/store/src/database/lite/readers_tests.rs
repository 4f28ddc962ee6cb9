use super::*;
use crate::{args, database::job::erased};
use std::sync::Barrier;

fn file() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    drop(super::super::open_writer(&path).unwrap());
    (folder, path)
}

fn job<T: Send + 'static>(look: impl FnOnce(&mut Tx) -> T + Send + 'static) -> Job {
    erased(move |tx| Ok::<T, Error>(look(tx)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_is_opened_when_all_others_are_at_work() {
    let (_folder, path) = file();
    let readers = Readers::open(&path, 4, &Arc::default()).unwrap();
    let idle = || readers.pool.idle().len();
    assert_eq!(idle(), 1);
    for _ in 0..3 {
        assert!(readers.read(job(|_| ())).await.is_ok());
        assert!(readers.glance(job(|_| ())).await.is_ok());
    }
    assert_eq!(idle(), 1, "one after the other need no more");
    let meet = Arc::new(Barrier::new(3));
    let waits = |meet: Arc<Barrier>| {
        job(move |_| {
            meet.wait();
        })
    };
    let together = [(); 3].map(|()| readers.read(waits(meet.clone())));
    assert!(futures_util::future::join_all(together).await.iter().all(Result::is_ok));
    assert_eq!(idle(), 3);
    readers.close(4).await;
    assert_eq!(idle(), 0);
    assert!(readers.read(job(|_| ())).await.is_err(), "closed");
}

#[tokio::test]
async fn reads_that_another_thread_does_are_counted_and_a_reader_keeps_few_pages() {
    let (_folder, path) = file();
    let counters = Arc::<Counters>::default();
    let readers = Readers::open(&path, 4, &counters).unwrap();
    let pages = job(|tx: &mut Tx| tx.one::<i64>("PRAGMA cache_size", args![]).unwrap());
    let Ok(pages) = readers.glance(pages).await else { panic!("not read") };
    assert_eq!((*pages.downcast::<i64>().unwrap(), counters.read().handed_over), (-512, 0));
    assert!(readers.read(job(|_| ())).await.is_ok());
    assert_eq!(counters.read().handed_over, 1);
}

/// What SQLite is built without is in `.cargo/config.toml`.
#[tokio::test]
async fn the_library_checks_no_arguments_and_keeps_no_spare_pages() {
    let (_folder, path) = file();
    let connection = open_reader(&path).unwrap();
    let used = |option: &str| {
        connection
            .query_row("SELECT sqlite_compileoption_used(?1)", [option], |row| row.get::<_, bool>(0))
            .unwrap()
    };
    assert!(used("DEFAULT_PCACHE_INITSZ=0"));
    assert!(!used("ENABLE_API_ARMOR") && !used("ENABLE_COLUMN_METADATA"));
}
