//! What can be set about the front door.

use crate::{limits_per_person::Capacity, log_ring::LogRing, request::proxies::ProxyNetwork};
use std::time::Duration;

#[derive(Clone, Debug)]
pub struct HttpSettings {
    /// Further names to answer to, with or without a port.
    pub hosts: Vec<String>,
    /// The address that people use, when a reverse proxy stands before us.
    pub public_url: Option<String>,
    /// The proxies that are believed when they say where a request comes from.
    pub proxies: Vec<ProxyNetwork>,
    /// For the head of a request: the first from the beginning of its connection, a later one from its first byte.
    pub header_timeout: Duration,
    /// For the pause between two requests of a connection. It is longer than proxies and clients keep a connection, so
    /// that they close it first and send nothing into one that the server closes.
    pub idle_timeout: Duration,
    /// For the whole body of a request.
    pub body_timeout: Duration,
    /// A connection whose other end takes nothing for this long is closed.
    pub write_timeout: Duration,
    /// A stream with nothing to say says so this often.
    pub heartbeat: Duration,
    /// How often a WebSocket is asked whether it is still there; one that is silent for two of these is closed.
    pub ping: Duration,
    /// What running requests get at a shutdown, from its beginning: running turns may have had of it already.
    pub grace: Duration,
    /// When the oldest of several messages has waited this long to be stored, a line that is not short counts as full, and the
    /// next ones are refused.
    pub storing_patience: Duration,
    /// When so many turns run, and summaries are being made, new messages are refused: each holds a conversation in memory.
    pub most_running: usize,
    /// How much may be there at once.
    pub capacity: Capacity,
    /// The last lines of the log.
    pub logs: LogRing,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            hosts: Vec::new(),
            public_url: None,
            proxies: ProxyNetwork::LOOPBACK.to_vec(),
            header_timeout: Duration::from_secs(5),
            idle_timeout: Duration::from_secs(150),
            body_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(30),
            heartbeat: Duration::from_secs(15),
            ping: Duration::from_secs(30),
            grace: Duration::from_secs(4),
            storing_patience: Duration::from_secs(1),
            most_running: 4_000,
            capacity: Capacity::default(),
            logs: LogRing::default(),
        }
    }
}
