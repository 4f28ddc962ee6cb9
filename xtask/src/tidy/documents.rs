//! The documents exist, point at things that exist, and name every crate.

use super::{Finding, packages::Package, source, tree::File};
use std::path::Path;

const REQUIRED: [&str; 6] =
    ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "LICENSE"];
const DECISIONS: &str = "docs/adr/";
const DECISION_INDEX: &str = "docs/adr/README.md";
const ARCHITECTURE: &str = "ARCHITECTURE.md";
const WALKTHROUGHS: &str = "docs/walkthrough/";
/// As many lines have room on what a reader follows at one go.
const LINES: [(&str, usize); 2] = [(ARCHITECTURE, 190), (WALKTHROUGHS, 40)];
const ENGINE: &str = "crates/engine/src";
const SOURCE_ENDINGS: [&str; 6] = [".rs", ".md", ".toml", ".sh", ".sql", ".ts"];

pub fn check(root: &Path, packages: &[Package], files: &[File]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = REQUIRED
        .iter()
        .filter(|name| !root.join(name).is_file())
        .map(|name| Finding::new(name, 1, "write it: every reader looks for it"))
        .collect();
    findings.extend(decisions(files));
    findings.extend(decisions_in_order(files));
    findings.extend(files.iter().filter_map(too_long));
    if let Some(architecture) = files.iter().find(|file| file.path == ARCHITECTURE) {
        findings.extend(crates_named(architecture, packages));
        findings.extend(starts_exist(root, architecture));
        findings.extend(invariants_are_tried(architecture, files));
    }
    for document in files.iter().filter(|file| names_paths(&file.path)) {
        findings.extend(paths_exist(root, document, files));
    }
    for document in files.iter().filter(|file| file.path.ends_with(".md")) {
        findings.extend(links_exist(root, document));
    }
    findings
}

fn decisions(files: &[File]) -> Vec<Finding> {
    let index = files.iter().find(|file| file.path == DECISION_INDEX);
    let text = index.map(|file| file.text.as_str()).unwrap_or_default();
    let decisions = files.iter().filter_map(|file| {
        let name = file.path.strip_prefix(DECISIONS).filter(|name| *name != "README.md")?;
        (!text.contains(&format!("({name})")))
            .then(|| Finding::new(&file.path, 1, format!("link it from {DECISION_INDEX}: [title]({name})")))
    });
    decisions.collect()
}

/// The index has the decisions by their numbers, and says which numbers were never used.
fn decisions_in_order(files: &[File]) -> Vec<Finding> {
    let Some(index) = files.iter().find(|file| file.path == DECISION_INDEX) else { return Vec::new() };
    let listed: Vec<(u32, usize)> = (index.text.lines().zip(1..))
        .filter_map(|(line, number)| Some((line.strip_prefix("- [")?.get(..4)?.parse().ok()?, number)))
        .collect();
    let unsorted = listed.windows(2).filter_map(|pair| match pair {
        [(before, _), (after, line)] if before >= after => Some(Finding::new(
            DECISION_INDEX,
            *line,
            format!("{after:04} stands behind {before:04}: sort it"),
        )),
        _ => None,
    });
    let last = listed.iter().map(|(number, _)| *number).max().unwrap_or_default();
    let untold = (1..=last).filter(|number| {
        !listed.iter().any(|(known, _)| known == number) && !index.text.contains(&format!("{number:04}"))
    });
    let untold = untold.map(|number| {
        Finding::new(
            DECISION_INDEX,
            1,
            format!("{number:04} is missing: list it, or say that it was never used"),
        )
    });
    unsorted.chain(untold).collect()
}

fn too_long(file: &File) -> Option<Finding> {
    let (_, most) = LINES.iter().find(|(path, _)| file.path.starts_with(path))?;
    let lines = file.text.lines().count();
    (lines > *most).then(|| {
        Finding::new(
            &file.path,
            most + 1,
            format!("it has {lines} lines: say it in {most}, which is one reading"),
        )
    })
}

fn crates_named(architecture: &File, packages: &[Package]) -> Vec<Finding> {
    let products = packages.iter().filter(|package| package.is_product());
    let unnamed = products.filter(|package| !architecture.text.contains(&package.directory));
    unnamed
        .map(|package| Finding::new(ARCHITECTURE, 1, format!("say what `{}` is for", package.directory)))
        .collect()
}

