//! Filling a database from a backup, in one transaction.

use super::{
    ClosedAccess, Halted, Kind, Part, Progress, Restoring, Stage, Table,
    archive::Archive,
    checksum::{RowSum, checksum},
    halt, rows, schema, ways_in,
    write::each_row,
};
use crate::{
    Arg, Result, Tx, args,
    audit::{self, Action, AuditEntry},
    crypto::key_ring,
    database::migrate,
    store,
};
use serde_json::json;
use std::io::Read as _;

/// Rows and bytes that are sent to the database at once.
const ROWS: usize = 500;
const BYTES: usize = 4 << 20;

/// Puts everything into a database that is empty, or whose tables are dropped; compares what is there
/// afterwards with what the backup says. If it is to be used and not only looked at, makes sure that one of the keys is
/// its master key, brings the schema up to date, closes the ways in that it has and stops the work of that time.
pub(crate) fn load(
    tx: &mut Tx,
    archive: &mut Archive,
    how: Option<&Restoring>,
    progress: &Progress,
) -> Result<(ClosedAccess, Halted)> {
    let manifest = archive.manifest.clone();
    let tables = schema::tables(&manifest.versions)?;
    let same = tables.len() == manifest.parts.len()
        && tables.iter().zip(&manifest.parts).all(|(table, part)| table.name == part.table);
    if !same {
        return Err(archive.damaged("its tables do not match its version"));
    }
    build(tx, &manifest.versions, &tables)?;
    progress.begin(Stage::Restoring, manifest.rows);
    defer_references(tx)?;
    for (table, part) in tables.iter().zip(&manifest.parts) {
        fill(tx, archive, table, part, progress)?;
    }
    check_references(tx)?;
    if contents(tx, &manifest.versions, &tables)? != manifest.checksum {
        return Err(archive.damaged("the restored data has another checksum than the saved data"));
    }
    let Some(how) = how else { return Ok((ClosedAccess::default(), Halted::default())) };
    key_ring::check(tx, &manifest.versions, &how.keys)?;
    // The process that opens it next must find nothing left to do before it sees what is marked here.
    while store::step(tx, &how.keys)? {}
    let ended = ways_in::close(tx, how)?;
    let halted = halt::halt(tx, how.at)?;
    note(tx, how, ended, halted)?;
    Ok((ended, halted))
}

/// The audit log says what was ended, also where it was nothing: by this entry machines know that what they have noted of the
/// log is gone by right.
fn note(tx: &mut Tx, how: &Restoring, ended: ClosedAccess, halted: Halted) -> Result<()> {
    let vault = key_ring::open(tx, &how.keys)?;
    let detail = json!({
        "ended_logins": ended.logins, "revoked_keys": ended.keys,
        "ended_account_links": ended.account_links, "ended_session_links": ended.session_links,
        "halted_turns": halted.turns, "dropped_rules": halted.rules, "dropped_deletions": halted.deletions,
        "paused_schedules": halted.schedules,
    });
    let entry = AuditEntry::new(how.at, "operator".to_owned(), None, Action::HouseRestored, "house", detail);
    audit::append(tx, &vault, entry)
}

/// An empty schema of exactly these versions, in the place of whatever was there.
fn build(tx: &mut Tx, versions: &[u64], tables: &[Table]) -> Result<()> {
    if tx.is_postgres() {
        for table in schema::tables(&migrate::schema_versions())? {
            tx.script(&format!("DROP TABLE IF EXISTS {} CASCADE", table.name))?;
        }
        tx.script("DROP TABLE IF EXISTS schema_version")?;
    }
    migrate::begin(tx)?;
    for version in versions {
        migrate::take(tx, *version)?;
    }
    // What migrations themselves have put there is in the backup too.
    for table in tables {
        tx.run(&format!("DELETE FROM {}", table.name), Vec::new())?;
    }
    Ok(())
}

/// The constraints that point from table to table, as ALTER TABLE wants them named.
const REFERENCES: &str = "SELECT CAST(conrelid AS regclass)::text, quote_ident(conname) FROM pg_constraint \
     WHERE contype = 'f' AND connamespace = CAST(current_schema() AS regnamespace)";

/// Rows come in any order, so references are looked at when all are there.
fn defer_references(tx: &mut Tx) -> Result<()> {
    if !tx.is_postgres() {
        return tx.script("PRAGMA defer_foreign_keys = ON");
    }
    for (table, name) in tx.all::<(String, String)>(REFERENCES, args![])? {
        let defer = format!("ALTER TABLE {table} ALTER CONSTRAINT {name} DEFERRABLE INITIALLY DEFERRED");
        tx.script(&defer)?;
    }
    Ok(())
}

fn check_references(tx: &mut Tx) -> Result<()> {
    if !tx.is_postgres() {
        return Ok(());
    }
    tx.script("SET CONSTRAINTS ALL IMMEDIATE")?;
    for (table, name) in tx.all::<(String, String)>(REFERENCES, args![])? {
        tx.script(&format!("ALTER TABLE {table} ALTER CONSTRAINT {name} NOT DEFERRABLE"))?;
    }
    Ok(())
}

fn fill(tx: &mut Tx, archive: &mut Archive, table: &Table, part: &Part, progress: &Progress) -> Result<()> {
    let kinds: Vec<Kind> = table.columns.iter().map(|(_, kind)| *kind).collect();
    let damaged = archive.damaged_part(part);
    let mut reader = archive.part(part)?;
    let mut left = part.bytes;
    let (mut values, mut waiting, mut bytes) = (Vec::<Arg>::new(), 0_usize, 0_usize);
    let mut row = Vec::new();
    while left > 0 {
        let mut head = [0_u8; 4];
        reader.read_exact(&mut head).map_err(|_| damaged.clone())?;
        let length = rows::announced(head).ok_or_else(|| damaged.clone())?;
        let taken = u64::try_from(length).unwrap_or(u64::MAX).saturating_add(4);
        left = left.checked_sub(taken).ok_or_else(|| damaged.clone())?;
        row.resize(length, 0);
        reader.read_exact(&mut row).map_err(|_| damaged.clone())?;
        values.extend(rows::decode(&row, &kinds).ok_or_else(|| damaged.clone())?);
        waiting = waiting.saturating_add(1);
        bytes = bytes.saturating_add(length);
        if waiting >= ROWS || bytes >= BYTES || left == 0 {
            tx.insert(&table.insert(), kinds.len(), std::mem::take(&mut values))?;
            progress.advance(u64::try_from(waiting).unwrap_or_default())?;
            (waiting, bytes) = (0, 0);
        }
    }
    Ok(())
}

/// The checksum of what is in the database now.
pub(crate) fn contents(tx: &mut Tx, versions: &[u64], tables: &[Table]) -> Result<String> {
    let mut sums = Vec::new();
    for table in tables {
        let mut sum = RowSum::default();
        each_row(tx, table, &mut |row| {
            sum.add(row);
            Ok(())
        })?;
        sums.push((table.name.as_str(), sum.rows, sum.hex()));
    }
    Ok(checksum(versions, sums.iter().map(|(name, rows, sum)| (*name, *rows, sum.as_str()))))
}
