//! Asks PostgreSQL again and again whether it is there, on a connection of its own: the pool may be busy.

use crate::database::health::Pulse;
use sqlx::{
    ConnectOptions as _, Connection as _, PgConnection, PgPool, error::DatabaseError,
    postgres::PgConnectOptions,
};
use std::{
    sync::{Arc, Weak},
    time::Duration,
};

/// While it is there, and while it is not.
const CALM: Duration = Duration::from_secs(1);
const ANXIOUS: Duration = Duration::from_millis(200);
/// A server that says nothing for this long is away.
const PATIENCE: Duration = Duration::from_secs(5);

/// Goes on until the pool is closed, or nobody has the pulse any more.
pub(super) fn start(options: PgConnectOptions, pool: PgPool, pulse: &Arc<Pulse>) {
    let pulse = Arc::downgrade(pulse);
    tokio::spawn(async move {
        drop(pool.close_event().do_until(watch(options, pulse)).await);
    });
}

async fn watch(options: PgConnectOptions, pulse: Weak<Pulse>) {
    let mut connection = None;
    loop {
        let answered =
            matches!(tokio::time::timeout(PATIENCE, ask(&options, &mut connection)).await, Ok(true));
        if !answered {
            connection = None;
        }
        let Some(pulse) = pulse.upgrade() else { return };
        pulse.set_away(!answered);
        if answered {
            // What went wrong before it answered is no reason to ask again.
            drop(tokio::time::timeout(CALM, pulse.doubted()).await);
        }
        drop(pulse);
        tokio::time::sleep(ANXIOUS).await;
    }
}

async fn ask(options: &PgConnectOptions, connection: &mut Option<PgConnection>) -> bool {
    let asked = match connection {
        Some(open) => open.ping().await,
        None => options.connect().await.map(|open| *connection = Some(open)),
    };
    match asked {
        Ok(()) => true,
        Err(sqlx::Error::Database(refusal)) => is_there(refusal.as_ref()),
        Err(_) => false,
    }
}

/// A server that refuses for want of connections is there; one that starts or stops is not.
fn is_there(refusal: &dyn DatabaseError) -> bool {
    !refusal.code().is_some_and(|code| code.starts_with("57") || code.starts_with("58"))
}
