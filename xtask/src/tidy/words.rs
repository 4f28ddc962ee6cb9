//! Texts for people name who does what, with one word per thing: in the strings of the program and of the page, and in the
//! documents. A file that still has an old word is listed; the list may only shrink.

use super::{
    Finding,
    exceptions::{self, Candidate},
    source,
    tree::File,
};

/// What is said instead.
const OLD_WORDS: [(&str, &str); 6] = [
    ("whoever", "the person, the agent or the program that it is"),
    ("nobody", "the person, the agent or the program that it is"),
    ("somebody", "the person, the agent or the program that it is"),
    ("cage", "sandbox"),
    ("knocking", "connecting"),
    ("move in", "create account"),
];
/// Those that the scripts of the page have as names, too; a script is read as a whole.
const NAMES: [(&str, &str); 2] = [("deed", "action"), ("deeds", "actions")];
const PROGRAM: [&str; 2] = ["crates/", "web/src/"];
const DOCUMENTS: [&str; 4] = ["README.md", "SECURITY.md", "CHANGELOG.md", "docs/"];
/// Decisions keep the words in which they were made.
const DECISIONS: &str = "docs/adr/";

pub fn check(files: &[File]) -> Vec<Finding> {
    let candidates = files.iter().filter(|file| speaks_to_people(&file.path)).filter_map(|file| {
        let told = texts(file);
        let names: &[(&str, &str)] = if file.path.ends_with(".ts") { &[] } else { &NAMES };
        let old_words: Vec<&(&str, &str)> = OLD_WORDS.iter().chain(names).collect();
        let (line, old, better) = told.iter().find_map(|(text, number)| {
            let (old, better) = old_words.iter().find(|(old, _)| source::find_word(text, old).is_some())?;
            Some((*number, old, better))
        })?;
        let advice = format!("people read `{old}` here: say {better}");
        Some(Candidate::new(file.path.as_str(), Finding::new(&file.path, line, advice)))
    });
    exceptions::apply("words", files, candidates.collect())
}

fn speaks_to_people(path: &str) -> bool {
    let is_program = PROGRAM.iter().any(|folder| path.starts_with(folder))
        && [".rs", ".ts"].iter().any(|ending| path.ends_with(ending))
        && !path.contains("/tests/")
        && !path.contains("_tests.rs")
        && !path.contains("/examples/");
    let is_document = DOCUMENTS.iter().any(|folder| path.starts_with(folder)) && path.ends_with(".md");
    is_program || (is_document && !path.starts_with(DECISIONS))
}

/// What a file may say to people, in small letters, and in which lines: the strings of a program, all of a document.
fn texts(file: &File) -> Vec<(String, usize)> {
    let Some(code) = &file.code else {
        let is_page = file.path.ends_with(".ts");
        let lines = file.text.lines().zip(1..);
        let shown = lines.filter(|(line, _)| !is_page || !is_comment(line));
        return shown.map(|(line, number)| (line.to_lowercase(), number)).collect();
    };
    let lines = file.text.lines().zip(code.lines()).zip(1..).filter(|((line, _), _)| !is_comment(line));
    lines.map(|((line, code), number)| (strings(line, code).to_lowercase(), number)).collect()
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "/*", "*"].iter().any(|sign| line.starts_with(sign))
}

/// What is blanked out of a line of code, without the comment at its end.
fn strings(line: &str, code: &str) -> String {
    let hidden: String =
        line.chars().zip(code.chars()).map(|(text, code)| if code == ' ' { text } else { ' ' }).collect();
    hidden.split(" // ").next().unwrap_or_default().to_owned()
}
