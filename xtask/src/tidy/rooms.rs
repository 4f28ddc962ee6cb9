//! The rooms of the engine have an order: a room uses rooms before it, never one behind it.
//!
//! Two ways of using a room are seen: a path `crate::room::…`, and a call of a method that a room gives to `Engine`.

use super::{
    Finding,
    exceptions::{self, Candidate},
    source,
    tree::File,
};
use std::collections::HashMap;

const ENGINE: &str = "crates/engine/src/";

/// The floor plan. What lies beside the rooms is the ground that all of them stand on.
const ORDER: [&str; 24] = [
    "faults",
    "bus",
    "reply",
    "follow",
    "files",
    "agents",
    "permission",
    "sessions",
    "knowledge",
    "schedules",
    "budget",
    "claim",
    "model",
    "errands",
    "ports",
    "calls",
    "summaries",
    "worker",
    "recovery",
    "waiting",
    "inbox",
    "upkeep",
    "clock",
    "commands",
];

/// They put the rooms together: what they give to others, what can be set of each, and how they start.
const ASSEMBLY: [&str; 3] = ["lib.rs", "settings.rs", "start.rs"];

pub fn check(files: &[File]) -> Vec<Finding> {
    let rooms: Vec<Room<'_>> = files.iter().filter_map(Room::of).collect();
    let given = methods(&rooms);
    let mut candidates = Vec::new();
    for room in &rooms {
        candidates.extend(room.paths());
        candidates.extend(room.calls(&given));
    }
    let mut findings = exceptions::apply("rooms", files, candidates);
    findings.extend(rooms.iter().filter_map(Room::unknown));
    findings
}

/// One file of the engine, and where it stands.
struct Room<'a> {
    file: &'a File,
    code: &'a str,
    /// Its path behind the root of the crate.
    path: &'a str,
    name: Option<&'a str>,
}

impl<'a> Room<'a> {
    fn of(file: &'a File) -> Option<Self> {
        let path = file.path.strip_prefix(ENGINE)?;
        let code = file.code.as_deref()?;
        let skipped = path.ends_with("_tests.rs") || path.starts_with("bin/") || ASSEMBLY.contains(&path);
        let name = path.split_once('/').map(|(room, _)| room);
        (!skipped).then_some(Self { file, code, path, name })
    }

    /// How many rooms it may use; the ground has none before it.
    fn rank(&self) -> usize {
        self.name.map_or(0, |name| rank(name).map_or(usize::MAX, |rank| rank + 1))
    }

    fn unknown(&self) -> Option<Finding> {
        let name = self.name.filter(|name| rank(name).is_none())?;
        let advice =
            format!("the room `{name}` has no place: put it into the order in xtask/src/tidy/rooms.rs");
        Some(Finding::new(&self.file.path, 1, advice))
    }

    fn is_behind(&self, other: &str) -> bool {
        self.name != Some(other) && rank(other).is_some_and(|rank| rank + 1 > self.rank())
    }

    fn here(&self) -> String {
        self.name.map_or_else(|| "the ground".to_owned(), |name| format!("`{name}`"))
    }

    /// `use crate::…` and paths in the code.
    fn paths(&self) -> Vec<Candidate> {
        let mut found = Vec::new();
        for (at, path) in self.code.match_indices("crate::") {
            let behind = self.code.get(at + path.len()..).unwrap_or_default();
            for room in first_names(behind).into_iter().filter(|room| self.is_behind(room)) {
                let advice = format!(
                    "{} uses `{room}`, which comes after it: move what is shared down, or return it to the caller",
                    self.here()
                );
                let finding = Finding::new(&self.file.path, line_at(self.code, at), advice);
                found.push(Candidate::new(format!("{} -> {room}", self.path), finding));
            }
        }
        found
    }

    /// Calls of methods of `Engine` that only a later room defines.
    fn calls(&self, given: &HashMap<&str, Vec<&str>>) -> Vec<Candidate> {
        let mut found = Vec::new();
        for (at, method) in calls_of_engine(self.code) {
            let Some(rooms) = given.get(method) else { continue };
            if rooms.iter().all(|room| self.is_behind(room)) {
                let room = rooms.first().copied().unwrap_or_default();
                let advice = format!(
                    "{} calls `Engine::{method}` of `{room}`, which comes after it: have it passed in, or move it down",
                    self.here()
                );
                let finding = Finding::new(&self.file.path, line_at(self.code, at), advice);
                found.push(Candidate::new(format!("{} -> {room}::{method}", self.path), finding));
            }
        }
        found
    }
}

fn rank(room: &str) -> Option<usize> {
    ORDER.iter().position(|name| *name == room)
}

/// The methods of `Engine`, and the rooms that give them.
fn methods<'a>(rooms: &[Room<'a>]) -> HashMap<&'a str, Vec<&'a str>> {
    let mut given: HashMap<&str, Vec<&str>> = HashMap::new();
    for room in rooms {
        for block in engine_blocks(room.code) {
            for (at, _) in block.match_indices("fn ") {
                let name = word(block.get(at + 3..).unwrap_or_default());
                given.entry(name).or_default().push(room.name.unwrap_or_default());
            }
        }
    }
    given
}

/// The insides of `impl Engine { … }`.
fn engine_blocks(code: &str) -> Vec<&str> {
    let heads = code.match_indices("impl Engine {");
    heads.map(|(at, head)| braced(code.get(at + head.len()..).unwrap_or_default())).collect()
}

/// `engine.method(` everywhere, and `self.method(` inside `impl Engine`.
fn calls_of_engine(code: &str) -> Vec<(usize, &str)> {
    let mut found = calls_on(code, "engine", 0);
    for block in engine_blocks(code) {
        let start = block.as_ptr().addr() - code.as_ptr().addr();
        found.extend(calls_on(block, "self", start));
    }
    found
}

fn calls_on<'a>(code: &'a str, receiver: &str, start: usize) -> Vec<(usize, &'a str)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices(receiver) {
        let before = code.get(..at).and_then(|text| text.chars().next_back());
        let Some(rest) = code.get(at + receiver.len()..) else { continue };
        let rest = rest.strip_prefix("()").unwrap_or(rest).trim_start();
        let Some(rest) = rest.strip_prefix('.') else { continue };
        let method = word(rest.trim_start());
        let behind = rest.trim_start().get(method.len()..).unwrap_or_default();
        if !before.is_some_and(|c| source::is_word(&c)) && behind.starts_with('(') {
            found.push((start + at, method));
        }
    }
    found
}

/// What stands directly behind `crate::`: one name, or the first names of a group.
fn first_names(behind: &str) -> Vec<&str> {
    let Some(group) = behind.strip_prefix('{') else { return vec![word(behind)] };
    let (mut depth, mut names, mut start) = (0_usize, Vec::new(), 0);
    let group = braced(group);
    for (at, character) in group.char_indices().chain([(group.len(), ',')]) {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                names.push(word(group.get(start..at).unwrap_or_default().trim_start()));
                start = at + 1;
            }
            _ => {}
        }
    }
    names
}

/// Up to the brace that closes what is already open.
fn braced(text: &str) -> &str {
    let mut depth = 1_usize;
    for (at, character) in text.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 1 => return text.get(..at).unwrap_or_default(),
            '}' => depth -= 1,
            _ => {}
        }
    }
    text
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| !source::is_word(&c)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

fn line_at(code: &str, at: usize) -> usize {
    code.get(..at).unwrap_or_default().matches('\n').count() + 1
}
