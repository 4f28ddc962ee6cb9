//! PostgreSQL: a pool, and one statement on one of its transactions.

pub(crate) mod bus;
mod probe;

use crate::{
    Arg, Error, Result, Tx,
    database::{
        counts::Counters,
        health::Pulse,
        job::{Job, Undone, Value, perform},
        row::Columns,
        tx::{Engine, Visit},
    },
};
use futures_util::{TryStreamExt as _, future::LocalBoxFuture};
use sqlx::{
    AssertSqlSafe, Connection as _, PgPool, Postgres, Transaction,
    postgres::{PgArguments, PgConnectOptions, PgPoolOptions},
    query::Query,
};
use std::{str::FromStr, sync::Arc, time::Duration};
use tokio::runtime::Handle;

const CONNECTIONS: u32 = 16;
const PATIENCE: Duration = Duration::from_secs(10);
/// Statements kept prepared per connection; a multi-row INSERT has one text per number of rows.
const PREPARED: usize = 256;

/// A transaction in which nothing happens for so long is undone by the server: a process that stands still or cannot be reached holds
/// locks that other nodes need to take over its turns.
const NO_STANDSTILL: &str = "SET idle_in_transaction_session_timeout = '10s'";

/// Kept back for what this process says of itself to other nodes: it waits for none of the others.
const OWN_CONNECTIONS: u32 = 2;

/// The connections of this process.
pub(crate) struct Pools {
    /// For people's work.
    pub shared: PgPool,
    /// For [`Store::urgent`](crate::Store::urgent).
    pub own: PgPool,
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
    let shared = pool_of(CONNECTIONS, pulse).connect_with(options.clone()).await?;
    pulse.set_clock(probe::ask_clock(&mut *shared.acquire().await?).await?);
    // What is lost of it with the server is said again a second later.
    let own = options.clone().options([("synchronous_commit", "off")]);
    let own = pool_of(OWN_CONNECTIONS, pulse).connect_lazy_with(own);
    probe::start(options, shared.clone(), pulse);
    Ok(Pools { shared, own })
}

fn pool_of(connections: u32, pulse: &Arc<Pulse>) -> PgPoolOptions {
    // Not the pulse itself: the probe, which has the pool, ends when it is gone.
    let looked_at = Arc::downgrade(pulse);
    PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(PATIENCE)
        .after_connect(|connection, _| {
            Box::pin(async move { sqlx::raw_sql(NO_STANDSTILL).execute(connection).await.map(drop) })
        })
        .before_acquire(move |_, connection| {
            let is_fresh = looked_at.upgrade().is_none_or(|pulse| pulse.is_fresh(connection.age));
            Box::pin(async move { Ok(is_fresh) })
        })
}

/// Nobody waits for a server that is known to be away, and who waits already is told.
async fn begin(
    pool: &PgPool,
    pulse: &Pulse,
    begin: Option<&'static str>,
) -> Result<Transaction<'static, Postgres>> {
    // A BEGIN that is given up before its answer would stay open in the pool: what comes next on that connection would see what this
    // one saw, and could not write. In a task of its own it is answered, and undone where no caller waits for it any more.
    let pool = pool.clone();
    let begun = tokio::spawn(async move {
        match begin {
            Some(begin) => pool.begin_with(begin).await,
            None => pool.begin().await,
        }
    });
    tokio::select! {
        biased;
        () = pulse.gone() => Err(Error::Unavailable("it does not answer".to_owned())),
        begun = begun => Ok(begun.map_err(|_| Error::Panicked)??),
    }
}

/// An open transaction, and the runtime that its connection lives in.
pub(crate) struct Open {
    transaction: Transaction<'static, Postgres>,
    runtime: Handle,
}

