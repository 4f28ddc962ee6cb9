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
    for statement in file.text.split_inclusive(';') {
        if let Some(advice) = broken_by(&without_comments(statement)) {
            let blank = statement
                .lines()
                .take_while(|line| line.trim().is_empty() || line.trim().starts_with("--"))
                .count();
            findings.push(Finding::new(&file.path, line + blank, advice));
        }
        line += statement.matches('\n').count();
    }
    findings
}

fn without_comments(statement: &str) -> String {
    let lines = statement.lines().map(|line| line.split("--").next().unwrap_or_default());
    let text = lines.collect::<Vec<_>>().join(" ").to_uppercase();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a program of the version before would not survive.
fn broken_by(statement: &str) -> Option<&'static str> {
    let has = |words: &str| statement.contains(words);
    let drops = statement.starts_with("DROP ") && !statement.starts_with("DROP INDEX ");
    if drops || has(" DROP ") || has(" RENAME ") || has(" ALTER COLUMN ") {
        return Some(
            "the version before may still need this: begin the step with `-- contract:` once no program does",
        );
    }
    let adds = statement.starts_with("ALTER TABLE ") && has(" NOT NULL") && !has(" DEFAULT ");
    adds.then_some("the version before does not fill this column: give it a DEFAULT, or leave out NOT NULL")
}
