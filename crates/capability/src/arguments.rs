//! Reading a tool's arguments. Every failure names the parameter and is told to the model.

use crate::ToolError;
use domain::FilePath;
use serde_json::{Number, Value};

/// # Errors
/// When the number is missing or something else. Nothing is ever taken to be zero.
pub fn number<'a>(arguments: &'a Value, name: &str) -> Result<&'a Number, ToolError> {
    match arguments.get(name) {
        Some(Value::Number(number)) => Ok(number),
        Some(_) => Err(ToolError::Failed(format!("parameter `{name}` must be of type number"))),
        None => Err(missing(name)),
    }
}

/// # Errors
/// When the text is missing, something else, blank or longer than `longest` characters.
pub fn text<'a>(arguments: &'a Value, name: &str, longest: usize) -> Result<&'a str, ToolError> {
    let text = optional_text(arguments, name)?.ok_or_else(|| missing(name))?.trim();
    if text.is_empty() {
        return Err(ToolError::Failed(format!("parameter `{name}` must not be empty")));
    }
    if text.chars().nth(longest).is_some() {
        return Err(ToolError::Failed(format!("parameter `{name}` must have at most {longest} characters")));
    }
    Ok(text)
}

/// # Errors
/// When there is something that is not text. `null` counts as absent.
pub fn optional_text<'a>(arguments: &'a Value, name: &str) -> Result<Option<&'a str>, ToolError> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(ToolError::Failed(format!("parameter `{name}` must be of type string"))),
    }
}

/// One of a few words; the first is the default.
///
/// # Errors
/// When it is another word, or no word.
pub fn choice<'a>(arguments: &'a Value, name: &str, choices: &[&'a str]) -> Result<&'a str, ToolError> {
    let default = choices.first().copied().unwrap_or_default();
    let chosen = optional_text(arguments, name)?.unwrap_or(default);
    if choices.contains(&chosen) {
        return Ok(chosen);
    }
    Err(ToolError::Failed(format!("parameter `{name}` must be one of: {}", choices.join(", "))))
}

/// # Errors
/// When there is something that is neither true nor false.
pub fn flag(arguments: &Value, name: &str) -> Result<bool, ToolError> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(_) => Err(ToolError::Failed(format!("parameter `{name}` must be of type boolean"))),
    }
}

/// Text that may be empty and is taken as it is.
///
/// # Errors
/// When it is missing or something else.
pub fn any_text<'a>(arguments: &'a Value, name: &str) -> Result<&'a str, ToolError> {
    optional_text(arguments, name)?.ok_or_else(|| missing(name))
}

/// A path of the session's files.
///
/// # Errors
/// When it is missing (and there is no `default`) or no path.
pub fn path(arguments: &Value, name: &str, default: Option<&str>) -> Result<FilePath, ToolError> {
    let text = optional_text(arguments, name)?.or(default).ok_or_else(|| missing(name))?;
    text.parse().map_err(|error| ToolError::Failed(format!("parameter `{name}`: {error}")))
}

/// A whole number within a range. JSON has one kind of number, so `3.0` is whole.
///
/// # Errors
/// When it is not a whole number or out of range.
pub fn whole_number(
    arguments: &Value,
    name: &str,
    default: u32,
    range: std::ops::RangeInclusive<u32>,
) -> Result<u32, ToolError> {
    let wrong = || {
        let (low, high) = (range.start(), range.end());
        ToolError::Failed(format!("parameter `{name}` must be a whole number from {low} to {high}"))
    };
    let value = match arguments.get(name) {
        None | Some(Value::Null) => return Ok(default),
        Some(value) => value.as_f64().ok_or_else(wrong)?,
    };
    range.clone().find(|candidate| f64::from(*candidate) == value).ok_or_else(wrong)
}

/// At most so many characters, with an ellipsis where something was left out.
pub fn shorten(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

fn missing(name: &str) -> ToolError {
    ToolError::Failed(format!("the required parameter `{name}` is missing"))
}

#[cfg(test)]
#[path = "arguments_tests.rs"]
mod tests;
