//! Reading JSON from outside, and saying what is wrong with it.

mod objects;
mod strict;

use self::{objects::Objects, strict::Strict};
use crate::problem::Problem;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

/// An object out of a `body` or a `message`. Nesting is bounded by `serde_json` itself, at 128.
pub(crate) fn parse<T: DeserializeOwned>(noun: &str, bytes: &[u8]) -> Result<T, Problem> {
    let text = std::str::from_utf8(bytes);
    let text = text.map_err(|_| bad_json(noun, "it is not UTF-8"))?;
    check(noun, text)?;
    if !text.trim_ascii_start().starts_with('{') {
        return Err(Problem::bad_request("bad_field", format!("The {noun} must be a JSON object.")));
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(Objects(&mut reader)).map_err(|error| refusal(&error))
}

fn refusal(error: &serde_path_to_error::Error<serde_json::Error>) -> Problem {
    let (place, why) = (error.path().to_string(), error.inner());
    let detail = if place == "." { why.to_string() } else { format!("{place}: {why}") };
    Problem::bad_request("bad_field", detail)
}

fn check(noun: &str, text: &str) -> Result<(), Problem> {
    match serde_json::from_str::<Strict>(text) {
        Ok(Strict) => Ok(()),
        Err(error) if error.classify() == Category::Data => {
            Err(Problem::bad_request("bad_field", error.to_string()))
        }
        Err(error) => Err(bad_json(noun, &error.to_string())),
    }
}

fn bad_json(noun: &str, why: &str) -> Problem {
    Problem::bad_request("bad_json", format!("The {noun} is not JSON: {why}."))
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
