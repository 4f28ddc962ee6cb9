//! Reading JSON from outside, and saying what is wrong with it.

use crate::problem::Problem;
use serde::de::{DeserializeOwned, IgnoredAny};

/// An object out of a `body` or a `message`. Nesting is bounded by `serde_json` itself, at 128.
pub(crate) fn parse<T: DeserializeOwned>(noun: &str, bytes: &[u8]) -> Result<T, Problem> {
    let text = std::str::from_utf8(bytes);
    let text = text.map_err(|_| bad_json(noun, "it is not UTF-8"))?;
    let mut reader = serde_json::Deserializer::from_str(text);
    // A derived reader would take a list for an object, its entries for the fields in their order.
    if !text.trim_ascii_start().starts_with('{') {
        check_syntax(noun, text)?;
        return Err(Problem::bad_request("bad_field", format!("the {noun} must be a JSON object")));
    }
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| refusal(noun, text, &error))?;
    reader.end().map_err(|error| bad_json(noun, &error.to_string()))?;
    Ok(value)
}

fn refusal(noun: &str, text: &str, error: &serde_path_to_error::Error<serde_json::Error>) -> Problem {
    if let Err(problem) = check_syntax(noun, text) {
        return problem;
    }
    let (place, why) = (error.path().to_string(), error.inner());
    let detail = if place == "." { why.to_string() } else { format!("{place}: {why}") };
    Problem::bad_request("bad_field", detail)
}

fn check_syntax(noun: &str, text: &str) -> Result<(), Problem> {
    serde_json::from_str::<IgnoredAny>(text).map(drop).map_err(|error| bad_json(noun, &error.to_string()))
}

fn bad_json(noun: &str, why: &str) -> Problem {
    Problem::bad_request("bad_json", format!("the {noun} is not JSON: {why}"))
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