pub(crate) async fn write(
    pool: &PgPool,
    pulse: &Pulse,
    counters: &Arc<Counters>,
    job: Job,
) -> Result<Value, Undone> {
    if pulse.is_read_only() {
        return Err(Error::ReadOnly("it takes no changes".to_owned()).into());
    }
    let transaction = begin(pool, pulse, None).await?;
    let (transaction, outcome) = on_thread(transaction, counters, job).await?;
    match outcome {
        Ok(value) => {
            transaction.commit().await.map_err(Error::of_commit)?;
            counters.commit();
            Ok(value)
        }
        Err(undone) => {
            // A failed rollback is the server's to finish: the connection is gone then.
            let _ = transaction.rollback().await;
            Err(undone)
        }
    }
}

/// All statements of one read see the same state, and none can write.
pub(crate) async fn read(
    pool: &PgPool,
    pulse: &Pulse,
    counters: &Arc<Counters>,
    job: Job,
) -> Result<Value, Undone> {
    let snapshot = Some("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    let transaction = begin(pool, pulse, snapshot).await?;
    let (transaction, outcome) = on_thread(transaction, counters, job).await?;
    let _ = transaction.rollback().await;
    outcome
}

/// A job waits for each of its statements, so it runs where waiting holds up no other task. There are never more such threads than
/// connections. The transaction comes back: if the caller is gone by then, it is undone.
async fn on_thread(
    transaction: Transaction<'static, Postgres>,
    counters: &Arc<Counters>,
    job: Job,
) -> Result<(Transaction<'static, Postgres>, Result<Value, Undone>)> {
    let open = Open { transaction, runtime: Handle::current() };
    let mut tx = Tx::new(Engine::Postgres(open), counters.clone());
    let work = move || {
        let outcome = perform(&mut tx, job);
        (tx.engine, outcome)
    };
    match tokio::task::spawn_blocking(work).await {
        Ok((Engine::Postgres(open), outcome)) => Ok((open.transaction, outcome)),
        _ => Err(Error::Panicked),
    }
}

/// Writes a small table anew, so that no page of it holds a row of before. `false` when others work with the table, or when
/// a transaction that began before may still read what was deleted: PostgreSQL would take such rows along without an error.
pub(crate) async fn rewrite(pool: &PgPool, table: &'static str) -> Result<bool> {
    // Its settings go with it.
    let mut connection = pool.acquire().await?.detach();
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

impl Open {
    pub fn run(&mut self, sql: &str, args: Vec<Arg>) -> Result<u64> {
        let Self { transaction, runtime } = self;
        wait(
            runtime,
            Box::pin(async move { Ok(bound(sql, args).execute(&mut **transaction).await?.rows_affected()) }),
        )
    }

    /// What is not looked at is thrown away as it comes.
    pub fn visit(&mut self, sql: &str, args: Vec<Arg>, visit: Visit<'_>) -> Result<()> {
        let Self { transaction, runtime } = self;
        wait(
            runtime,
            Box::pin(async move {
                let mut rows = bound(sql, args).fetch(&mut **transaction);
                while let Some(row) = rows.try_next().await? {
                    if visit(&mut Columns::postgres(&row))?.is_break() {
                        break;
                    }
                }
                Ok(())
            }),
        )
    }

    pub fn script(&mut self, sql: &str) -> Result<()> {
        let Self { transaction, runtime } = self;
        wait(
            runtime,
            Box::pin(async move {
                sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut **transaction).await?;
                Ok(())
            }),
        )
    }
}

/// For what the server says, on a thread that does nothing else.
fn wait<T>(runtime: &Handle, answer: LocalBoxFuture<'_, Result<T>>) -> Result<T> {
    runtime.block_on(answer)
}

/// The texts come from the modules of this crate only, and values only as parameters.
fn bound(sql: &str, args: Vec<Arg>) -> Query<'static, Postgres, PgArguments> {
    args.into_iter().fold(sqlx::query(AssertSqlSafe(sql)), |query, arg| match arg {
        Arg::Int(value) => query.bind(value),
        Arg::Text(value) => query.bind(value),
        Arg::Bytes(value) => query.bind(value),
    })
}
