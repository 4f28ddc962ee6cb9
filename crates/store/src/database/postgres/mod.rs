//! PostgreSQL: connections, and one job on one of them.

pub(crate) mod bus;
mod connections;
mod open;
mod probe;

use crate::{
    Error, Result, Tx,
    database::{
        counts::Counters,
        health::Pulse,
        job::{Job, Undone, Value, perform},
        tx::Engine,
    },
};
pub(crate) use connections::PostgresConnections;
use connections::UsedConnection;
pub(crate) use open::Open;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, postgres::PgConnectOptions};
use std::{
    str::FromStr,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{runtime::Handle, sync::watch};
use tracing::Instrument as _;

const CONNECTIONS: u32 = 16;
/// Statements kept prepared per connection; a multi-row INSERT has one text per number of rows.
const PREPARED: usize = 256;
/// A statement of people's work that says nothing for so long is given up. One that waits for a lock, or a commit that waits for a
/// second server, may take a while; when the probe hears nothing, or a new server, nothing waits for so long.
const PATIENCE: Duration = Duration::from_secs(120);

/// Kept back for what this process says of itself to other nodes: it waits for none of the others.
const OWN_CONNECTIONS: u32 = 2;
/// What is said of itself is small, and said again.
const OWN_PATIENCE: Duration = Duration::from_secs(10);

/// The connections of this process.
pub(crate) struct Pools {
    /// For people's work.
    pub shared: Arc<PostgresConnections>,
    /// For [`Store::urgent`](crate::Store::urgent).
    pub own: Arc<PostgresConnections>,
}

impl Pools {
    pub async fn close(&self) {
        self.own.close().await;
        self.shared.close().await;
    }
}

/// The pools, and a probe that tells the pulse whether the server is there.
pub(crate) async fn connect(url: &str, pulse: &Arc<Pulse>) -> Result<Pools> {
    let options = PgConnectOptions::from_str(url)
        .map_err(|_| Error::BadUrl)?
        .application_name("majordomo")
        .statement_cache_capacity(PREPARED);
    let shared = PostgresConnections::new(options.clone(), CONNECTIONS, PATIENCE);
    let mut first = shared.take(pulse, None).await?;
    let (clock, started) = probe::ask_clock(&mut first.connection).await?;
    pulse.set_clock(clock);
    pulse.set_server(started);
    shared.give_back(first);
    // What is lost of it with the server is said again a second later.
    let own = options.clone().options([("synchronous_commit", "off")]);
    let own = PostgresConnections::new(own, OWN_CONNECTIONS, OWN_PATIENCE);
    probe::start(options, shared.closed(), pulse);
    Ok(Pools { shared: Arc::new(shared), own: Arc::new(own) })
}

/// What is said before and after the statements of a job.
#[derive(Clone, Copy, PartialEq, Eq)]
enum JobFrame {
    /// They are one transaction.
    Transaction,
    /// All of them see the same state, and none can write.
    Snapshot,
    /// Nothing: each counts by itself, and is given up when its caller is gone.
    Bare,
}

impl JobFrame {
    fn begin(self) -> Option<&'static str> {
        match self {
            Self::Transaction => Some("BEGIN"),
            Self::Snapshot => Some("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
            Self::Bare => None,
        }
    }
}

/// What a job needs beside its statements.
#[derive(Clone)]
pub(crate) struct JobPlace {
    pub pool: Arc<PostgresConnections>,
    pub pulse: Arc<Pulse>,
    pub counters: Arc<Counters>,
}

impl JobPlace {
    pub async fn write(self, job: Job) -> Result<Value, Undone> {
        self.check_writable()?;
        self.in_a_task(JobFrame::Transaction, job).await
    }

    pub async fn read(self, job: Job) -> Result<Value, Undone> {
        self.in_a_task(JobFrame::Snapshot, job).await
    }

    /// Each statement counts by itself: over a slow wire a transaction takes three times as long.
    pub async fn write_bare(self, job: Job) -> Result<Value, Undone> {
        self.check_writable()?;
        self.in_a_task(JobFrame::Bare, job).await
    }

    fn check_writable(&self) -> Result<()> {
        match self.pulse.is_read_only() {
            true => Err(Error::ReadOnly("it takes no changes".to_owned())),
            false => Ok(()),
        }
    }

    /// A caller that goes away leaves no answer on a connection that what comes next would take for its own, and no transaction open:
    /// it is undone.
    async fn in_a_task(self, frame: JobFrame, job: Job) -> Result<Value, Undone> {
        let (caller, wanted) = watch::channel(());
        let done = tokio::spawn(self.perform(frame, job, wanted).in_current_span()).await;
        drop(caller);
        done.unwrap_or_else(|_| Err(Error::Panicked.into()))
    }

    async fn perform(self, frame: JobFrame, job: Job, wanted: watch::Receiver<()>) -> Result<Value, Undone> {
        let used = self.pool.take(&self.pulse, frame.begin()).await?;
        let is_wanted = || wanted.has_changed().is_ok();
        let mut open = self.open(used, (frame == JobFrame::Bare).then(|| wanted.clone()));
        let mut outcome = Err(Error::Closed.into());
        if is_wanted() {
            (open, outcome) = on_thread(open, &self.counters, job).await?;
        }
        if frame == JobFrame::Transaction && outcome.is_ok() && is_wanted() {
            open.end("COMMIT").await?;
            self.counters.commit();
        } else if frame != JobFrame::Bare && open.is_sound {
            // Without an answer the connection is thrown away, and the server undoes what was open on it.
            drop(open.end("ROLLBACK").await);
        }
        if open.is_sound {
            self.pool.give_back(open.used);
        }
        outcome
    }

    fn open(&self, used: UsedConnection, wanted: Option<watch::Receiver<()>>) -> Open {
        let (pulse, patience) = (self.pulse.clone(), self.pool.patience);
        Open { used, runtime: Handle::current(), pulse, patience, wanted, is_sound: true }
    }
}

/// A job waits for each of its statements, so it runs where waiting holds up no other task. There are never more such threads than
/// connections.
async fn on_thread(open: Open, counters: &Arc<Counters>, job: Job) -> Result<(Open, Result<Value, Undone>)> {
    let mut tx = Tx::new(Engine::Postgres(open), counters.clone());
    let work = move || {
        let outcome = perform(&mut tx, job);
        (tx.engine, outcome)
    };
    match tokio::task::spawn_blocking(work).await {
        Ok((Engine::Postgres(open), outcome)) => Ok((open, outcome)),
        _ => Err(Error::Panicked),
    }
}

/// Writes a small table anew, so that no page of it holds a row of before. `false` when others work with the table, or when
/// a transaction that began before may still read what was deleted: PostgreSQL would take such rows along without an error.
pub(crate) async fn rewrite(pool: &PostgresConnections, pulse: &Pulse, table: &'static str) -> Result<bool> {
    tokio::select! {
        biased;
        () = pulse.gone() => Err(Error::no_answer()),
        () = pulse.is_dead(Instant::now()) => Err(Error::no_answer()),
        rewritten = rewrite_on(&pool.options, table) => Ok(rewritten?),
    }
}

/// On a connection of its own: its settings go with it.
async fn rewrite_on(options: &PgConnectOptions, table: &'static str) -> sqlx::Result<bool> {
    let mut connection = options.connect().await?;
    // Every statement that waits for the table would wait behind this one.
    sqlx::raw_sql("SET lock_timeout = '200ms'").execute(&mut connection).await?;
    // Takes out of the table what no transaction can read any more, and counts the rest; the bytes stay in its pages.
    sqlx::raw_sql(AssertSqlSafe(format!("VACUUM {table}"))).execute(&mut connection).await?;
    let dead = "SELECT pg_stat_get_dead_tuples($1::regclass)";
    let dead: i64 = sqlx::query_scalar(dead).bind(table).fetch_one(&mut connection).await?;
    let anew = AssertSqlSafe(format!("VACUUM (FULL) {table}"));
    let is_gone = dead == 0 && sqlx::raw_sql(anew).execute(&mut connection).await.is_ok();
    connection.close().await?;
    Ok(is_gone)
}
