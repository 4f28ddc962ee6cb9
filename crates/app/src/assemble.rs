//! From a data directory to a running engine: key, store, models, capabilities, engine. Everything else is a client
//! that talks to it.

use crate::{
    audit_note,
    config::{Config, Database},
    context::Context,
    data::DataDirectory,
    error::{Error, Result, advised},
    house_clock::HouseClock,
    lock::{DatabaseLock, Lock},
    node_place, outside,
};
use capability::{Clock as _, Registry, SystemClock};
use engine::{Engine, Parts, Settings, StorageSettings};
use provider::{Models, ModelsSettings};
use secrecy::ExposeSecret as _;
use std::{
    fs,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use store::{KeyFiles, KeyRing, MasterKey, Store};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How long the start waits for the providers' lists. A turn that runs before they are known, for an agent that names
/// no model, would be answered by the demo model.
const DISCOVERY: Duration = Duration::from_secs(1);

/// Kept free on the disk of the database: some hundred ends of turns.
const RESERVE: u64 = 16 << 20;
/// With less than this free, a database that does not open lacks room.
const TIGHT: u64 = 1 << 20;

pub struct Assembled {
    pub engine: Engine,
    pub models: Models,
    data: DataDirectory,
    /// Asks the providers for their models; may still be running.
    discovery: JoinHandle<()>,
    _database: DatabaseLock,
}

/// The lock is asked for as a proof: no other process works on this directory.
///
/// Who stays takes up the turns that a dead process left; who only looks in leaves them.
pub async fn assemble(context: &Context, _lock: &Lock, stay: Stay) -> Result<Assembled> {
    let Context { config, data, extra, .. } = context;
    let database = DatabaseLock::take(config, data)?;
    let store = open_store(config, data, &database).await?;
    let models = Models::new(models_settings(config));
    if let Err(error) = engine::restore_models(&store, &models).await {
        store.close().await;
        return Err(engine_problem(error));
    }
    let mut discovery = tokio::spawn({
        let models = models.clone();
        async move { models.discover().await }
    });
    if config.defaults.model.is_none() {
        // Only the waiting ends here; the asking goes on.
        let _ = tokio::time::timeout(DISCOVERY, &mut discovery).await;
    }
    match start(context, store.clone(), models.clone(), &extra.capabilities, stay).await {
        Ok(engine) => {
            audit_note::renew(&store, data).await;
            Ok(Assembled { engine, models, data: data.clone(), discovery, _database: database })
        }
        Err(error) => {
            discovery.abort();
            store.close().await;
            Err(error)
        }
    }
}

async fn start(
    context: &Context,
    store: Store,
    models: Models,
    extra: &[Arc<dyn capability::Capability>],
    stay: Stay,
) -> Result<Engine> {
    let unusable = |error: capability::AssemblyError| {
        advised(
            format!("A capability cannot be used: {error}"),
            "This is a mistake in the program. Please report it.",
        )
    };
    let (outside, equipment) = outside::outside(context).await?;
    let registry = Registry::equipped(&equipment).map_err(unusable)?;
    let registry = extra.iter().cloned().try_fold(registry, Registry::with);
    let config = &context.config;
    let node = node_place::take(&store, &context.data, stay).await?;
    let parts = Parts {
        models,
        registry: registry.map_err(unusable)?,
        clock: Arc::new(HouseClock(store.clone())),
        store,
        node,
        settings: Settings {
            turn: config.limits.turn(stay == Stay::Long),
            budget: config.limits.budget(),
            files: config.limits.files(),
            approvals: config.limits.approvals(),
            schedules: config.schedules.settings(),
            prompt: config.defaults.prompt(),
            summaries: config.defaults.summaries(),
            backups: config.backup.settings(&context.data),
            storage: StorageSettings { reserve_bytes: RESERVE, key_file: key_file(context) },
            outside,
            ..Settings::default()
        },
    };
    Engine::start(parts).await.map_err(engine_problem)
}

fn engine_problem(error: engine::Error) -> Error {
    match error {
        engine::Error::Store(error) => store_problem(&error),
        other => advised(format!("The server does not start: {other}"), "Run `majordomo doctor`."),
    }
}

/// For how long this process does the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stay {
    /// For one command.
    Brief,
    Long,
}

/// How long a stop may take.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For running turns to end; the rest go on at the next start.
    pub turns: Duration,
    /// For those who read along to receive the end of what they read.
    pub last_words: Duration,
}

fn key_file(context: &Context) -> Option<PathBuf> {
    let store = &context.config.store;
    store.master_key.is_none().then(|| store.master_key_file(&context.data))
}

impl Assembled {
    /// Waits until every provider has been asked.
    pub async fn discovered(&mut self) {
        if !self.discovery.is_finished() {
            let _ = (&mut self.discovery).await;
        }
    }

    /// Lets running turns end, then closes the doors, then the store. In this order, because a door that
    /// closes first would cut off those who read the end of a reply.
    pub async fn stop<const N: usize>(
        self,
        patience: Patience,
        stop: &CancellationToken,
        doors: [JoinHandle<()>; N],
    ) {
        self.discovery.abort();
        self.engine.shutdown(patience.turns).await;
        tokio::time::sleep(patience.last_words).await;
        stop.cancel();
        for door in doors {
            if let Err(error) = door.await {
                tracing::error!(%error, "a task of the server failed");
            }
        }
        audit_note::renew(self.engine.store(), &self.data).await;
        self.engine.store().close().await;
    }
}

