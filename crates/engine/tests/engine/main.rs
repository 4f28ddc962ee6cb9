//! What the engine promises, tried on a real store with a scripted model. The only fake is the model.

#![cfg(test)]
#![expect(clippy::disallowed_methods, reason = "tests end the tasks that they start")]

mod world;

mod abilities;
mod approvals;
mod assertions;
mod backups;
mod bridging;
mod budgets;
mod calls;
mod colleagues;
mod commands;
mod compaction;
mod endings;
mod failures;
mod feedback;
mod files;
mod fork;
mod history;
mod hooks;
mod idempotency;
mod interruptions;
mod labels;
mod laundering;
mod leave;
mod limits;
mod markup;
mod overspend;
mod overview;
mod pictures;
mod plain;
mod programs;
mod providers;
mod questions;
mod queue;
mod readers;
mod recovery;
mod removal;
mod restoring;
mod search;
mod shutdown;
mod spending;
mod statements;
mod steering;
mod stopping;
mod titles;
mod tree;
mod unpriced;
mod usage;
mod ways_out;
mod web;
mod wedged;
mod week;
mod wrecks;
