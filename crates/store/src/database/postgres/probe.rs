//! Asks PostgreSQL again and again whether it is there and takes changes, on a connection of its own: the pool may be busy.

use crate::database::health::Pulse;
use sqlx::{ConnectOptions as _, PgConnection, error::DatabaseError, postgres::PgConnectOptions};
use std::{
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::sync::watch::Receiver;

/// While it is there, and while it is not.
const CALM: Duration = Duration::from_secs(1);
const ANXIOUS: Duration = Duration::from_millis(200);
/// A server that says nothing for this long is away.
const PATIENCE: Duration = Duration::from_secs(5);

/// Goes on until the connections are closed, or no database has the pulse any more.
pub(super) fn start(options: PgConnectOptions, mut closed: Receiver<bool>, pulse: &Arc<Pulse>) {
    let pulse = Arc::downgrade(pulse);
    let closed = async move { drop(closed.wait_for(|closed| *closed).await) };
    tokio::spawn(async move {
        tokio::select! {
            () = closed => {}
            () = watch(options, pulse) => {}
        }
    });
}

async fn watch(options: PgConnectOptions, pulse: Weak<Pulse>) {
    let mut connection = None;
    loop {
        let asked = tokio::time::timeout(PATIENCE, ask(&options, &mut connection)).await;
        let answer = asked.unwrap_or(ProbeAnswer::Silence);
        if answer != ProbeAnswer::TakesChanges {
            // A new connection may lead to another server of the same name.
            connection = None;
        }
        let Some(pulse) = pulse.upgrade() else { return };
        if let Some(open) = &mut connection {
            match tokio::time::timeout(PATIENCE, ask_clock(open)).await {
                Ok(Ok((millis, started))) => {
                    pulse.set_clock(millis);
                    pulse.set_server(started);
                }
                _ => connection = None,
            }
        }
        match answer {
            ProbeAnswer::TakesChanges => pulse.set_read_only(false),
            ProbeAnswer::ReadOnly => pulse.set_read_only(true),
            ProbeAnswer::Refusal | ProbeAnswer::Silence => {}
        }
        pulse.set_away(answer == ProbeAnswer::Silence);
        if matches!(answer, ProbeAnswer::TakesChanges | ProbeAnswer::Refusal) {
            // What went wrong before it answered is no reason to ask again.
            drop(tokio::time::timeout(CALM, pulse.doubted()).await);
        }
        drop(pulse);
        tokio::time::sleep(ANXIOUS).await;
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ProbeAnswer {
    TakesChanges,
    ReadOnly,
    /// It is there, and refuses the question: whether it takes changes is as it was.
    Refusal,
    Silence,
}

async fn ask(options: &PgConnectOptions, connection: &mut Option<PgConnection>) -> ProbeAnswer {
    match is_read_only(options, connection).await {
        Ok(false) => ProbeAnswer::TakesChanges,
        Ok(true) => ProbeAnswer::ReadOnly,
        Err(sqlx::Error::Database(refusal)) if is_there(refusal.as_ref()) => ProbeAnswer::Refusal,
        Err(_) => ProbeAnswer::Silence,
    }
}

/// What the server's clock says, and when it was started, in milliseconds.
pub(super) async fn ask_clock(connection: &mut PgConnection) -> sqlx::Result<(i64, i64)> {
    let clock = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT), \
                   CAST(EXTRACT(EPOCH FROM pg_postmaster_start_time()) * 1000 AS BIGINT)";
    sqlx::query_as(clock).fetch_one(connection).await
}

async fn is_read_only(
    options: &PgConnectOptions,
    connection: &mut Option<PgConnection>,
) -> sqlx::Result<bool> {
    let question = "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean";
    if let Some(mut open) = connection.take()
        && let Ok(answer) = sqlx::query_scalar(question).fetch_one(&mut open).await
    {
        *connection = Some(open);
        return Ok(answer);
    }
    // A connection that was ended says nothing of the server.
    let mut open = options.connect().await?;
    let answer = sqlx::query_scalar(question).fetch_one(&mut open).await?;
    *connection = Some(open);
    Ok(answer)
}

/// A server that refuses for want of connections is there; one that starts or stops is not.
fn is_there(refusal: &dyn DatabaseError) -> bool {
    !refusal.code().is_some_and(|code| code.starts_with("57") || code.starts_with("58"))
}
