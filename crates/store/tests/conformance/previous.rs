//! What the version before says to PostgreSQL is understood on today's schema: for one release both run side by side.
//!
//! `previous.sql` holds its statements, a line each: what kinds of values it has, a tab, its text. `scripts/previous.sh --record` writes it anew, with
//! each release.

use crate::world::World;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
};
use store::{Arg, Statement, Tx};

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("previous.sql")
}

/// Writes down the statements of this version, where `RECORD_STATEMENTS` names a file for them.
pub fn record<'a>(made: impl Iterator<Item = &'a Statement>) {
    let Some(path) = std::env::var_os("RECORD_STATEMENTS") else { return };
    // Rows that are written together make a text for each number of them: the shortest stands for all.
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for statement in made.filter(|made| made.postgres) {
        let kinds: String = statement.args.iter().map(kind).collect();
        let sql = statement.sql.split_whitespace().collect::<Vec<_>>().join(" ");
        let beginning = sql.split(" VALUES ").next().unwrap_or_default().to_owned();
        let line = format!("{kinds}\t{sql}");
        let known = texts.entry(beginning).or_insert_with(|| line.clone());
        if line.len() < known.len() {
            *known = line;
        }
    }
    let lines: BTreeSet<String> = texts.into_values().collect();
    fs::write(path, lines.into_iter().map(|line| line + "\n").collect::<String>()).unwrap();
}

fn kind(arg: &Arg) -> char {
    match arg {
        Arg::Int(_) => 'i',
        Arg::Text(_) => 't',
        Arg::Bytes(_) => 'b',
    }
}

fn none_of(kind: char) -> Arg {
    match kind {
        'i' => Arg::Int(None),
        't' => Arg::Text(None),
        _ => Arg::Bytes(None),
    }
}

/// What of the record would fail on the schema of this database.
async fn misunderstood(world: &World) -> Vec<String> {
    let record = fs::read_to_string(file()).unwrap();
    let mut problems = Vec::new();
    for line in record.lines() {
        let (kinds, sql) = line.split_once('\t').unwrap();
        let (explained, args) = (format!("EXPLAIN {sql}"), kinds.chars().map(none_of).collect());
        let read = move |tx: &mut Tx| tx.all::<String>(&explained, args);
        if let Err(error) = world.store.read(read).await {
            problems.push(format!("{error}: {sql}"));
        }
    }
    let needed = "SELECT table_name::text, column_name::text FROM information_schema.columns \
                  WHERE table_schema = 'public' AND is_nullable = 'NO' AND column_default IS NULL";
    let needed: Vec<(String, String)> =
        world.store.read(move |tx: &mut Tx| tx.all(needed, vec![])).await.unwrap();
    for (table, columns) in record.lines().filter_map(inserted) {
        for (_, column) in needed.iter().filter(|(of, _)| *of == table) {
            if !columns.contains(&column.as_str()) {
                problems.push(format!(
                    "{table}.{column} is not filled by the version before, and has no default"
                ));
            }
        }
    }
    problems
}

/// The table and the columns that a statement of the record inserts into.
fn inserted(line: &str) -> Option<(&str, Vec<&str>)> {
    let (_, rest) = line.split_once("INSERT INTO ")?;
    let (table, rest) = rest.split_once(" (")?;
    let (columns, _) = rest.split_once(')')?;
    Some((table, columns.split(", ").collect()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_version_before_is_understood_on_todays_schema() {
    let Some(world) = World::on_postgres().await else { return };
    let problems = misunderstood(&world).await;
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

/// The test sees a step of the schema that a node of the version before would not survive.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_that_the_version_before_does_not_survive_is_seen() {
    let breaks = [
        ("ALTER TABLE nodes RENAME COLUMN seen_at TO seen", "seen_at"),
        ("ALTER TABLE nodes ADD COLUMN needed TEXT NOT NULL", "nodes.needed"),
    ];
    for (step, named) in breaks {
        let Some(world) = World::on_postgres().await else { return };
        world.store.write(move |tx: &mut Tx| tx.run(step, vec![])).await.unwrap();
        let problems = misunderstood(&world).await;
        assert!(problems.iter().any(|problem| problem.contains(named)), "{step}: {problems:?}");
    }
}