/// The table of the crates says where to start in each: the paths in the last column begin at the crate's own sources.
fn starts_exist(root: &Path, architecture: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, number) in architecture.text.lines().zip(1..) {
        let Some((sources, _, starts)) = crate_row(root, line) else { continue };
        let gone = quoted(starts).filter(|start| !root.join(&sources).join(start).exists());
        findings.extend(
            gone.map(|start| {
                Finding::new(ARCHITECTURE, number, format!("`{sources}/{start}` does not exist"))
            }),
        );
    }
    findings
}

/// Of a line of that table: the folder of the crate's sources, what stands before the last column, and the last column.
fn crate_row<'a>(root: &Path, line: &'a str) -> Option<(String, &'a str, &'a str)> {
    let (before, starts) = line.strip_prefix('|')?.trim_end_matches([' ', '|']).rsplit_once('|')?;
    let sources = format!("{}/src", quoted(before.split('|').nth(1)?).next()?);
    root.join(&sources).is_dir().then_some((sources, before, starts))
}

/// What stands in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The documents that a reader follows with the files open.
fn names_paths(path: &str) -> bool {
    path == ARCHITECTURE || path.starts_with(WALKTHROUGHS)
}

/// Each line of the table of invariants ends with a test that exists: a function, a path, or a target of make.
fn invariants_are_tried(architecture: &File, files: &[File]) -> Vec<Finding> {
    let lines = architecture.text.lines().zip(1..);
    let invariants = lines.filter(|(line, _)| line.starts_with("| I-"));
    let mut findings = Vec::new();
    for (line, number) in invariants {
        let tried = line.trim_end_matches([' ', '|']).rsplit('|').next().unwrap_or_default();
        let names: Vec<&str> = quoted(tried).collect();
        if names.is_empty() {
            findings.push(Finding::new(ARCHITECTURE, number, "name the test that tries this invariant"));
        }
        let functions = names.iter().filter(|name| name.chars().all(|c| source::is_word(&c)));
        let gone = functions.filter(|name| !is_function(name, files));
        findings.extend(gone.map(|name| {
            Finding::new(
                ARCHITECTURE,
                number,
                format!("there is no test `{name}` (any more): name the one there is"),
            )
        }));
    }
    findings
}

fn is_function(name: &str, files: &[File]) -> bool {
    let head = format!("fn {name}(");
    files.iter().any(|file| file.code.as_deref().is_some_and(|code| code.contains(&head)))
}

/// Every file that is named in backticks is where the document says it is.
fn paths_exist(root: &Path, document: &File, files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in document.text.lines().enumerate() {
        // Where to start is looked up in the crate itself.
        let line = crate_row(root, line).map_or(line, |(_, before, _)| before);
        for path in quoted(line).filter(|text| is_path(root, text) && !exists(root, text, files)) {
            findings.push(Finding::new(&document.path, index + 1, format!("`{path}` does not exist")));
        }
    }
    findings
}

/// A relative path without placeholders that begins with a folder of ours or ends like one of our files.
fn is_path(root: &Path, text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    if text.is_empty() || text.starts_with('/') || !text.chars().all(plain) {
        return false;
    }
    let first = text.split('/').next().unwrap_or_default();
    let in_our_folder =
        text.contains('/') && (root.join(first).is_dir() || root.join(ENGINE).join(first).is_dir());
    in_our_folder || SOURCE_ENDINGS.iter().any(|ending| text.ends_with(ending) && text.len() > ending.len())
}

/// `crates/turn/src/step.rs`, or short: `turn/step.rs`, `step.rs`, and `inbox/accept.rs` for a room of the engine.
fn exists(root: &Path, path: &str, files: &[File]) -> bool {
    if root.join(path).exists() || root.join(ENGINE).join(path).exists() {
        return true;
    }
    match path.split_once('/') {
        Some((crate_name, rest)) => root.join(format!("crates/{crate_name}/src/{rest}")).exists(),
        None => files.iter().any(|file| file.name() == path),
    }
}

fn links_exist(root: &Path, document: &File) -> Vec<Finding> {
    let folder = document.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut findings = Vec::new();
    for (index, line) in document.text.lines().enumerate() {
        let targets = line.split("](").skip(1).filter_map(|tail| tail.split(')').next());
        for target in targets {
            let path = target.split(['#', ' ']).next().unwrap_or_default();
            let is_outside = path.is_empty() || path.contains(':') || path.starts_with('/');
            if !is_outside && !root.join(folder).join(path).exists() {
                findings.push(Finding::new(
                    &document.path,
                    index + 1,
                    format!("the link to {path} is broken"),
                ));
            }
        }
    }
    findings
}
