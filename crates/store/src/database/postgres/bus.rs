//! What the nodes on one PostgreSQL tell each other: NOTIFY on one connection, LISTEN on another.
//!
//! A note may be lost with its sender or with the wire, and is never the only place where something stands: who hears of a gap, or
//! of nothing for a while, looks at the tables.

use crate::{Error, Result, database::counts::Counters};
use sqlx::{
    ConnectOptions as _, PgConnection,
    postgres::{PgConnectOptions, PgListener, PgPoolOptions},
};
use std::{sync::Arc, time::Duration};
use tokio::sync::Mutex;

/// The most bytes of one note; PostgreSQL refuses 8,000 and more.
pub const NOTE_BYTES: usize = 7_900;
/// A server that takes no note for this long is away.
const PATIENCE: Duration = Duration::from_secs(5);
/// Between two attempts to listen.
const PAUSE: Duration = Duration::from_millis(200);

/// The way to the other nodes of the same house. Connects when it is first used.
pub struct NodeBus {
    options: PgConnectOptions,
    /// What the channels of this house begin with: two houses in one database do not meet.
    house: String,
    sender: Mutex<Option<PgConnection>>,
    counters: Arc<Counters>,
}

/// What came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BusNews {
    Told(String),
    /// From here on everything is heard; what was told before may not have been.
    Gap,
}

impl NodeBus {
    pub(crate) fn new(options: &PgConnectOptions, house: String, counters: &Arc<Counters>) -> Self {
        // A note that is lost with the server is found by who looks: nothing waits for the disk.
        let options = options.clone().options([("synchronous_commit", "off")]);
        Self { options, house, sender: Mutex::default(), counters: counters.clone() }
    }

    /// Sends each note to the node of that name, or to all of them, in order and in one statement.
    pub async fn send(&self, notes: &[(Option<String>, String)]) -> Result<()> {
        if notes.is_empty() {
            return Ok(());
        }
        let channel = |to: &Option<String>| match to {
            Some(node) => self.channel_of(node),
            None => self.house.clone(),
        };
        let notes: Vec<(String, &str)> =
            notes.iter().map(|(to, note)| (channel(to), note.as_str())).collect();
        let notes = serde_json::to_string(&notes).map_err(|_| Error::Corrupt("a note".to_owned()))?;
        let mut sender = self.sender.lock().await;
        // Taken out: a statement that is given up leaves a connection that cannot be used again.
        let open = sender.take();
        let sent = tokio::time::timeout(PATIENCE, self.notify(open, notes)).await;
        let connection = sent.map_err(|_| Error::Unavailable("it does not answer".to_owned()))??;
        *sender = Some(connection);
        Ok(())
    }

    async fn notify(&self, open: Option<PgConnection>, notes: String) -> Result<PgConnection> {
        let mut connection = match open {
            Some(open) => open,
            None => self.options.connect().await?,
        };
        let sql = "SELECT pg_notify(j->>0, j->>1) FROM json_array_elements($1::json) AS j";
        self.counters.node_statement();
        sqlx::query(sql).bind(notes).execute(&mut connection).await?;
        Ok(connection)
    }

    /// Listens to what is sent to the node of this name and to all.
    pub fn listen(&self, node: &str) -> BusEars {
        let channels = [self.house.clone(), self.channel_of(node)];
        BusEars { options: self.options.clone(), channels, listener: None }
    }

    fn channel_of(&self, node: &str) -> String {
        format!("{}_{node}", self.house)
    }
}

/// Hears what the other nodes tell. It connects again by itself.
pub struct BusEars {
    options: PgConnectOptions,
    channels: [String; 2],
    listener: Option<PgListener>,
}

impl BusEars {
    /// The next note. [`BusNews::Gap`] comes first, and after every connection that was lost. Giving up the wait loses nothing.
    pub async fn next(&mut self) -> BusNews {
        loop {
            let Some(listener) = &mut self.listener else {
                match self.connect().await {
                    Ok(()) => return BusNews::Gap,
                    Err(error) => {
                        tracing::debug!(%error, "bus: cannot listen to other nodes; the server tries again");
                        tokio::time::sleep(PAUSE).await;
                        continue;
                    }
                }
            };
            match listener.try_recv().await {
                Ok(Some(note)) => return BusNews::Told(note.payload().to_owned()),
                // It has lost its connection.
                Ok(None) | Err(_) => self.listener = None,
            }
        }
    }

    /// Lets go of a connection on which nothing is heard: the next thing heard is a gap.
    pub fn reconnect(&mut self) {
        self.listener = None;
    }

    async fn connect(&mut self) -> Result<(), sqlx::Error> {
        // A pool of its own: a listener that is dropped says goodbye on its connection, and keeps its place until that is answered. On a
        // wire that was cut it never is.
        let pool = PgPoolOptions::new().max_connections(1).max_lifetime(None).idle_timeout(None);
        let pool = pool.acquire_timeout(PATIENCE).connect_lazy_with(self.options.clone());
        let mut listener = PgListener::connect_with(&pool).await?;
        // A lost connection is made anew here, so that what goes wrong then is tried again, too.
        listener.eager_reconnect(false);
        listener.listen_all(self.channels.iter().map(String::as_str)).await?;
        self.listener = Some(listener);
        Ok(())
    }
}
