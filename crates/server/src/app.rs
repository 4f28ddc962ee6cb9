//! What every handler is given.

use crate::{overload::Overload, settings::HttpSettings};
use domain::Source;
use engine::Engine;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Which way a request came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Door {
    /// The network: a key says who is there.
    Tcp,
    /// The Unix socket in the data directory: the file's mode says who may come.
    Control,
}

impl Door {
    pub(crate) fn source(self) -> Source {
        match self {
            Self::Tcp => Source::Web,
            Self::Control => Source::Cli,
        }
    }
}

#[derive(Clone)]
pub(crate) struct App {
    pub(crate) engine: Engine,
    pub(crate) door: Door,
    /// Only the people at this machine can reach this door.
    pub(crate) private: bool,
    pub(crate) settings: Arc<HttpSettings>,
    pub(crate) overload: Overload,
    /// Streams end, nothing new is begun.
    pub(crate) stop: CancellationToken,
    /// Requests that still wait for a turn give up.
    pub(crate) closing: CancellationToken,
}

impl App {
    /// How many conversations are held in memory by what runs.
    pub(crate) fn running(&self) -> usize {
        self.engine.running_turns().saturating_add(self.engine.running_summaries())
    }

    /// A client that wants to stay is not taken in by a server that leaves its clients to others.
    pub(crate) fn check_stays(&self) -> Result<(), engine::Error> {
        if self.engine.leaving().is_cancelled() { Err(engine::Error::ShuttingDown) } else { Ok(()) }
    }
}
