//! The loop of all background jobs, with jobs that count.

use super::*;
use crate::{Parts, Settings, background_job::JobTerms, wake_ups::WakeUp};
use async_trait::async_trait;
use capability::{Registry, SystemClock};
use domain::NodeId;
use provider::{Models, ModelsSettings};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use store::{MasterKey, Store};
use tempfile::TempDir;
use tokio::task::JoinHandle;

const PATIENCE: Duration = Duration::from_secs(60);

/// One that runs no job which could take the wake-up of a test.
async fn engine() -> (Engine, TempDir) {
    let mut settings = Settings::default();
    settings.turn.takes_up = false;
    let folder = TempDir::new().unwrap();
    let url = format!("sqlite:{}", folder.path().join("test.db").display());
    let parts = Parts {
        store: Store::open(&url, MasterKey::from_bytes([7; 32])).await.unwrap(),
        models: Models::new(ModelsSettings::default()),
        registry: Registry::builtin().unwrap(),
        clock: Arc::new(SystemClock),
        node: NodeId::from_uuid(uuid::Uuid::from_u128(1)).into(),
        settings,
    };
    (Engine::start(parts).await.unwrap(), folder)
}

#[derive(Default)]
struct Count {
    runs: AtomicUsize,
    ran: Notify,
}

impl Count {
    async fn reaches(&self, runs: usize) {
        let reached = async {
            while self.runs.load(Ordering::SeqCst) < runs {
                self.ran.notified().await;
            }
        };
        assert!(tokio::time::timeout(PATIENCE, reached).await.is_ok(), "it does not run {runs} times");
    }
}

/// Does as `deed` says of its nth run.
struct Job {
    count: Arc<Count>,
    terms: JobTerms,
    next: NextRun,
    deed: fn(usize) -> Result<()>,
}

#[async_trait]
impl BackgroundJob for Job {
    fn name(&self) -> &'static str {
        "counting"
    }

    fn terms(&self) -> JobTerms {
        self.terms
    }

    async fn run(&self, _: &Engine) -> Result<()> {
        let nth = self.count.runs.fetch_add(1, Ordering::SeqCst) + 1;
        self.count.ran.notify_one();
        (self.deed)(nth)
    }

    async fn next_run(&self, _: &Engine) -> NextRun {
        self.next
    }
}

fn begin(
    engine: &Engine,
    terms: JobTerms,
    next: NextRun,
    deed: fn(usize) -> Result<()>,
) -> (Arc<Count>, JoinHandle<()>) {
    let count = Arc::new(Count::default());
    let job = Box::new(Job { count: count.clone(), terms, next, deed });
    (count, engine.state::<Jobs>().0.spawn(repeat(engine.clone(), job)))
}

#[tokio::test]
async fn a_run_that_panics_does_not_end_the_job() {
    let (engine, _folder) = engine().await;
    let every = NextRun::Every(Duration::from_millis(1));
    let (count, _) = begin(&engine, JobTerms::default(), every, |nth| {
        assert!(nth != 1, "a mistake");
        Ok(())
    });
    count.reaches(3).await;
    engine.shutdown(Duration::ZERO).await;
}

#[tokio::test]
async fn a_first_run_that_the_database_cannot_do_is_tried_again_soon() {
    let (engine, _folder) = engine().await;
    let terms = JobTerms { insists_at_start: true, ..JobTerms::default() };
    let (count, _) = begin(&engine, terms, NextRun::In(10 * PATIENCE), |nth| match nth {
        1 | 2 => Err(Error::Store(store::Error::Busy)),
        _ => Ok(()),
    });
    count.reaches(3).await;
    engine.shutdown(Duration::ZERO).await;
    assert_eq!(count.runs.load(Ordering::SeqCst), 3, "what succeeded waits until it is due");
}

#[tokio::test]
async fn a_job_that_waits_is_woken() {
    let (engine, _folder) = engine().await;
    let terms = JobTerms { woken_by: Some(WakeUp::Expires), ..JobTerms::default() };
    let (count, _) = begin(&engine, terms, NextRun::WhenWoken, |_| Ok(()));
    count.reaches(1).await;
    engine.wake(WakeUp::Expires);
    count.reaches(2).await;
    engine.shutdown(Duration::ZERO).await;
}

#[tokio::test]
async fn jobs_end_with_the_draining_or_with_the_halt_and_are_waited_for() {
    let (engine, _folder) = engine().await;
    let every = NextRun::Every(Duration::from_millis(1));
    let (_, ends) = begin(&engine, JobTerms::default(), every, |_| Ok(()));
    let terms = JobTerms { until_halt: true, ..JobTerms::default() };
    let (count, stays) = begin(&engine, terms, every, |_| Ok(()));
    engine.inner.draining.cancel();
    assert!(tokio::time::timeout(PATIENCE, ends).await.is_ok(), "it does not end with the draining");
    let so_far = count.runs.load(Ordering::SeqCst);
    count.reaches(so_far + 2).await;
    engine.shutdown(Duration::ZERO).await;
    assert!(stays.is_finished(), "the shutdown does not wait for it");
}
