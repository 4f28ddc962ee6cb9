//! A thorough look at a database, without changing anything in it; it may be in use meanwhile.

use crate::{
    Error, KeyRing, Result, Tx, args, audit,
    crypto::key_ring,
    database::{inspect, row::row},
    nodes::{self, NodeRow},
    providers::{self, StoredModels},
};
use domain::{Timestamp, UserId};

/// What is found at most of each kind of damage.
const MOST: usize = 20;

/// What was found. Everything that is empty is as it should be.
#[derive(Clone, Debug)]
pub struct Checkup {
    /// What the database itself finds wrong with its file, and references that lead nowhere.
    pub damage: Vec<String>,
    /// PostgreSQL looks after its own files.
    pub looked_at_pages: bool,
    /// How many entries the audit log has, or where it is broken; or why no key could be tried.
    pub audit: Result<u64>,
    /// How many people there are.
    pub people: u64,
    /// Those whose data key no master key at hand opens; or why none could be tried.
    pub locked_out: Result<Vec<UserId>>,
    /// When anything was last done; a clock that says less is wrong.
    pub newest: Option<Timestamp>,
    /// Settings of a PostgreSQL server with which it forgets what it has acknowledged.
    pub forgetful: Vec<String>,
    /// The servers that work on a PostgreSQL database.
    pub nodes: Vec<NodeRow>,
}

row! {
    struct Dangling {
        table: String,
        row: Option<i64>,
        parent: String,
        reference: i64,
    }
}

/// The schema must be the newest: see [`inspect`](crate::inspect).
/// `note` is what this machine has noted of the audit log.
pub async fn checkup(url: &str, keys: &KeyRing, note: Option<Vec<u8>>) -> Result<Checkup> {
    let keys = keys.clone();
    inspect::reading(url, move |tx: &mut Tx| examine(tx, &keys, note.as_deref())).await
}

/// What admins have stored about models, read without changing anything; the schema must be the newest.
pub async fn stored_models(url: &str, keys: &KeyRing) -> Result<StoredModels> {
    let keys = keys.clone();
    let read = move |tx: &mut Tx| {
        let vault = key_ring::open(tx, &keys)?;
        providers::stored(tx, &vault)
    };
    inspect::reading(url, read).await
}

fn examine(tx: &mut Tx, keys: &KeyRing, note: Option<&[u8]>) -> Result<Checkup> {
    let damage = if tx.is_postgres() { Vec::new() } else { damage(tx)? };
    Ok(Checkup {
        damage,
        looked_at_pages: !tx.is_postgres(),
        audit: found(log(tx, keys, note))?,
        people: tx.one("SELECT COUNT(*) FROM users", args![])?,
        locked_out: found(locked_out(tx, keys))?,
        newest: tx.one::<(Option<Timestamp>,)>("SELECT MAX(updated_at) FROM sessions", args![])?.0,
        forgetful: forgetful(tx)?,
        nodes: if tx.is_postgres() { nodes::list(tx, Timestamp::from_millis(0))? } else { Vec::new() },
    })
}

/// What is wrong with the contents is a finding; a database that does not answer is a failure.
fn found<T>(outcome: Result<T>) -> Result<Result<T>> {
    match outcome {
        Err(
            error @ (Error::Audit { .. } | Error::WrongMasterKey | Error::Crypto { .. } | Error::Corrupt(_)),
        ) => Ok(Err(error)),
        Err(error) => Err(error),
        Ok(value) => Ok(Ok(value)),
    }
}

fn damage(tx: &mut Tx) -> Result<Vec<String>> {
    let pages: Vec<String> = tx.all(&format!("PRAGMA integrity_check({MOST})"), args![])?;
    let mut damage: Vec<String> = pages.into_iter().filter(|line| line != "ok").collect();
    let dangling: Vec<Dangling> = tx.all("PRAGMA foreign_key_check", args![])?;
    let told = dangling.iter().take(MOST).map(|Dangling { table, row, parent, reference }| {
        format!("row {} of {table} refers to a missing row of {parent} ({reference})", row.unwrap_or(0))
    });
    damage.extend(told);
    Ok(damage)
}

fn log(tx: &mut Tx, keys: &KeyRing, note: Option<&[u8]>) -> Result<u64> {
    let vault = key_ring::open(tx, keys)?;
    let entries = audit::verify(tx, &vault)?;
    if let Some(note) = note {
        audit::check_note(tx, &vault, note)?;
    }
    Ok(entries)
}

fn locked_out(tx: &mut Tx, keys: &KeyRing) -> Result<Vec<UserId>> {
    let vault = key_ring::open(tx, keys)?;
    let everybody: Vec<(UserId, Vec<u8>)> = tx.all("SELECT id, data_key FROM users", args![])?;
    let closed = everybody.into_iter().filter(|(user, wrapped)| vault.unwrap(*user, wrapped).is_err());
    Ok(closed.map(|(user, _)| user).collect())
}

fn forgetful(tx: &mut Tx) -> Result<Vec<String>> {
    let mut found = Vec::new();
    if tx.is_postgres() {
        for name in ["fsync", "synchronous_commit", "full_page_writes"] {
            let value: String = tx.one(&format!("SHOW {name}"), args![])?;
            if value == "off" {
                found.push(format!("{name} = off"));
            }
        }
    }
    Ok(found)
}
