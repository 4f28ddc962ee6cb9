//! Looking for lines in files, with a pattern that anybody may have written.
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
/// Of a line that is longer only the beginning is looked at.
const LINE_BYTES: usize = 8 << 10;
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
        if content.iter().take(LOOKED_AT).any(|byte| *byte == 0) {
            self.found.skipped += 1;
            return true;
        }
        let text = String::from_utf8_lossy(content);
        for (line, number) in text.lines().zip(1_u64..) {
            if late() {
                self.found.truncated = true;
                return false;
            }
            let looked_at = line.get(..line.floor_char_boundary(LINE_BYTES)).unwrap_or(line);
            if !self.line.is_match(looked_at) {
                continue;
            }
            if self.found.matches.len() >= self.most {
                self.found.truncated = true;
                return false;
            }
            let shown: String = line.chars().take(SHOWN_CHARS).collect();
            self.found.matches.push(Match { path: path.clone(), line_number: number, line: shown });
        }
        true
    }
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
            FileError::Pattern(format!("{what} is no regular expression: {why}"))
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
        let words = "the pattern of paths must not be empty, and has only characters that a path can have";
        return Err(FileError::Pattern(words.to_owned()));
    }
    compile(&text, "the pattern of paths")
}

#[cfg(test)]
#[path = "grep_tests.rs"]
mod tests;
