//! What the house itself sets. It belongs to no single person, and is sealed with the house's own key.

use crate::{Result, Tx, Vault, args, crypto::seal::CellPlace, database::row::row};
use domain::Timestamp;

/// What is added to every agent's prompt.
pub const CUSTOM_PROMPT: &str = "custom_prompt";
/// The model of agents that have none of their own.
pub const DEFAULT_MODEL: &str = "default_model";
/// Raised with every change of providers, of the default model and of what is added to every prompt; it is read together with
/// every agent, so that a process which keeps them in memory learns what another process has changed.
pub const MODELS: &str = "models";

row! {
    struct HouseRow {
        body: Vec<u8>,
    }
}

fn place<'a>(name: &'a &'a str) -> CellPlace<'a> {
    CellPlace::new("house", "body", name)
}

/// The words under a name.
pub fn get(tx: &mut Tx, vault: &Vault, name: &str) -> Result<Option<String>> {
    let found: Option<HouseRow> = tx.maybe("SELECT body FROM house WHERE name = $1", args![name])?;
    let open = |row: HouseRow| vault.open(place(&name), &row.body);
    let words = found.map(open).transpose()?;
    Ok(words.map(|words| String::from_utf8_lossy(&words).into_owned()))
}

/// Sets them, or takes them away.
pub fn put(tx: &mut Tx, vault: &Vault, name: &str, words: Option<&str>, at: Timestamp) -> Result<()> {
    let Some(words) = words else {
        tx.run("DELETE FROM house WHERE name = $1", args![name])?;
        return Ok(());
    };
    let sealed = vault.seal(place(&name), words.as_bytes())?;
    tx.run(
        "INSERT INTO house (name, updated_at, body) VALUES ($1, $2, $3) \
         ON CONFLICT (name) DO UPDATE SET updated_at = $2, body = $3",
        args![name, at, sealed],
    )?;
    Ok(())
}

/// How often it was raised, in numbers that only grow; 0 = never.
pub fn version(tx: &mut Tx, name: &str) -> Result<u64> {
    let found: Option<u64> = tx.maybe("SELECT updated_at FROM house WHERE name = $1", args![name])?;
    Ok(found.unwrap_or_default())
}

/// Makes the version under a name grow.
pub fn raise(tx: &mut Tx, vault: &Vault, name: &str, at: Timestamp) -> Result<()> {
    let sealed = vault.seal(place(&name), b"")?;
    tx.run(
        "INSERT INTO house (name, updated_at, body) VALUES ($1, $2, $3) ON CONFLICT (name) DO UPDATE SET \
         updated_at = CASE WHEN house.updated_at < $2 THEN $2 ELSE house.updated_at + 1 END",
        args![name, at, sealed],
    )?;
    Ok(())
}
