//! Connections to PostgreSQL that are used again and again.
//!
//! A machine that loses its power and a wire that is cut end no connection: what was asked there is never answered. So every wait has
//! an end, and a connection that does not answer is thrown away, which frees its place: nothing waits behind it.

use crate::{Error, Result, database::health::Pulse};
use sqlx::{ConnectOptions as _, PgConnection, postgres::PgConnectOptions};
use std::{
    io::ErrorKind,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    time::{sleep, timeout},
};

/// A job that has no connection by then is not done.
const PATIENCE: Duration = Duration::from_secs(10);
/// One that was used before answers sooner than this, or is thrown away.
const PATIENCE_WITH_USED: Duration = Duration::from_secs(3);
/// For what is under way when all of them are closed.
const PATIENCE_AT_END: Duration = Duration::from_secs(5);
/// One that was not needed for so long is closed.
const LONGEST_IDLE: Duration = Duration::from_secs(10 * 60);
/// None is used for longer.
const LONGEST_LIFE: Duration = Duration::from_secs(30 * 60);
/// Between two attempts to connect to a server that is just starting.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// A transaction in which nothing happens for so long is undone by the server: a process that stands still or cannot be reached holds
/// locks that other nodes need to take over its turns.
const NO_STANDSTILL: &str = "SET idle_in_transaction_session_timeout = '10s'";

/// So many connections at most.
pub(crate) struct PostgresConnections {
    pub options: PgConnectOptions,
    /// A statement that says nothing for so long is given up, whatever the probe hears meanwhile.
    pub patience: Duration,
    most: u32,
    places: Arc<Semaphore>,
    /// The one that was used last is used next.
    idle: Mutex<Vec<IdleConnection>>,
    closed: watch::Sender<bool>,
}

struct IdleConnection {
    connection: PgConnection,
    made: Instant,
    since: Instant,
}

/// A connection in use, and its place. It is thrown away when this is dropped, unless it is given back.
pub(crate) struct UsedConnection {
    pub connection: PgConnection,
    pub made: Instant,
    place: OwnedSemaphorePermit,
}

impl PostgresConnections {
    pub fn new(options: PgConnectOptions, most: u32, patience: Duration) -> Self {
        let places = Arc::new(Semaphore::new(usize::try_from(most).unwrap_or(usize::MAX)));
        Self { options, patience, most, places, idle: Mutex::default(), closed: watch::Sender::new(false) }
    }

    /// A connection on which this was said first, such as BEGIN. Without it, one that may turn out to be dead. No caller waits for a
    /// server that is known to be away, and those who wait already are told.
    pub async fn take(&self, pulse: &Pulse, first: Option<&'static str>) -> Result<UsedConnection> {
        if *self.closed.borrow() {
            return Err(Error::Closed);
        }
        let taking = async {
            let place = self.places.clone().acquire_owned().await.map_err(|_| Error::Closed)?;
            let (connection, made) = match self.used_before(pulse, first).await {
                Some(found) => found,
                None => self.connect(first).await?,
            };
            Ok(UsedConnection { connection, made, place })
        };
        tokio::select! {
            biased;
            () = pulse.gone() => Err(Error::no_answer()),
            taken = timeout(PATIENCE, taking) => taken.unwrap_or(Err(Error::Busy)),
        }
    }

    /// One that no transaction is open on, and no answer under way.
    pub fn give_back(&self, used: UsedConnection) {
        let UsedConnection { connection, made, place } = used;
        if !*self.closed.borrow() && made.elapsed() < LONGEST_LIFE {
            self.idle().push(IdleConnection { connection, made, since: Instant::now() });
        }
        drop(place);
    }

    pub fn in_use(&self) -> usize {
        usize::try_from(self.most).unwrap_or(usize::MAX).saturating_sub(self.places.available_permits())
    }

    /// Becomes `true` when they are closed.
    pub fn closed(&self) -> watch::Receiver<bool> {
        self.closed.subscribe()
    }

    /// What is under way ends before, unless the server does not answer.
    pub async fn close(&self) {
        self.closed.send_replace(true);
        drop(timeout(PATIENCE_AT_END, self.places.acquire_many(self.most)).await);
        self.places.close();
        self.idle().clear();
    }

    async fn used_before(
        &self,
        pulse: &Pulse,
        first: Option<&'static str>,
    ) -> Option<(PgConnection, Instant)> {
        loop {
            let IdleConnection { mut connection, made, .. } = self.next_idle(pulse)?;
            let Some(first) = first else { return Some((connection, made)) };
            match timeout(PATIENCE_WITH_USED, sqlx::raw_sql(first).execute(&mut connection)).await {
                Ok(Ok(_)) => return Some((connection, made)),
                // The server has ended it meanwhile.
                Ok(Err(_)) => {}
                // What lay beside it is most likely dead, too.
                Err(_) => self.idle().clear(),
            }
        }
    }

    fn next_idle(&self, pulse: &Pulse) -> Option<IdleConnection> {
        let mut idle = self.idle();
        idle.retain(|known| known.since.elapsed() < LONGEST_IDLE && pulse.is_fresh(known.made));
        idle.pop()
    }

    /// A new one. A server that starts, or has no connection left, may have one a moment later.
    async fn connect(&self, first: Option<&'static str>) -> Result<(PgConnection, Instant)> {
        let mut pause = FIRST_PAUSE;
        loop {
            // By the moment at which the name was looked up it is told apart from those that lead to a new server.
            let made = Instant::now();
            match self.options.connect().await {
                Ok(mut connection) => {
                    for words in [Some(NO_STANDSTILL), first].into_iter().flatten() {
                        sqlx::raw_sql(words).execute(&mut connection).await?;
                    }
                    return Ok((connection, made));
                }
                Err(error) if may_be_there_soon(&error) => {
                    sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<IdleConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn may_be_there_soon(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(error) => error.kind() == ErrorKind::ConnectionRefused,
        // Too many connections; it starts or stops.
        sqlx::Error::Database(refusal) => matches!(refusal.code().as_deref(), Some("53300" | "57P03")),
        _ => false,
    }
}
