//! What breaks a rule today and is known: one list per rule under `xtask/exceptions`. A list may only shrink.

use super::{Finding, tree::File};
use std::collections::{BTreeMap, BTreeSet};

/// The folder of the lists, one file per rule.
pub const FOLDER: &str = "xtask/exceptions/";

/// A broken rule, and the words under which a list would name it.
pub struct Candidate {
    pub key: String,
    pub finding: Finding,
}

impl Candidate {
    pub fn new(key: impl Into<String>, finding: Finding) -> Self {
        Self { key: key.into(), finding }
    }
}

/// Candidates that no list names are findings; so is an entry of the list that nothing breaks any more.
pub fn apply(rule: &str, files: &[File], candidates: Vec<Candidate>) -> Vec<Finding> {
    let path = format!("{FOLDER}{rule}.txt");
    let listed = entries(files, &path);
    let broken: BTreeSet<&str> = candidates.iter().map(|candidate| candidate.key.as_str()).collect();
    let over = listed.iter().filter(|(entry, _)| !broken.contains(**entry));
    let over = over.map(|(entry, line)| {
        let advice = format!(
            "`{entry}` breaks the rule no more: take the line out (`cargo xtask tidy --shrink` does)"
        );
        Finding::new(&path, *line, advice)
    });
    let over: Vec<Finding> = over.collect();
    let new = candidates.iter().filter(|candidate| !listed.contains_key(candidate.key.as_str()));
    new.map(|candidate| candidate.finding.clone()).chain(over).collect()
}

fn entries<'a>(files: &'a [File], path: &str) -> BTreeMap<&'a str, usize> {
    let list = files.iter().find(|file| file.path == path);
    let lines = list.into_iter().flat_map(|file| file.text.lines().zip(1..));
    lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#')).collect()
}
