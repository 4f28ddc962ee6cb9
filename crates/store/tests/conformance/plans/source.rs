//! The statements that stand in the source of the store.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Asked of a database that exists in memory for a moment, to learn what a table looks like, of PostgreSQL's counters, and of no table.
const ELSEWHERE: [&str; 7] = [
    "pragma_table_info(?1)",
    "name NOT LIKE 'sqlite_%'",
    "pg_stat_get_dead_tuples($1::regclass)",
    "pg_is_in_recovery()",
    "SELECT pg_advisory_xact_lock(",
    "clock_timestamp()",
    "SELECT pg_notify(j->>0, j->>1)",
];
const VERBS: [&str; 5] = ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH "];

/// A statement as it is written: with `{}` where something else is put in.
pub struct Text {
    pub file: String,
    pub sql: String,
}

impl Text {
    /// What only one kind of database understands stands where only that kind is asked, and so does what says for which it is.
    pub fn is_for(&self, postgres: bool) -> bool {
        let has = |words: &[&str]| words.iter().any(|word| self.sql.contains(word));
        let lite = has(&["sqlite_", "pragma_", "/* SQLite */"]);
        let other = has(&["pg_", "information_schema", "/* PostgreSQL */"]);
        if postgres { !lite } else { !other }
    }

    /// How much of a statement it says.
    pub fn certain(&self) -> usize {
        pieces(&self.sql).iter().map(String::len).sum()
    }

    /// Was this statement made of it? What was added behind its end belongs to it.
    pub fn fits(&self, statement: &str) -> bool {
        let mut pieces = pieces(&self.sql).into_iter();
        let first = pieces.next().unwrap_or_default();
        let Some(mut rest) = statement.strip_prefix(first.as_str()) else { return false };
        pieces.all(|piece| match rest.find(&piece) {
            Some(at) => {
                rest = &rest[at + piece.len()..];
                true
            }
            None => false,
        })
    }
}

/// What stands between the places.
fn pieces(sql: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut inside = false;
    for character in sql.chars() {
        match character {
            '{' => {
                inside = true;
                pieces.push(String::new());
            }
            '}' => inside = false,
            _ if inside => {}
            other => pieces.last_mut().unwrap().push(other),
        }
    }
    pieces
}

pub fn texts() -> Vec<Text> {
    let mut texts = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path: PathBuf = entry.unwrap().path();
            let name = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
            match path.is_dir() {
                true => folders.push(path),
                false if name.ends_with("_tests.rs") || !name.ends_with(".rs") => {}
                false => texts.extend(in_source(&name, &fs::read_to_string(&path).unwrap())),
            }
        }
    }
    texts.retain(|text: &Text| !ELSEWHERE.iter().any(|words| text.sql.contains(words)));
    texts
}

fn in_source(file: &str, source: &str) -> Vec<Text> {
    let begins = source
        .match_indices('"')
        .filter(|(at, _)| VERBS.iter().any(|verb| source[at + 1..].starts_with(verb)));
    let text = |(at, _): (usize, &str)| Text { file: file.to_owned(), sql: literal(&source[at + 1..]) };
    begins.map(text).collect()
}

/// Up to the quote that ends it; a line that ends with a backslash goes on where the next one has words.
fn literal(rest: &str) -> String {
    let mut out = String::new();
    let mut characters = rest.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' => break,
            '\\' => match characters.next() {
                Some('\n') => while characters.next_if(|next| next.is_whitespace()).is_some() {},
                Some(other) => out.push(other),
                None => break,
            },
            other => out.push(other),
        }
    }
    out
}
