//! A job's connection: statements are waited for on a thread of their own, and none of them for ever.

use super::connections::UsedConnection;
use crate::{
    Arg, Error, Result,
    database::{health::Pulse, row::Columns, tx::Visit},
};
use futures_util::{TryStreamExt as _, future::LocalBoxFuture};
use sqlx::{AssertSqlSafe, Postgres, postgres::PgArguments, query::Query};
use std::{sync::Arc, time::Duration};
use tokio::{runtime::Handle, sync::watch, time::sleep};

/// A connection in the hands of a job, and the runtime that it lives in.
pub(crate) struct Open {
    pub used: UsedConnection,
    pub runtime: Handle,
    pub pulse: Arc<Pulse>,
    /// A statement that says nothing for so long is given up.
    pub patience: Duration,
    /// A statement is given up when the other end of this is gone; without it, it is done to its end although no caller waits for it.
    pub wanted: Option<watch::Receiver<()>>,
    /// `true`: every answer came, and the connection can be used again.
    pub is_sound: bool,
}

impl Open {
    pub fn run(&mut self, sql: &str, args: Vec<Arg>) -> Result<u64> {
        let patience = self.patience;
        self.wait(|used| {
            Box::pin(async move {
                let run = bound(sql, args).execute(&mut used.connection);
                Ok(in_time(patience, run).await??.rows_affected())
            })
        })
    }

    /// What is not looked at is thrown away as it comes.
    pub fn visit(&mut self, sql: &str, args: Vec<Arg>, visit: Visit<'_>) -> Result<()> {
        let patience = self.patience;
        self.wait(|used| {
            Box::pin(async move {
                let mut rows = bound(sql, args).fetch(&mut used.connection);
                while let Some(row) = in_time(patience, rows.try_next()).await?? {
                    if visit(&mut Columns::postgres(&row))?.is_break() {
                        break;
                    }
                }
                Ok(())
            })
        })
    }

    /// For the schema: an index of a large table may take as long as it needs.
    pub fn script(&mut self, sql: &str) -> Result<()> {
        self.wait(|used| {
            Box::pin(async move {
                sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut used.connection).await?;
                Ok(())
            })
        })
    }

    /// Ends the transaction by COMMIT or ROLLBACK. Without an answer it is not known whether that counts.
    pub async fn end(&mut self, words: &'static str) -> Result<()> {
        let Self { used, pulse, patience, .. } = self;
        let unanswered = || Err(Error::Uncertain("it did not answer".to_owned()));
        let ended = tokio::select! {
            biased;
            ended = sqlx::raw_sql(words).execute(&mut used.connection) => ended.map(drop).map_err(Error::of_commit),
            () = pulse.is_dead(used.made) => unanswered(),
            () = sleep(*patience) => unanswered(),
        };
        self.is_sound &= ended.is_ok();
        ended
    }

    /// For what the server says, on a thread that does nothing else.
    fn wait<'a, T>(
        &'a mut self,
        ask: impl FnOnce(&'a mut UsedConnection) -> LocalBoxFuture<'a, Result<T>>,
    ) -> Result<T> {
        let Self { used, runtime, pulse, wanted, is_sound, .. } = self;
        let made = used.made;
        let answer = ask(used);
        let outcome = runtime.block_on(async {
            tokio::select! {
                biased;
                answer = answer => answer,
                () = pulse.is_dead(made) => Err(Error::no_answer()),
                () = is_unwanted(wanted) => Err(Error::Closed),
            }
        });
        *is_sound &= !matches!(&outcome, Err(Error::Unavailable(_) | Error::Database(_) | Error::Closed));
        outcome
    }
}

async fn in_time<T>(patience: Duration, answer: impl Future<Output = T>) -> Result<T> {
    tokio::time::timeout(patience, answer).await.map_err(|_| Error::no_answer())
}

/// Returns when no caller waits any more.
async fn is_unwanted(wanted: &mut Option<watch::Receiver<()>>) {
    match wanted {
        // Nothing is ever sent: it ends with the other end.
        Some(wanted) => drop(wanted.changed().await),
        None => std::future::pending().await,
    }
}

/// The texts come from the modules of this crate only, and values only as parameters.
fn bound(sql: &str, args: Vec<Arg>) -> Query<'static, Postgres, PgArguments> {
    args.into_iter().fold(sqlx::query(AssertSqlSafe(sql)), |query, arg| match arg {
        Arg::Int(value) => query.bind(value),
        Arg::Text(value) => query.bind(value),
        Arg::Bytes(value) => query.bind(value),
    })
}
