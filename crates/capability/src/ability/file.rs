//! An ability as a Markdown file.

use super::front_matter::{self, FrontMatterError, Property};
use domain::{AbilityKind, AbilityText, Danger};
use std::fmt::Write as _;

/// What a file holds, and what of it was not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbilityFile {
    pub text: AbilityText,
    /// Properties that mean nothing here, in words.
    pub warnings: Vec<String>,
}

/// `stem` is the name of the file without its ending: the name of the ability, unless the file says another.
///
/// # Errors
/// With the line. What the ability says is checked when it is saved.
pub fn read(stem: &str, text: &str) -> Result<AbilityFile, FrontMatterError> {
    let parts = front_matter::split(text)?;
    let mut ability = AbilityText {
        name: stem.to_owned(),
        content: parts.content,
        description: parts.description,
        ..AbilityText::default()
    };
    let mut warnings = Vec::new();
    let mut told = false;
    for property in parts.properties {
        told |= property.key == "type";
        if !set(&mut ability, &property)? {
            let Property { line, key, .. } = property;
            warnings.push(format!(
                "line {line}: `{key}` is not known; known keys are {}",
                front_matter::KNOWN.join(", ")
            ));
        }
    }
    if !told && ability.condition.is_some() {
        ability.kind = AbilityKind::Conditional;
    }
    Ok(AbilityFile { text: ability, warnings })
}

/// `false` when the key is unknown.
fn set(ability: &mut AbilityText, property: &Property) -> Result<bool, FrontMatterError> {
    let Property { line, key, value } = property;
    let wrong = |words: &str| FrontMatterError { line: *line, problem: format!("{key}: {words}") };
    let optional = || Some(value.clone()).filter(|value| !value.is_empty());
    match key.as_str() {
        "name" => ability.name = value.clone(),
        "description" => ability.description = value.clone(),
        "category" => ability.category = optional(),
        "condition" | "applies" => ability.condition = optional(),
        "tags" => ability.tags = tags(value),
        "type" => {
            ability.kind =
                AbilityKind::parse(value).ok_or_else(|| wrong("must be process or conditional"))?;
        }
        "danger" => {
            ability.danger =
                Danger::parse(value).ok_or_else(|| wrong("must be safe, moderate or dangerous"))?;
        }
        "startup" => {
            ability.startup = match value.as_str() {
                "true" | "yes" => true,
                "false" | "no" => false,
                _ => return Err(wrong("must be true or false")),
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn tags(value: &str) -> Vec<String> {
    let listed = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(value);
    listed.split(',').map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
}

/// The file that [`read`] makes the same ability of.
pub fn write(ability: &AbilityText) -> String {
    let mut file = "\"\"\"\n".to_owned();
    if !ability.description.is_empty() {
        let _ = writeln!(file, "# Description\n{}", heading_free(&ability.description));
    }
    let _ = writeln!(file, "# Properties\nname: {}\ntype: {}", ability.name, ability.kind.as_str());
    if let Some(condition) = &ability.condition {
        let _ = writeln!(file, "condition: {}", one_line(condition));
    }
    if let Some(category) = &ability.category {
        let _ = writeln!(file, "category: {}", one_line(category));
    }
    if !ability.tags.is_empty() {
        let _ = writeln!(file, "tags: {}", ability.tags.join(", "));
    }
    let _ = writeln!(file, "danger: {}", ability.danger.as_str());
    if ability.startup {
        let _ = writeln!(file, "startup: true");
    }
    let _ = write!(file, "\"\"\"\n\n{}\n", ability.content.trim());
    file
}

/// A line break in a condition is a space.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A line of a description that looks like a heading, or like the end of the block, would be read as one.
fn heading_free(text: &str) -> String {
    let plain = |line: &str| match line.trim() {
        "\"\"\"" => String::new(),
        line => line.trim_start_matches('#').trim_start().to_owned(),
    };
    text.lines().map(plain).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
