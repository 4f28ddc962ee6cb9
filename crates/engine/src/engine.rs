//! The engine itself: what it is made of, how it starts and how it stops.

use crate::{
    agents::capability_sources::Registries,
    commands::CommandTools,
    errands::in_flight::Unstored,
    error::{Error, Result},
    files::session_files::FileLimits,
    follow::{feed::Feeds, hints::Hints},
    ids::Ids,
    people::{Passwords, SetupDesk, Throttle, Watches},
    ports::{outside::Outside, programs::Runs},
    recovery::{lease, sweep},
    sessions::search,
    summaries::compact::CompactionDesk,
    upkeep::{
        backups::{BackupDesk, BackupSettings},
        daily_backup,
    },
    waiting::expiry,
};
use capability::{Clock, Registry};
use domain::{NodeId, SessionId, Timestamp, TurnId};
use provider::Models;
use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use store::Store;
use tokio::sync::Notify;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use turn::Policy;

/// What can be set about the engine.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How long a turn stays ours without a sign of life.
    pub lease: Duration,
    pub policy: Policy,
    /// The limits of agents that set none.
    pub limits: domain::Limits,
    /// What each person may spend of whom no admin has said it.
    pub budget: domain::Budget,
    /// Where the midnight is at which a day of every budget ends.
    pub budget_zone: String,
    /// A tool result longer than this is cut in its middle, in characters.
    pub result_chars: usize,
    /// Inputs that may wait in one session.
    pub queue: u64,
    /// Errands of agents for agents that one message may lead to, at whatever distance.
    pub errands: u64,
    /// What a password costs to check, in KiB of memory; three passes over it.
    pub password_memory: u32,
    /// How often live streams and long requests are asked whether who began them still may.
    pub recheck: Duration,
    /// How much one message of a model may hold, in bytes; past it the message ends with `length`.
    pub reply_bytes: usize,
    /// Take up the turns that a dead process left. A command that only lists or adds something leaves them to the server.
    pub takes_up: bool,
    /// How large one uploaded file may be, in bytes.
    pub upload_bytes: u64,
    /// What all files of one person may have together, in bytes.
    pub upload_quota: u64,
    /// What the files of one session may have.
    pub files: FileLimits,
    /// How long one piece of a search may take.
    pub search_time: Duration,
    /// What the house adds to every agent's prompt.
    pub custom_prompt: String,
    /// How long one hook may take.
    pub hook_time: Duration,
    /// How long a model may take for a summary.
    pub summary_time: Duration,
    /// How long a person may take to say yes; no answer by then is a no.
    pub approval_expiry: Duration,
    /// Ask the model for titles of sessions that nobody named.
    pub titles: bool,
    pub backups: BackupSettings,
    /// What is kept free on the disk of the database, so that what has begun can be ended when it is full; 0 for nothing.
    pub reserve_bytes: u64,
    /// The file of the master key; none when it comes from elsewhere and cannot be changed.
    pub key_file: Option<PathBuf>,
    /// What tools reach beyond the database.
    pub outside: Outside,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            lease: Duration::from_secs(15),
            policy: Policy::default(),
            limits: domain::Limits::default(),
            budget: domain::Budget::NONE,
            budget_zone: "UTC".to_owned(),
            result_chars: 16_000,
            queue: 100,
            errands: 200,
            password_memory: 64 * 1024,
            recheck: Duration::from_secs(2),
            reply_bytes: 4 << 20,
            takes_up: true,
            upload_bytes: 20 << 20,
            upload_quota: 1 << 30,
            files: FileLimits { file_bytes: 16 << 20, session_bytes: 64 << 20, entries: 10_000 },
            search_time: Duration::from_millis(500),
            custom_prompt: String::new(),
            hook_time: Duration::from_secs(2),
            summary_time: Duration::from_secs(120),
            approval_expiry: Duration::from_secs(24 * 3_600),
            titles: false,
            backups: BackupSettings::default(),
            reserve_bytes: 0,
            key_file: None,
            outside: Outside::default(),
        }
    }
}

/// What the engine is assembled from.
pub struct Parts {
    pub store: Store,
    pub models: Models,
    pub registry: Registry,
    pub clock: Arc<dyn Clock>,
    pub node: NodeId,
    pub settings: Settings,
}

