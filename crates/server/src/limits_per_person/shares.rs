//! How much of each kind is going on for those whom no node knows, and in the reserve.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
};

/// What is counted apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Request,
    /// Events for as long as the client listens.
    Stream,
    Socket,
    Upload,
}

impl Kind {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Stream => "stream",
            Self::Socket => "socket",
            Self::Upload => "upload",
        }
    }

    pub(super) const fn noun(self) -> &'static str {
        match self {
            Self::Request => "requests",
            Self::Stream => "event streams",
            Self::Socket => "WebSockets",
            Self::Upload => "uploads",
        }
    }
}

/// For whom something is counted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Who {
    Address(IpAddr),
    /// All who have not proved who they are.
    Strangers,
    /// The owner and strangers, where there is no place but in the reserve.
    Owner,
    Visitors,
}

type Key = (Who, Kind);

#[derive(Default)]
pub(crate) struct Shares {
    counts: Mutex<HashMap<Key, usize>>,
}

impl Shares {
    /// One more, until it is dropped. `None` when there are as many as there may be.
    pub(crate) fn take(self: &Arc<Self>, who: Who, kind: Kind, most: usize) -> Option<Share> {
        let key = (who, kind);
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(key.clone()).or_default();
        if *count >= most {
            if *count == 0 {
                counts.remove(&key);
            }
            return None;
        }
        *count = count.saturating_add(1);
        Some(Share { shares: self.clone(), key })
    }

    fn give_back(&self, key: &Key) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        match counts.get_mut(key) {
            Some(count) if *count > 1 => *count = count.saturating_sub(1),
            _ => drop(counts.remove(key)),
        }
    }

    /// How many there are for whom anything is counted.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// One of what is counted.
pub(crate) struct Share {
    shares: Arc<Shares>,
    key: Key,
}

impl Drop for Share {
    fn drop(&mut self) {
        self.shares.give_back(&self.key);
    }
}
