//! Enough of Rust's lexical structure to tell code from comments and strings.

/// The same text, line for line and column for column, with comments and literals turned into spaces.
pub fn blank(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(&current) = characters.get(at) {
        let rest = characters.get(at..).unwrap_or_default();
        let after_word = at.checked_sub(1).and_then(|before| characters.get(before)).is_some_and(is_word);
        let length = if after_word { 0 } else { raw_string(rest) }.max(literal_or_comment(rest));
        if length == 0 {
            out.push(current);
            at += 1;
        } else {
            out.extend(rest.iter().take(length).map(|c| if *c == '\n' { '\n' } else { ' ' }));
            at += length;
        }
    }
    out
}

pub fn is_word(character: &char) -> bool {
    character.is_alphanumeric() || *character == '_'
}

/// How many characters the comment, string or character literal that begins here has; 0 if none does.
fn literal_or_comment(rest: &[char]) -> usize {
    match rest {
        ['/', '/', ..] => rest.iter().position(|c| *c == '\n').unwrap_or(rest.len()),
        ['/', '*', ..] => block_comment(rest),
        ['"', ..] => string(rest),
        // A lifetime has no closing quote after its first character.
        ['\'', '\\', ..] => 2 + closing(rest.get(2..).unwrap_or_default(), '\''),
        ['\'', _, '\'', ..] => 3,
        _ => 0,
    }
}

fn block_comment(rest: &[char]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        match rest.get(at..) {
            Some(['/', '*', ..]) => (depth, at) = (depth + 1, at + 2),
            Some(['*', '/', ..]) if depth == 1 => return at + 2,
            Some(['*', '/', ..]) => (depth, at) = (depth.saturating_sub(1), at + 2),
            _ => at += 1,
        }
    }
    rest.len()
}

fn string(rest: &[char]) -> usize {
    1 + closing(rest.get(1..).unwrap_or_default(), '"')
}

/// Up to and including the quote that is not escaped. The first character may be what a backslash escaped.
fn closing(rest: &[char], quote: char) -> usize {
    let mut at = usize::from(quote == '\'');
    while let Some(current) = rest.get(at) {
        match *current {
            '\\' => at += 2,
            c if c == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// `r"…"`, `r#"…"#`, `br##"…"##`.
fn raw_string(rest: &[char]) -> usize {
    let prefix = match rest {
        ['r', ..] => 1,
        ['b' | 'c', 'r', ..] => 2,
        _ => return 0,
    };
    let tail = rest.get(prefix..).unwrap_or_default();
    let hashes = tail.iter().take_while(|c| **c == '#').count();
    if tail.get(hashes) != Some(&'"') {
        return 0;
    }
    let mut end = vec!['"'];
    end.extend(std::iter::repeat_n('#', hashes));
    let body = tail.get(hashes + 1..).unwrap_or_default();
    let length =
        body.windows(end.len()).position(|window| window == end).map_or(body.len(), |at| at + end.len());
    prefix + hashes + 1 + length
}

/// Where a whole word stands in a line, not as a part of a longer one.
pub fn find_word(line: &str, word: &str) -> Option<usize> {
    line.match_indices(word).map(|(at, _)| at).find(|at| {
        let before = line.get(..*at).and_then(|text| text.chars().next_back());
        let after = line.get(at + word.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(|c| is_word(&c)) && !after.is_some_and(|c| is_word(&c))
    })
}

/// A function: its name, its first line (from 1) and how many lines it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    pub line: usize,
    pub lines: usize,
}

/// The functions with a body in blanked code, nested ones too.
pub fn functions(code: &str) -> Vec<Function> {
    let mut found = Vec::new();
    let mut offset = 0;
    for (index, line) in code.split_inclusive('\n').enumerate() {
        if let Some(at) = find_word(line, "fn") {
            let tail = code.get(offset + at + 2..).unwrap_or_default();
            let name: String = tail.trim_start().chars().take_while(is_word).collect();
            if let Some(lines) = body_lines(tail).filter(|_| !name.is_empty()) {
                found.push(Function { name, line: index + 1, lines });
            }
        }
        offset += line.len();
    }
    found
}

/// How many lines there are up to the brace that closes the body; `None` for a declaration without one.
fn body_lines(tail: &str) -> Option<usize> {
    let (mut lines, mut braces, mut brackets) = (1_usize, 0_usize, 0_usize);
    for character in tail.chars() {
        match character {
            '\n' => lines += 1,
            '(' | '[' => brackets += 1,
            ')' | ']' => brackets = brackets.saturating_sub(1),
            ';' if braces == 0 && brackets == 0 => return None,
            '{' => braces += 1,
            '}' if braces <= 1 => return (braces == 1).then_some(lines),
            '}' => braces -= 1,
            _ => {}
        }
    }
    None
}

/// A struct with named fields: its name, line (from 1), number of fields, and the attributes in front of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Struct {
    pub name: String,
    pub line: usize,
    pub fields: usize,
    pub attributes: String,
}

/// The structs with named fields in blanked code.
pub fn structs(code: &str) -> Vec<Struct> {
    let mut found = Vec::new();
    let mut attributes = String::new();
    let mut offset = 0;
    for (index, line) in code.split_inclusive('\n').enumerate() {
        let trimmed = line.trim();
        if let Some(at) = find_word(line, "struct") {
            let tail = code.get(offset + at + "struct".len()..).unwrap_or_default();
            let name: String = tail.trim_start().chars().take_while(is_word).collect();
            if let Some(fields) = fields(tail).filter(|_| !name.is_empty()) {
                let attributes = std::mem::take(&mut attributes);
                found.push(Struct { name, line: index + 1, fields, attributes });
            }
        }
        if trimmed.starts_with("#[") {
            attributes.push_str(trimmed);
        } else if !trimmed.is_empty() {
            attributes.clear();
        }
        offset += line.len();
    }
    found
}

/// How many named fields there are up to the brace that closes the struct; `None` for one without a body in braces.
fn fields(tail: &str) -> Option<usize> {
    let head = tail.find(['{', ';', '('])?;
    let body = tail.get(head..)?.strip_prefix('{')?;
    let (mut depth, mut count, mut before) = (0_usize, 0, ' ');
    let mut characters = body.chars().peekable();
    while let Some(character) = characters.next() {
        let single = before != ':' && characters.peek() != Some(&':');
        match character {
            '{' | '(' | '[' | '<' => depth += 1,
            // The arrow of a function type closes nothing.
            '>' if before == '-' => {}
            '}' if depth == 0 => return Some(count),
            '}' | ')' | ']' | '>' => depth = depth.saturating_sub(1),
            ':' if depth == 0 && single => count += 1,
            _ => {}
        }
        before = character;
    }
    None
}

/// The types that a file declares at its top level, and their lines.
pub fn types(code: &str) -> Vec<(&str, usize)> {
    let declared = code.lines().zip(1..).filter_map(|(line, number)| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let kind = words.iter().position(|word| ["struct", "enum", "trait", "type"].contains(word))?;
        let before = words.get(..kind)?.iter().all(|word| word.starts_with("pub") || *word == "unsafe");
        let name = words.get(kind + 1)?;
        let end = name.find(|c: char| !is_word(&c)).unwrap_or(name.len());
        (before && !line.starts_with(' ')).then_some((name.get(..end)?, number))
    });
    declared.collect()
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;