pub fn models_settings(config: &Config) -> ModelsSettings {
    ModelsSettings {
        providers: config.providers.list.clone(),
        default_model: config.defaults.model.as_ref().map(|model| model.value.clone()),
        probe_local: config.defaults.model.is_none(),
        stall: config.limits.model_silence.value,
    }
}

/// The lock is asked for as a proof: no other process works on this database.
pub async fn open_store(config: &Config, data: &DataDirectory, _lock: &DatabaseLock) -> Result<Store> {
    let key_file = config.store.master_key_file(data);
    let had_key = key_file.exists();
    let keys = keys(config, data)?;
    let url = database_url(config, data)?;
    let free = store::make_room(&url);
    before_migration(config, data, &url, free).await?;
    let opened = Store::open(&url, keys).await.map_err(|error| or_full(error, free));
    let is_new_key = config.store.master_key.is_none() && !had_key;
    if matches!(opened, Err(store::Error::WrongMasterKey)) && is_new_key {
        // Only PostgreSQL gets here: whether it is empty is seen once it is open. The new key has sealed nothing.
        let _ = fs::remove_file(&key_file);
        return Err(advised(
            format!("The master key {} is missing, but the database is not empty.", key_file.display()),
            "Put the key back. No backup contains it.",
        ));
    }
    opened.map_err(|error| store_problem(&error))
}

pub fn database_url(config: &Config, data: &DataDirectory) -> Result<String> {
    match config.store.database(data) {
        Database::Postgres(url) => Ok(url),
        Database::Sqlite(path) => Ok(format!("sqlite:{}", path.to_str().ok_or_else(|| not_text(&path))?)),
    }
}

/// Without room SQLite speaks of an error of the disk. `free`: how many bytes there are beside the database.
fn or_full(error: store::Error, free: Option<u64>) -> store::Error {
    match error {
        store::Error::Unavailable(detail) if free.is_some_and(|free| free < TIGHT) => {
            store::Error::Full(detail)
        }
        other => other,
    }
}

/// A database that has an owner is saved before its schema changes.
async fn before_migration(config: &Config, data: &DataDirectory, url: &str, free: Option<u64>) -> Result<()> {
    let found = store::inspect(url).await.map_err(|error| store_problem(&or_full(error, free)))?;
    found.check_known().map_err(|error| store_problem(&error))?;
    if found.is_empty || found.pending().is_empty() || !config.backup.before_migration.value {
        return Ok(());
    }
    let now = SystemClock.now();
    let folder = config.backup.folder(data);
    let name = format!("before-version-{}-{}.backup", store::schema_version(), now.as_millis());
    let made = match fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder) {
        Ok(()) => store::backup::make_of(url, &folder.join(name), now, &Arc::default()).await,
        Err(error) => Err(store::Error::Backup(format!("{} cannot be created: {error}", folder.display()))),
    };
    made.map(drop).map_err(|error| {
        advised(
            format!("The database must be upgraded, but the backup before that failed: {error}"),
            "Free some space in the backup folder, or set backup.before_migration = false if you have a backup of your own.",
        )
    })
}

/// Every master key at hand; for a fresh database a new one is made.
fn keys(config: &Config, data: &DataDirectory) -> Result<KeyRing> {
    let (database, key_file) = (config.store.database(data), config.store.master_key_file(data));
    let current = master_key(config, &database, &key_file)?;
    if config.store.master_key.is_some() {
        return Ok(KeyRing::from(current));
    }
    KeyFiles::new(key_file).load().map_err(|error| store_problem(&error))
}

fn master_key(config: &Config, database: &Database, key_file: &Path) -> Result<MasterKey> {
    let key = match (&config.store.master_key, database) {
        (Some(key), _) => MasterKey::parse(key.expose_secret()).map_err(|error| {
            store::Error::KeyFile(format!("environment variable MAJORDOMO_MASTER_KEY: {error}"))
        }),
        (None, Database::Postgres(_)) => MasterKey::load_or_create(key_file, true),
        (None, Database::Sqlite(path)) => {
            let is_fresh = fs::metadata(path).map_or(true, |found| found.len() == 0);
            MasterKey::load_or_create(key_file, is_fresh)
        }
    };
    key.map_err(|error| store_problem(&error))
}

fn not_text(path: &Path) -> Error {
    advised(
        format!("The path {} contains characters that are not text.", path.display()),
        "Choose another data directory: --data DIR",
    )
}

/// The store's errors say what to do where it can be said; the rest gets the next step here.
pub fn store_problem(error: &store::Error) -> Error {
    let advice = match error {
        store::Error::NewerSchema { .. } => "Nothing was changed.",
        store::Error::WrongMasterKey => "Check MAJORDOMO_MASTER_KEY, store.master_key_file and --data.",
        store::Error::KeyFile(_) => {
            "Nothing was changed. Without its master key the database cannot be read."
        }
        store::Error::BadUrl => "Correct store.url in majordomo.toml or the variable MAJORDOMO_STORE_URL.",
        store::Error::Full(_) => "Free some space on the disk of the data directory, and try again.",
        store::Error::Damaged(_) => "Restore a backup: majordomo restore FILE",
        store::Error::Busy | store::Error::Unavailable(_) => {
            "Check that the database server runs, or that the data directory can be written to, and try again."
        }
        _ => "Run `majordomo doctor` to see what is wrong with the database.",
    };
    advised(error.to_string(), advice)
}
