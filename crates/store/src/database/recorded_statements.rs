//! Which statements the store made, for the test that asks each database how it would find their rows. Nothing is kept unless
//! that test has asked for it.

use crate::Arg;
use std::{
    collections::BTreeMap,
    sync::{Mutex, OnceLock, PoisonError},
};

/// A statement as it was made the first time.
#[derive(Clone, Debug)]
pub struct Statement {
    pub postgres: bool,
    pub sql: String,
    pub args: Vec<Arg>,
}

type Made = BTreeMap<(bool, String), Vec<Arg>>;

static MADE: OnceLock<Mutex<Made>> = OnceLock::new();

/// From now on every text is kept once for each kind of database, with the values of its first use.
pub fn record_statements() {
    MADE.get_or_init(Mutex::default);
}

/// Those that were made since.
pub fn recorded_statements() -> Vec<Statement> {
    let Some(made) = MADE.get() else { return Vec::new() };
    let made = made.lock().unwrap_or_else(PoisonError::into_inner);
    let statement = |((postgres, sql), args): (&(bool, String), &Vec<Arg>)| Statement {
        postgres: *postgres,
        sql: sql.clone(),
        args: args.clone(),
    };
    made.iter().map(statement).collect()
}

pub(crate) fn note(postgres: bool, sql: &str, args: &[Arg]) {
    let Some(made) = MADE.get() else { return };
    let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
    made.entry((postgres, sql.to_owned())).or_insert_with(|| args.to_vec());
}