/// Cheap to clone; all clones are the same engine.
#[derive(Clone)]
pub struct Engine {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) store: Store,
    pub(crate) models: Models,
    pub(crate) registry: Registry,
    /// With what single people have.
    pub(crate) registries: Registries,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Ids,
    pub(crate) node: NodeId,
    pub(crate) settings: Settings,
    pub(crate) feeds: Feeds,
    /// For those who follow everything a person has.
    pub(crate) hints: Hints,
    /// The turns that run here, or are about to.
    pub(crate) running: Mutex<HashMap<TurnId, Running>>,
    /// Tells one worker of a turn from the next.
    pub(crate) workers: AtomicU64,
    /// There is a question whose time will be over.
    pub(crate) question_clock: Notify,
    pub(crate) passwords: Passwords,
    pub(crate) throttle: Throttle,
    pub(crate) watches: Watches,
    pub(crate) setup: SetupDesk,
    pub(crate) tasks: TaskTracker,
    /// So that those who search leave readers for everybody else.
    pub(crate) searches: tokio::sync::Semaphore,
    /// What the house adds to every prompt, where it was set here.
    pub(crate) house_prompt: RwLock<Option<Arc<str>>>,
    pub(crate) backups: BackupDesk,
    pub(crate) compactions: CompactionDesk,
    pub(crate) unstored: Unstored,
    pub(crate) runs: Runs,
    /// One change of the master key at a time.
    pub(crate) key_change: tokio::sync::Mutex<()>,
    /// No new work.
    pub(crate) draining: CancellationToken,
    /// Leave everything as it is and go.
    pub(crate) halt: CancellationToken,
}

/// A turn that runs here.
pub(crate) struct Running {
    session: SessionId,
    worker: u64,
    stop: CancellationToken,
    answered: Arc<Notify>,
}

/// Says that a turn runs here, for as long as it is held: whoever runs the turn and dies of it lets go, and the turn is
/// found and taken up again.
pub(crate) struct Announced {
    engine: Engine,
    turn: TurnId,
    worker: u64,
    pub(crate) stop: CancellationToken,
    /// Somebody may have answered a question of the turn.
    pub(crate) answered: Arc<Notify>,
}

impl Drop for Announced {
    fn drop(&mut self) {
        let mut running = self.engine.running();
        // A turn that waited for a person may have its next worker already.
        if running.get(&self.turn).is_some_and(|running| running.worker == self.worker) {
            running.remove(&self.turn);
        }
    }
}

impl Engine {
    /// Starts the engine. When this returns, everything a dead process left behind is about to be worked on.
    pub async fn start(parts: Parts) -> Result<Self> {
        let Parts { store, models, registry, clock, node, settings } = parts;
        let registry = registry.with(Arc::new(CommandTools)).map_err(|error| {
            tracing::error!(%error, "the commands cannot be given to agents");
            Error::Internal
        })?;
        let inner = Inner {
            ids: Ids::new(clock.clone()),
            store,
            models,
            registry,
            registries: Registries::default(),
            clock,
            node,
            feeds: Feeds::default(),
            hints: Hints::default(),
            running: Mutex::new(HashMap::new()),
            workers: AtomicU64::new(0),
            question_clock: Notify::new(),
            passwords: Passwords::new(settings.password_memory),
            throttle: Throttle::default(),
            watches: Watches::default(),
            setup: SetupDesk::default(),
            tasks: TaskTracker::new(),
            searches: tokio::sync::Semaphore::new(search::SEARCHES),
            house_prompt: RwLock::default(),
            backups: BackupDesk::default(),
            compactions: CompactionDesk::default(),
            unstored: Unstored::default(),
            runs: Runs::default(),
            key_change: tokio::sync::Mutex::new(()),
            draining: CancellationToken::new(),
            halt: CancellationToken::new(),
            settings,
        };
        let engine = Self { inner: Arc::new(inner) };
        engine.resume_key_change().await?;
        engine.load_house().await?;
        if engine.inner.settings.takes_up {
            engine.store().keep_room(engine.inner.settings.reserve_bytes);
            engine.clear_drafts().await;
            sweep::spawn(&engine);
            daily_backup::spawn(&engine);
            expiry::spawn(&engine);
        }
        lease::spawn(&engine);
        engine.spawn_recheck();
        Ok(engine)
    }

