//! The schema's versions. A step is one transaction, so a program killed in the middle starts the step again.

use crate::{Error, Result, Tx, args};

/// One text for both engines: integers are BIGINT, and BLOB is spelt BYTEA for PostgreSQL. What only one of them needs
/// is a line that begins with `-- sqlite: ` or `-- postgres: `.
///
/// The numbers grow, but need not be dense: whichever of them a database has not seen are run, in order.
const STEPS: &[(u64, &str)] = &[
    (1, include_str!("../../migrations/0001_spine.sql")),
    (2, include_str!("../../migrations/0002_people.sql")),
    (3, include_str!("../../migrations/0003_providers.sql")),
    (4, include_str!("../../migrations/0004_content.sql")),
    (5, include_str!("../../migrations/0005_upkeep.sql")),
    (6, include_str!("../../migrations/0006_doors.sql")),
    (9, include_str!("../../migrations/0009_markup.sql")),
    (10, include_str!("../../migrations/0010_session_files.sql")),
    (11, include_str!("../../migrations/0011_abilities.sql")),
    (12, include_str!("../../migrations/0012_compactions.sql")),
    (13, include_str!("../../migrations/0013_errands.sql")),
    (14, include_str!("../../migrations/0014_small_prompts.sql")),
    (15, include_str!("../../migrations/0015_gate.sql")),
    (16, include_str!("../../migrations/0016_labels_and_budgets.sql")),
    (17, include_str!("../../migrations/0017_whose_words.sql")),
    (18, include_str!("../../migrations/0018_bridges_and_offers.sql")),
    (19, include_str!("../../migrations/0019_audit_seal.sql")),
    (20, include_str!("../../migrations/0020_durable.sql")),
    (22, include_str!("../../migrations/0022_requests_sent.sql")),
    (23, include_str!("../../migrations/0023_known_places.sql")),
    (24, include_str!("../../migrations/0024_found_by_index.sql")),
    (25, include_str!("../../migrations/0025_texts_of_files.sql")),
    (26, include_str!("../../migrations/0026_keeping.sql")),
    (27, include_str!("../../migrations/0027_library_and_links.sql")),
    (28, include_str!("../../migrations/0028_account_links.sql")),
    (29, include_str!("../../migrations/0029_chosen_model.sql")),
    (30, include_str!("../../migrations/0030_versions.sql")),
    (31, include_str!("../../migrations/0031_link_names.sql")),
    (32, include_str!("../../migrations/0032_folder_files.sql")),
    (33, include_str!("../../migrations/0033_one_turn.sql")),
    (34, include_str!("../../migrations/0034_nodes.sql")),
    (35, include_str!("../../migrations/0035_lists_by_index.sql")),
    (36, include_str!("../../migrations/0036_for_all_nodes.sql")),
    (37, include_str!("../../migrations/0037_handed_keys.sql")),
    (38, include_str!("../../migrations/0038_draining.sql")),
    (FLOOR_SINCE, include_str!("../../migrations/0039_schema_floor.sql")),
    (40, include_str!("../../migrations/0040_who_backs_up.sql")),
    (41, include_str!("../../migrations/0041_numbers.sql")),
    (42, include_str!("../../migrations/0042_knowledge.sql")),
    (43, include_str!("../../migrations/0043_schedules.sql")),
    (44, include_str!("../../migrations/0044_reminders.sql")),
];

/// The step since which the schema says how old a program may be.
const FLOOR_SINCE: u64 = 39;
/// A step that waits for longer than this for what nodes of the version before do holds them all up: it steps back, and tries again.
const LOCK_PATIENCE: &str = "SET LOCAL lock_timeout = '3s'";

/// Any number: what counts is that every node locks the same one.
const LOCK: i64 = 0x6d61_6a6f_7264_6f6d;

/// The newest version this program knows.
pub fn schema_version() -> u64 {
    STEPS.last().map_or(0, |(version, _)| *version)
}

/// Every version this program knows, the oldest first.
pub fn schema_versions() -> Vec<u64> {
    STEPS.iter().map(|(version, _)| *version).collect()
}

/// The text of a step, in SQLite's spelling.
pub(crate) fn text(version: u64) -> Option<&'static str> {
    STEPS.iter().find(|(known, _)| *known == version).map(|(_, text)| *text)
}

/// Takes one step and says which; `None` when the schema is the newest.
pub(crate) fn step(tx: &mut Tx) -> Result<Option<u64>> {
    if tx.is_postgres() {
        // Nodes that start together wait here, for as long as the first one needs; the lock goes with the transaction.
        tx.script(&format!("SELECT pg_advisory_xact_lock({LOCK})"))?;
    }
    begin(tx)?;
    let applied = applied(tx)?;
    check_usable(&applied, floor(tx, &applied)?)?;
    if tx.is_postgres() {
        tx.script(LOCK_PATIENCE)?;
    }
    match STEPS.iter().find(|(version, _)| !applied.contains(version)) {
        Some((version, _)) => take(tx, *version).map(|()| Some(*version)),
        None => Ok(None),
    }
}

pub(crate) fn begin(tx: &mut Tx) -> Result<()> {
    tx.script("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT PRIMARY KEY)")
}

/// Runs one step, whatever was run before.
pub(crate) fn take(tx: &mut Tx, version: u64) -> Result<()> {
    let unknown = Error::NewerSchema { found: version, known: schema_version() };
    let text = text(version).ok_or(unknown)?;
    tx.script(&spelt(text, tx.is_postgres()))?;
    tx.run("INSERT INTO schema_version (version) VALUES ($1)", args![version])?;
    Ok(())
}

/// The steps a database has seen; it must have the table.
pub(crate) fn applied(tx: &mut Tx) -> Result<Vec<u64>> {
    tx.all("SELECT version FROM schema_version ORDER BY version", args![])
}

/// A version that this program does not know was made by a newer one.
pub(crate) fn check_known(applied: &[u64]) -> Result<()> {
    match applied.iter().find(|version| text(**version).is_none()) {
        Some(found) => Err(Error::NewerSchema { found: *found, known: schema_version() }),
        None => Ok(()),
    }
}

/// The newest version that a program has to know to work on this schema. Only where several nodes may share it: on SQLite there is one
/// program at a time, and it knows everything.
pub(crate) fn floor(tx: &mut Tx, applied: &[u64]) -> Result<Option<u64>> {
    match tx.is_postgres() && applied.contains(&FLOOR_SINCE) {
        true => tx.maybe("SELECT /* PostgreSQL */ version FROM schema_floor WHERE id = 1", args![]),
        false => Ok(None),
    }
}

/// As [`check_known`], unless the newer program has left everything that this one needs.
pub(crate) fn check_usable(applied: &[u64], floor: Option<u64>) -> Result<()> {
    match floor {
        Some(floor) if floor <= schema_version() => Ok(()),
        _ => check_known(applied),
    }
}

/// The text as one of the engines reads it.
fn spelt(text: &str, postgres: bool) -> String {
    match postgres {
        true => text.replace(" BLOB", " BYTEA").replace("-- postgres: ", ""),
        false => text.replace("-- sqlite: ", ""),
    }
}
