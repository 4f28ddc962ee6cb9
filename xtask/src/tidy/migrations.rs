//! Steps of the schema that programs of the version before survive: they run beside the new ones for one release.

use super::{Finding, tree::File};

const FOLDER: &str = "crates/store/migrations/";
/// Older steps were taken by programs that did not run side by side.
const RULED_SINCE: u64 = 36;
/// How a step begins that takes away what no program that is still allowed needs.
const CONTRACT: &str = "-- contract:";
const RAISES_FLOOR: &str = "UPDATE schema_floor SET version";

pub fn check(files: &[File]) -> Vec<Finding> {
    files.iter().filter(|file| is_ruled(file)).flat_map(step).collect()
}

fn is_ruled(file: &File) -> bool {
    let number = file.path.strip_prefix(FOLDER).and_then(|name| name.split('_').next());
    number.and_then(|number| number.parse().ok()).is_some_and(|number: u64| number >= RULED_SINCE)
}

fn step(file: &File) -> Vec<Finding> {
    if file.text.starts_with(CONTRACT) {
        let raises = file.text.contains(RAISES_FLOOR);
        let advice = "a step that takes something away says which programs may still work: UPDATE schema_floor SET version = …";
        return if raises { Vec::new() } else { vec![Finding::new(&file.path, 1, advice)] };
    }
    let mut findings = Vec::new();
    let mut line = 1;
    let made = tables_made(&file.text);
    for statement in file.text.split_inclusive(';') {
        if let Some(advice) = broken_by(&without_comments(statement), &made) {
            let blank = statement
                .lines()
                .take_while(|line| line.trim().is_empty() || for_one(line).starts_with("--"))
                .count();
            findings.push(Finding::new(&file.path, line + blank, advice));
        }
        line += statement.matches('\n').count();
    }
    findings
}

fn without_comments(statement: &str) -> String {
    let lines = statement.lines().map(|line| for_one(line).split("--").next().unwrap_or_default());
    let text = lines.collect::<Vec<_>>().join(" ").to_uppercase();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A line for one of the databases is no comment.
fn for_one(line: &str) -> &str {
    let line = line.trim();
    ["-- postgres: ", "-- sqlite: "].iter().find_map(|one| line.strip_prefix(one)).unwrap_or(line)
}

/// The tables that a step makes: no program of the version before writes to them.
fn tables_made(step: &str) -> Vec<String> {
    let named = |statement: &str| {
        let text = without_comments(statement);
        let rest = text.strip_prefix("CREATE TABLE ")?;
        let rest = rest.strip_prefix("IF NOT EXISTS ").unwrap_or(rest);
        rest.split([' ', '(']).next().map(str::to_owned)
    };
    step.split(';').filter_map(named).collect()
}

/// The table that a statement ties down: it would refuse what the version before writes.
fn tied_down(statement: &str) -> Option<&str> {
    if statement.starts_with("CREATE UNIQUE INDEX ") {
        return statement.split(" ON ").nth(1)?.split([' ', '(']).next();
    }
    let table = statement.strip_prefix("ALTER TABLE ")?;
    let table = table.strip_prefix("IF EXISTS ").unwrap_or(table);
    let table = table.strip_prefix("ONLY ").unwrap_or(table);
    let ties = [
        " ADD CONSTRAINT ",
        " CHECK ",
        " CHECK(",
        " UNIQUE",
        " ADD PRIMARY KEY",
        " ADD FOREIGN KEY",
        " ADD EXCLUDE ",
    ];
    let is_tied = ties.iter().any(|words| statement.contains(words));
    is_tied.then(|| table.split(' ').next()).flatten()
}

/// What a program of the version before would not survive.
fn broken_by(statement: &str, made: &[String]) -> Option<&'static str> {
    let has = |words: &str| statement.contains(words);
    let drops = statement.starts_with("DROP ") && !statement.starts_with("DROP INDEX ");
    if drops || has(" DROP ") || has(" RENAME ") || has(" ALTER COLUMN ") {
        return Some(
            "the version before may still need this: begin the step with `-- contract:` once no program does",
        );
    }
    if tied_down(statement).is_some_and(|table| !made.iter().any(|new| new == table)) {
        return Some(
            "the version before may write what this refuses: begin the step with `-- contract:` once no program does",
        );
    }
    if statement.starts_with("DELETE ") || statement.starts_with("TRUNCATE ") {
        return Some(
            "the version before may still need these rows: begin the step with `-- contract:` once no program does",
        );
    }
    let adds = statement.starts_with("ALTER TABLE ") && has(" NOT NULL") && !has(" DEFAULT ");
    adds.then_some("the version before does not fill this column: give it a DEFAULT, or leave out NOT NULL")
}
