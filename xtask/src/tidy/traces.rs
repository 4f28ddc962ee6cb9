//! Traces of unfinished work and of the machine it was written on.

use super::{Finding, source, tree::File};

/// Written in two pieces, because this file is checked too.
const MARKERS: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];
const MACHINE_FOLDERS: [&str; 4] = ["work", "home", "root", "Users"];

pub fn check(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        findings.extend(per_line(file, &file.text, written));
        if let Some(code) = &file.code {
            findings.extend(per_line(file, code, coded));
        }
    }
    findings
}

fn per_line(file: &File, text: &str, rule: fn(&str) -> Option<String>) -> Vec<Finding> {
    let lines = text.lines().enumerate();
    lines.filter_map(|(index, line)| Some(Finding::new(&file.path, index + 1, rule(line)?))).collect()
}

/// Rules for every written line, comments and documents too.
fn written(line: &str) -> Option<String> {
    if let Some(marker) = MARKERS.iter().find(|marker| source::find_word(line, marker).is_some()) {
        return Some(format!("{marker}: finish it, or leave it out"));
    }
    let folder = MACHINE_FOLDERS.iter().find(|folder| names_folder(line, folder))?;
    Some(format!("/{folder}/… exists on one machine only: use a relative path, `~` or a temporary directory"))
}

/// At the start of a path, not in the middle of a URL or of another path.
fn names_folder(line: &str, folder: &str) -> bool {
    let path = format!("/{folder}/");
    line.match_indices(&path).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        !before.is_some_and(|c| {
            source::is_word(&c) || matches!(c, '.' | '-' | '/' | '~' | '}' | ')' | '>' | '*')
        })
    })
}

/// Rules for code alone.
fn coded(line: &str) -> Option<String> {
    let squeezed: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    let macro_call = |name: &str| {
        let at = source::find_word(line, name)?;
        line.get(at + name.len()..).filter(|rest| rest.starts_with('!'))
    };
    if macro_call("todo").is_some() || macro_call("unimplemented").is_some() {
        return Some("unfinished code: write it, or return an error that says what is missing".to_owned());
    }
    if squeezed.contains("#[ignore]") {
        return Some("say why the test is ignored: #[ignore = \"…\"]".to_owned());
    }
    let unbounded = source::find_word(line, "unbounded_channel").is_some()
        || squeezed.contains("mpsc::channel()")
        || squeezed.contains("::unbounded(");
    unbounded.then(|| "a channel without bound is a leak waiting for load: give it a capacity".to_owned())
}
