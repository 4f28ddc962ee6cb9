//! A struct and a folder hold what a reader can keep in mind at once.

use super::{
    Finding,
    exceptions::{self, Candidate},
    source,
    tree::File,
};
use std::collections::{BTreeMap, BTreeSet};

const FIELDS: usize = 15;
const ENTRIES: usize = 30;
/// The engine's root has the rooms, and the ground they stand on.
const ROOMY: (&str, usize) = ("crates/engine/src", 40);

/// Their width is that of a table, a document or a command line, not of an object.
const SHAPED_OUTSIDE: [&str; 5] = ["Serialize", "Deserialize", "JsonSchema", "Args", "Parser"];
const TABLES: &str = "crates/store/src/table/";

pub fn check(files: &[File]) -> Vec<Finding> {
    let programs = files.iter().filter(|file| file.code.is_some());
    let structs = programs.filter(|file| !file.path.starts_with(TABLES)).flat_map(wide_structs);
    let mut findings = exceptions::apply("struct-width", files, structs.collect());
    let sources = files
        .iter()
        .filter(|file| file.code.is_some() || [".ts", ".mjs"].iter().any(|end| file.path.ends_with(end)));
    findings.extend(exceptions::apply("folder-width", files, wide_folders(sources)));
    findings
}

fn wide_structs(file: &File) -> Vec<Candidate> {
    let code = file.code.as_deref().unwrap_or_default();
    let structs = source::structs(code).into_iter().filter(|found| found.fields > FIELDS);
    let own = structs.filter(|found| !SHAPED_OUTSIDE.iter().any(|name| found.attributes.contains(name)));
    let candidates = own.map(|found| {
        let advice = format!(
            "struct {} has {} fields: make parts of it that are about one thing each (at most {FIELDS})",
            found.name, found.fields
        );
        let key = format!("{} struct {}", file.path, found.name);
        Candidate::new(key, Finding::new(&file.path, found.line, advice))
    });
    candidates.collect()
}

fn wide_folders<'a>(sources: impl Iterator<Item = &'a File>) -> Vec<Candidate> {
    let mut folders: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in sources {
        let mut path = file.path.as_str();
        while let Some((folder, entry)) = path.rsplit_once('/') {
            folders.entry(folder).or_default().insert(entry);
            path = folder;
        }
    }
    let most = |folder: &str| if folder == ROOMY.0 { ROOMY.1 } else { ENTRIES };
    let wide = folders.into_iter().filter(|(folder, entries)| entries.len() > most(folder));
    let candidates = wide.map(|(folder, entries)| {
        let advice = format!(
            "{} entries: put what belongs together into a folder (at most {})",
            entries.len(),
            most(folder)
        );
        Candidate::new(folder, Finding::new(folder, 1, advice))
    });
    candidates.collect()
}