    /// Takes no new work, gives running turns `grace` to end, then leaves the rest for the next start.
    pub async fn shutdown(&self, grace: Duration) {
        self.inner.draining.cancel();
        self.inner.tasks.close();
        if tokio::time::timeout(grace, self.inner.tasks.wait()).await.is_err() {
            tracing::info!("turns still running; they go on at the next start");
        }
        self.inner.halt.cancel();
        self.inner.tasks.wait().await;
        let node = self.inner.node;
        fail::fail_point!("release_before_commit");
        if let Err(error) = self.store().write(async move |tx| store::turns::release(tx, node).await).await {
            tracing::warn!(%error, "could not give up the leases; they expire by themselves");
        }
        fail::fail_point!("release_after_commit");
    }

    pub fn store(&self) -> &Store {
        &self.inner.store
    }

    pub fn models(&self) -> &Models {
        &self.inner.models
    }

    /// What everybody's agents can have.
    pub fn registry(&self) -> &Registry {
        &self.inner.registry
    }

    pub fn now(&self) -> Timestamp {
        self.inner.clock.now()
    }

    /// Is new work taken?
    pub fn is_draining(&self) -> bool {
        self.inner.draining.is_cancelled()
    }

    pub(crate) fn check_open(&self) -> Result<()> {
        if self.is_draining() { Err(Error::ShuttingDown) } else { Ok(()) }
    }

    /// As [`Engine::check_open`], for what brings new work: with a full disk only what has begun goes on.
    pub(crate) fn check_takes_work(&self) -> Result<()> {
        self.check_open()?;
        Ok(self.store().check_room()?)
    }

    /// Runs something in a task of its own, which the shutdown waits for: a client that hangs up does not stop between a
    /// commit and what follows from it.
    pub(crate) async fn undisturbed<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        self.inner.tasks.spawn(work).await.map_err(|_| Error::Internal)?
    }

    pub(crate) fn lease_until(&self) -> Timestamp {
        let lease = i64::try_from(self.inner.settings.lease.as_millis()).unwrap_or(i64::MAX);
        self.now().plus_millis(lease)
    }

    /// Announces that a turn runs here; the token stops it.
    pub(crate) fn announce(&self, turn: TurnId, session: SessionId) -> Announced {
        let (stop, answered) = (CancellationToken::new(), Arc::new(Notify::new()));
        let worker = self.inner.workers.fetch_add(1, Ordering::Relaxed);
        let running = Running { session, worker, stop: stop.clone(), answered: answered.clone() };
        self.running().insert(turn, running);
        Announced { engine: self.clone(), turn, worker, stop, answered }
    }

    /// Tells whoever works on a turn here to look for answers.
    pub(crate) fn signal_answer(&self, turn: TurnId) {
        if let Some(running) = self.running().get(&turn) {
            running.answered.notify_one();
        }
    }

    /// As [`Engine::signal_answer`], for every turn: somebody may have answered at another node.
    pub(crate) fn signal_answers(&self) {
        self.running().values().for_each(|running| running.answered.notify_one());
    }

    pub(crate) fn signal_stop(&self, turn: TurnId) {
        if let Some(running) = self.running().get(&turn) {
            running.stop.cancel();
        }
    }

    /// How many turns run here.
    pub fn running_turns(&self) -> usize {
        self.running().len()
    }

    /// How many turns wait, in all sessions of the house.
    pub async fn queued_turns(&self) -> Result<u64> {
        Ok(self.store().read(async |tx| store::turns::count_queued(tx).await).await?)
    }

    pub(crate) fn any_running(&self) -> bool {
        !self.running().is_empty()
    }

    /// Asked by session and not by turn: a turn hands over to the next one inside a transaction, while only the first
    /// of the two is announced.
    pub(crate) fn runs_session(&self, session: SessionId) -> bool {
        self.running().values().any(|running| running.session == session)
    }

    fn running(&self) -> MutexGuard<'_, HashMap<TurnId, Running>> {
        self.inner.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
