//! How much the store was asked to do. Tests hold a plain turn to its budget with these.

use std::sync::atomic::{AtomicU64, Ordering};

/// Since the store was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// SQL statements of transactions; BEGIN, COMMIT, SAVEPOINT and their like are not counted.
    pub statements: u64,
    /// COMMITs of writing transactions: one per batch on SQLite, one per transaction on PostgreSQL.
    pub commits: u64,
    /// SQL statements by which this node tells others something. No turn waits for them.
    pub node_statements: u64,
    /// Reads on SQLite that another thread did for the one that asked; the others were done where they were asked for.
    pub handed_over: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Counters {
    statements: AtomicU64,
    commits: AtomicU64,
    node_statements: AtomicU64,
    handed_over: AtomicU64,
}

impl Counters {
    pub fn statement(&self) {
        self.statements.fetch_add(1, Ordering::Relaxed);
    }

    pub fn commit(&self) {
        self.commits.fetch_add(1, Ordering::Relaxed);
    }

    pub fn node_statement(&self) {
        self.node_statements.fetch_add(1, Ordering::Relaxed);
    }

    pub fn handed_over(&self) {
        self.handed_over.fetch_add(1, Ordering::Relaxed);
    }

    pub fn read(&self) -> Counts {
        Counts {
            statements: self.statements.load(Ordering::Relaxed),
            commits: self.commits.load(Ordering::Relaxed),
            node_statements: self.node_statements.load(Ordering::Relaxed),
            handed_over: self.handed_over.load(Ordering::Relaxed),
        }
    }
}
