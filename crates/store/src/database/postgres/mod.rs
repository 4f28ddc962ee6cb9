//! PostgreSQL: a pool, and one statement on one of its transactions.

mod probe;

use crate::{
    Arg, Error, Result, Tx,
    database::{
        counts::Counters,
        health::Pulse,
        page::Piece,
        row::{Columns, Row},
        tx::{Engine, Undone, Visit},
    },
};
use futures_util::TryStreamExt as _;
use sqlx::{
    AssertSqlSafe, Connection as _, PgPool, Postgres, Transaction,
    postgres::{PgArguments, PgConnectOptions, PgPoolOptions},
    query::Query,
};
use std::{
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    str::FromStr,
    sync::Arc,
    task::Poll,
    time::Duration,
};

const CONNECTIONS: u32 = 16;
const PATIENCE: Duration = Duration::from_secs(10);
/// Statements kept prepared per connection; a multi-row INSERT has one text per number of rows.
const PREPARED: usize = 256;

/// The pool, and a probe that tells the pulse whether the server is there.
pub(crate) async fn connect(url: &str, pulse: &Arc<Pulse>) -> Result<PgPool> {
    let options = PgConnectOptions::from_str(url)
        .map_err(|_| Error::BadUrl)?
        .application_name("majordomo")
        .statement_cache_capacity(PREPARED);
    let pool = PgPoolOptions::new().max_connections(CONNECTIONS).acquire_timeout(PATIENCE);
    let pool = pool.connect_with(options.clone()).await?;
    probe::start(options, pool.clone(), pulse);
    Ok(pool)
}

/// Nobody waits for a server that is known to be away, and who waits already is told.
async fn begin(
    pool: &PgPool,
    pulse: &Pulse,
    begin: Option<&'static str>,
) -> Result<Transaction<'static, Postgres>> {
    let begun = async {
        match begin {
            Some(begin) => pool.begin_with(begin).await,
            None => pool.begin().await,
        }
    };
    tokio::select! {
        biased;
        () = pulse.gone() => Err(Error::Unavailable("it does not answer".to_owned())),
        begun = begun => Ok(begun?),
    }
}

pub(crate) async fn write<T, E, F>(
    pool: &PgPool,
    pulse: &Pulse,
    counters: &Arc<Counters>,
    closure: F,
) -> Result<T, Undone<E>>
where
    E: From<Error>,
    F: AsyncFnOnce(&mut Tx) -> Result<T, E>,
{
    let mut tx = Tx::new(Engine::Postgres(begin(pool, pulse, None).await?), counters.clone());
    let outcome = whole(&mut tx, closure).await;
    let Engine::Postgres(transaction) = tx.engine else { return outcome };
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
pub(crate) async fn read<T, F>(
    pool: &PgPool,
    pulse: &Pulse,
    counters: &Arc<Counters>,
    closure: F,
) -> Result<T>
where
    F: AsyncFnOnce(&mut Tx) -> Result<T>,
{
    let snapshot = Some("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    let mut tx = Tx::new(Engine::Postgres(begin(pool, pulse, snapshot).await?), counters.clone());
    let outcome = whole(&mut tx, closure).await;
    if let Engine::Postgres(transaction) = tx.engine {
        let _ = transaction.rollback().await;
    }
    outcome.map_err(|undone| undone.reason)
}

/// A panic of the closure becomes an error, as it does on the writer thread of SQLite; a statement that
/// failed makes the whole fail.
async fn whole<T, E, F>(tx: &mut Tx, closure: F) -> Result<T, Undone<E>>
where
    E: From<Error>,
    F: AsyncFnOnce(&mut Tx) -> Result<T, E>,
{
    let outcome = {
        let mut future = pin!(closure(tx));
        poll_fn(|context| {
            catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context)))
                .unwrap_or_else(|_| Poll::Ready(Err(Error::Panicked.into())))
        })
        .await
    };
    tx.settle(outcome)
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

pub(crate) async fn run(
    transaction: &mut Transaction<'static, Postgres>,
    sql: &str,
    args: Vec<Arg>,
) -> Result<u64> {
    Ok(bound(sql, args).execute(&mut **transaction).await?.rows_affected())
}

pub(crate) async fn all<R: Row>(
    transaction: &mut Transaction<'static, Postgres>,
    sql: &str,
    args: Vec<Arg>,
) -> Result<Vec<R>> {
    let rows = bound(sql, args).fetch_all(&mut **transaction).await?;
    rows.iter().map(|row| R::take(&mut Columns::postgres(row))).collect()
}

/// The rest is thrown away as it comes.
pub(crate) async fn piece<R: Row>(
    transaction: &mut Transaction<'static, Postgres>,
    sql: &str,
    args: Vec<Arg>,
    most: u64,
) -> Result<Piece<R>> {
    let mut rows = bound(sql, args).fetch(&mut **transaction);
    let (mut found, mut bytes) = (Vec::new(), 0_u64);
    while let Some(row) = rows.try_next().await? {
        if bytes >= most {
            return Ok(Piece { rows: found, more: true });
        }
        let mut columns = Columns::postgres(&row);
        found.push(R::take(&mut columns)?);
        bytes = bytes.saturating_add(columns.bytes());
    }
    Ok(Piece { rows: found, more: false })
}

pub(crate) async fn each(
    transaction: &mut Transaction<'static, Postgres>,
    sql: &str,
    visit: Visit<'_>,
) -> Result<()> {
    let mut rows = bound(sql, Vec::new()).fetch(&mut **transaction);
    while let Some(row) = rows.try_next().await? {
        visit(&mut Columns::postgres(&row))?;
    }
    Ok(())
}

pub(crate) async fn script(transaction: &mut Transaction<'static, Postgres>, sql: &str) -> Result<()> {
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut **transaction).await?;
    Ok(())
}

/// The texts come from the modules of this crate only, and values only as parameters.
fn bound(sql: &str, args: Vec<Arg>) -> Query<'static, Postgres, PgArguments> {
    args.into_iter().fold(sqlx::query(AssertSqlSafe(sql)), |query, arg| match arg {
        Arg::Int(value) => query.bind(value),
        Arg::Text(value) => query.bind(value),
        Arg::Bytes(value) => query.bind(value),
    })
}
