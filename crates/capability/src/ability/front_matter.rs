//! The block before the words of a file: between two lines of three double quotes, with headings, or between two lines
//! of three dashes, with nothing but `key: value`.

/// What a property may be about.
pub(super) const KNOWN: [&str; 8] =
    ["name", "type", "description", "condition", "category", "tags", "danger", "startup"];
/// What a block may be at most; whatever is longer was meant to be content.
const LINES: usize = 200;
const BYTES: usize = 16 << 10;
const KEYS: usize = 30;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct FrontMatterError {
    pub line: usize,
    pub problem: String,
}

/// One `key: value`, where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Property {
    pub(super) line: usize,
    pub(super) key: String,
    pub(super) value: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) description: String,
    pub(super) properties: Vec<Property>,
    pub(super) content: String,
}

#[derive(Clone, Copy, PartialEq)]
enum Section {
    /// Before any heading: the description, and properties among it that are known by their names.
    Opening,
    Description,
    Properties,
}

/// A file without a block is all content.
pub(super) fn split(text: &str) -> Result<Parts, FrontMatterError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let fence = match text.lines().next().map(str::trim_end) {
        Some(fence @ ("\"\"\"" | "---")) => fence,
        _ => return Ok(Parts { content: text.trim().to_owned(), ..Parts::default() }),
    };
    let mut block = Vec::new();
    let mut bytes = 0_usize;
    let mut lines = text.split_inclusive('\n').enumerate().skip(1);
    let first = text.split_inclusive('\n').next().map_or(0, str::len);
    let mut end = first;
    for (index, line) in lines.by_ref() {
        end += line.len();
        if line.trim_end() == fence {
            let content = text.get(end..).unwrap_or_default().trim().to_owned();
            return match fence {
                "---" => Ok(dashed(&block, content, text)),
                _ => quoted(&block, content),
            };
        }
        bytes += line.len();
        if block.len() >= LINES || bytes > BYTES {
            break;
        }
        block.push((index + 1, line.trim_end()));
    }
    match fence {
        // A line of dashes is a rule across the page, too.
        "---" => Ok(Parts { content: text.trim().to_owned(), ..Parts::default() }),
        _ => {
            let problem = format!(
                "the block that begins here is not closed: a line of three double quotes is missing within {LINES} lines"
            );
            Err(FrontMatterError { line: 1, problem })
        }
    }
}

/// Headings switch between the description and the properties; other headings are for people.
fn quoted(block: &[(usize, &str)], content: String) -> Result<Parts, FrontMatterError> {
    let mut parts = Parts { content, ..Parts::default() };
    let mut section = Section::Opening;
    let mut description = Vec::new();
    for &(line, text) in block {
        if let Some(heading) = text.trim_start().strip_prefix('#') {
            let heading = heading.trim_start_matches('#').trim().to_lowercase();
            match heading.as_str() {
                _ if heading.starts_with("description") => section = Section::Description,
                _ if heading.starts_with("propert") => section = Section::Properties,
                _ => {}
            }
        } else if let Some(known) = known_property(line, text).filter(|_| section == Section::Opening) {
            add(&mut parts.properties, known)?;
        } else if section != Section::Properties {
            description.push(text.trim());
        } else if !text.trim().is_empty() {
            let property = property(line, text).ok_or_else(|| FrontMatterError {
                line,
                problem: "write a property as key: value".to_owned(),
            })?;
            add(&mut parts.properties, property)?;
        }
    }
    parts.description = description.join("\n").trim().to_owned();
    Ok(parts)
}

/// Everything between dashes must be a property, or it is no block at all.
fn dashed(block: &[(usize, &str)], content: String, whole: &str) -> Parts {
    let mut parts = Parts { content, ..Parts::default() };
    let lines = block.iter().filter(|(_, text)| !text.trim().is_empty() && !text.starts_with('#'));
    for &(line, text) in lines {
        let added = property(line, text).map(|property| add(&mut parts.properties, property));
        if !matches!(added, Some(Ok(()))) {
            return Parts { content: whole.trim().to_owned(), ..Parts::default() };
        }
    }
    parts
}

fn known_property(line: usize, text: &str) -> Option<Property> {
    property(line, text).filter(|property| KNOWN.contains(&property.key.as_str()))
}

fn property(line: usize, text: &str) -> Option<Property> {
    let (key, value) = text.trim().split_once(':')?;
    let (key, value) = (key.trim(), value.trim());
    let identifier = !key.is_empty()
        && key.len() <= 40
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let unquoted = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    // Quotes around the whole of it are not part of it; those inside of a condition are.
    let value = unquoted.filter(|inner| !inner.contains('"')).unwrap_or(value);
    identifier.then(|| Property { line, key: key.to_lowercase().replace('-', "_"), value: value.to_owned() })
}

fn add(properties: &mut Vec<Property>, new: Property) -> Result<(), FrontMatterError> {
    let line = new.line;
    if properties.len() >= KEYS {
        return Err(FrontMatterError { line, problem: format!("there can be at most {KEYS} properties") });
    }
    if let Some(before) = properties.iter().find(|known| known.key == new.key) {
        let problem = format!("`{}` is already in line {}", new.key, before.line);
        return Err(FrontMatterError { line, problem });
    }
    properties.push(new);
    Ok(())
}

#[cfg(test)]
#[path = "front_matter_tests.rs"]
mod tests;
