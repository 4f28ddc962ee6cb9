//! Checking a value against a JSON Schema, with words that a model can act on.
//!
//! The message names the parameter and what was expected of it, and never repeats the value: that may be a
//! megabyte long, or private.

use crate::arguments::shorten;
use jsonschema::{
    ValidationError, Validator,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use serde_json::Value;

/// Longer than any sensible message; only hostile parameter names reach it.
const MESSAGE_CHARS: usize = 400;

/// A compiled schema: compiling costs far more than checking, so it is done once, when the registry is made.
pub struct Schema(Validator);

impl Schema {
    /// # Errors
    /// In words, when the schema itself is not valid or refers to something outside itself.
    pub fn compile(schema: &Value) -> Result<Self, String> {
        let compiled = jsonschema::validator_for(schema);
        compiled.map(Self).map_err(|error| shorten(&error.to_string(), MESSAGE_CHARS))
    }

    /// # Errors
    /// The first thing that is wrong with the value, naming the parameter.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        self.0.validate(value).map_err(|error| shorten(&describe(&error), MESSAGE_CHARS))
    }
}

fn describe(error: &ValidationError<'_>) -> String {
    let path = error.instance_path().as_str();
    let inside = if path.is_empty() { String::new() } else { format!(" in {}", parameter(path)) };
    match error.kind() {
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            format!("the required parameter `{name}` is missing{inside}")
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            format!("there is no parameter `{}`{inside}", unexpected.join("`, `"))
        }
        kind => format!("{} {}", subject(path), expectation(kind, error)),
    }
}

fn expectation(kind: &Kind, error: &ValidationError<'_>) -> String {
    match kind {
        Kind::Type { kind: TypeKind::Single(wanted) } => format!("must be of type {wanted}"),
        Kind::Enum { options } => format!("must be one of {options}"),
        Kind::Constant { expected_value } => format!("must be {expected_value}"),
        Kind::Minimum { limit } => format!("must be at least {limit}"),
        Kind::Maximum { limit } => format!("must be at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("must be greater than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("must be less than {limit}"),
        Kind::MinLength { limit: 1 } => "must not be empty".to_owned(),
        Kind::MinLength { limit } => format!("must have at least {limit} characters"),
        Kind::MaxLength { limit } => format!("must have at most {limit} characters"),
        Kind::MinItems { limit } => format!("must have at least {limit} items"),
        Kind::MaxItems { limit } => format!("must have at most {limit} items"),
        _ => format!("is not valid: {}", error.masked()),
    }
}

fn subject(path: &str) -> String {
    if path.is_empty() { "the whole set of arguments".to_owned() } else { parameter(path) }
}

/// `/todos/1/status` as `parameter `todos.1.status``.
fn parameter(path: &str) -> String {
    format!("parameter `{}`", path.trim_start_matches('/').replace('/', "."))
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
