//! Every requirement in `docs/spec` is named by a test, and every id that a test names is a requirement.

use super::{Finding, tree::File};
use std::collections::{BTreeMap, BTreeSet};

const PAGES: &str = "docs/spec/";

/// A row of a page.
struct Requirement<'a> {
    page: &'a str,
    line: usize,
    /// It waits for something that does not exist yet.
    pending: bool,
}

pub fn check(files: &[File]) -> Vec<Finding> {
    let mut requirements = BTreeMap::new();
    let mut findings = Vec::new();
    let mut prefixes = BTreeSet::new();
    for page in files.iter().filter(|file| file.path.starts_with(PAGES) && file.name() != "README.md") {
        prefixes.insert(format!("{}-", page.name().trim_end_matches(".md").to_uppercase()));
        findings.extend(rows(page, &mut requirements));
    }
    let mut named = BTreeSet::new();
    for test in files.iter().filter(|file| is_test(&file.path)) {
        for (line, id) in ids(&test.text, &prefixes) {
            if !requirements.contains_key(&id) {
                findings.push(Finding::new(&test.path, line, format!("{id} is not in {PAGES}: add its row")));
            }
            named.insert(id);
        }
    }
    findings.extend(requirements.iter().filter_map(|(id, row)| judge(id, row, named.contains(id))));
    findings
}

fn judge(id: &str, row: &Requirement<'_>, named: bool) -> Option<Finding> {
    let problem = match (row.pending, named) {
        (false, false) => format!("no test names {id}: write it, or say what the row is pending for"),
        (true, true) => format!("a test names {id}: it is not pending any more"),
        _ => return None,
    };
    Some(Finding::new(row.page, row.line, problem))
}

/// The rows of a page; an id that is there twice is a finding.
fn rows<'a>(page: &'a File, requirements: &mut BTreeMap<String, Requirement<'a>>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in page.text.lines().enumerate() {
        let cell = line.strip_prefix("| ").and_then(|row| row.split(" |").next()).unwrap_or_default();
        let is_id = cell.split_once('-').is_some_and(|(_, number)| is_number(number));
        if !is_id {
            continue;
        }
        let row = Requirement { page: &page.path, line: index + 1, pending: line.contains("**pending") };
        if requirements.insert(cell.to_owned(), row).is_some() {
            findings.push(Finding::new(&page.path, index + 1, format!("{cell} is there twice")));
        }
    }
    findings
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_test(path: &str) -> bool {
    let in_tests = path.starts_with("tests/") || path.contains("/tests/");
    path.ends_with("_tests.rs") || (path.ends_with(".rs") && in_tests)
}

/// What looks like an id of one of the pages, with its line.
fn ids(text: &str, prefixes: &BTreeSet<String>) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for prefix in prefixes {
            for (at, _) in line.match_indices(prefix.as_str()) {
                let rest = line.get(at + prefix.len()..).unwrap_or_default();
                let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
                if !digits.is_empty() {
                    found.push((index + 1, format!("{prefix}{digits}")));
                }
            }
        }
    }
    found
}
