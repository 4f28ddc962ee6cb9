//! Looking for lines in files, with a pattern that a model or a person wrote.
//!
//! THREAT[files-03]: a pattern can be made to take for ever. The engine behind this one takes linear time, a pattern that
//! would be large is refused before it is tried, and lines, matches and time are bounded.

use capability::{FileError, Grep, Match, Matches};
use domain::FilePath;
use regex::{Regex, RegexBuilder};

const PATTERN_CHARS: usize = 1_000;
/// What a pattern may take in memory when it is compiled.
const PATTERN_BYTES: usize = 1 << 20;
const NESTING: u32 = 50;
/// A longer line is looked at in pieces of this size, with a look at the clock between them.
const PIECE_BYTES: usize = 32 << 10;
/// Each piece begins so far before the end of the one before it: what fits is found wherever it stands.
const OVERLAP_BYTES: usize = 16 << 10;
/// How much before a found place is shown, where the place is not at the beginning of its line.
const BEFORE_CHARS: usize = 80;
/// Of a line that fits so much is shown.
const SHOWN_CHARS: usize = 200;
/// A zero byte among the first of a file says that it is not text.
const LOOKED_AT: usize = 8 << 10;

pub(crate) struct Grepper {
    line: Regex,
    path: Option<Regex>,
    most: usize,
    pub(crate) found: Matches,
}

impl Grepper {
    pub(crate) fn new(grep: &Grep) -> Result<Self, FileError> {
        if grep.pattern.is_empty() {
            return Err(FileError::Pattern("the pattern must not be empty".to_owned()));
        }
        let line = compile(&grep.pattern, "the pattern")?;
        let path = grep.path_pattern.as_deref().map(path_pattern).transpose()?;
        Ok(Self { line, path, most: grep.most, found: Matches::default() })
    }

    pub(crate) fn wants(&self, path: &FilePath) -> bool {
        self.path.as_ref().is_none_or(|pattern| pattern.is_match(path.as_str()))
    }

    /// Looks through one file. `false` says that no other needs to be looked at.
    pub(crate) fn look(&mut self, path: &FilePath, content: &[u8], late: &dyn Fn() -> bool) -> bool {
        if is_binary(content) {
            self.found.skipped += 1;
            return true;
        }
        let text = String::from_utf8_lossy(content);
        for (line, number) in text.lines().zip(1_u64..) {
            if late() {
                self.found.truncated = true;
                return false;
            }
            let end = match self.end_of_match(line, late) {
                Looked::Found(end) => end,
                Looked::Nothing => continue,
                Looked::Late => {
                    self.found.truncated = true;
                    return false;
                }
            };
            if self.found.matches.len() >= self.most {
                self.found.truncated = true;
                return false;
            }
            self.found.matches.push(Match {
                path: path.clone(),
                line_number: number,
                line: shown(line, end),
            });
        }
        true
    }

    /// Where the first match of a line is complete.
    fn end_of_match(&self, line: &str, late: &dyn Fn() -> bool) -> Looked {
        let mut start = 0;
        loop {
            let end = line.floor_char_boundary(start + PIECE_BYTES);
            let last = end >= line.len();
            // What stands before a piece is part of the text, so that only the line's beginning is one.
            let before = line.floor_char_boundary(start.saturating_sub(1));
            let piece = line.get(before..end).unwrap_or_default();
            let found = self.line.shortest_match_at(piece, start - before).map(|found| before + found);
            match found {
                // The end of a piece is not the end of its line; the next piece has both.
                Some(found) if last || found < end => return Looked::Found(found),
                _ if last => return Looked::Nothing,
                _ if late() => return Looked::Late,
                _ => start = line.floor_char_boundary(end.saturating_sub(OVERLAP_BYTES)),
            }
        }
    }
}

pub(crate) fn is_binary(content: &[u8]) -> bool {
    content.iter().take(LOOKED_AT).any(|byte| *byte == 0)
}

enum Looked {
    Found(usize),
    Nothing,
    Late,
}

/// The beginning of a line; what is around the place that was found, where that is further on.
fn shown(line: &str, end: usize) -> String {
    let before = line.get(..end).unwrap_or_default();
    if before.chars().nth(SHOWN_CHARS).is_none() {
        return line.chars().take(SHOWN_CHARS).collect();
    }
    let start = before.char_indices().rev().nth(BEFORE_CHARS).map_or(0, |(at, _)| at);
    let around = line.get(start..).unwrap_or_default().chars().take(SHOWN_CHARS - 1);
    std::iter::once('…').chain(around).collect()
}

fn compile(pattern: &str, what: &str) -> Result<Regex, FileError> {
    if pattern.chars().count() > PATTERN_CHARS {
        return Err(FileError::Pattern(format!("{what} may have at most {PATTERN_CHARS} characters")));
    }
    let built = RegexBuilder::new(pattern)
        .size_limit(PATTERN_BYTES)
        .dfa_size_limit(PATTERN_BYTES)
        .nest_limit(NESTING)
        .build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => FileError::Pattern(format!(
            "{what} would become too large: use smaller repetitions, or repetitions that are not nested"
        )),
        regex::Error::Syntax(words) => {
            let why = words.lines().last().unwrap_or_default().trim_start_matches("error: ");
            FileError::Pattern(format!("{what} is not a regular expression: {why}"))
        }
        _ => FileError::Pattern(format!("{what} cannot be used")),
    })
}

/// `*` and `?` stand for anything within a name, `**` for anything; without a `/` the name alone has to fit.
fn path_pattern(pattern: &str) -> Result<Regex, FileError> {
    let mut text = match pattern.strip_prefix('/') {
        Some(_) => String::from("^"),
        None => String::from("/"),
    };
    let mut rest = pattern.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '*' if rest.peek() == Some(&'*') => {
                rest.next();
                text.push_str(".*");
            }
            '*' => text.push_str("[^/]*"),
            '?' => text.push_str("[^/]"),
            other => text.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
        }
    }
    text.push('$');
    if pattern.is_empty() || !pattern.chars().all(FilePath::may_hold) {
        let words = "the path pattern must not be empty, and may only have characters that a path can have";
        return Err(FileError::Pattern(words.to_owned()));
    }
    compile(&text, "the path pattern")
}

#[cfg(test)]
#[path = "grep_tests.rs"]
mod tests;
