//! Reading JSON from outside, and saying what is wrong with it; giving answers in JSON.

mod objects;
mod strict;

use self::{objects::Objects, strict::Strict};
use crate::problem::Problem;
use axum::{
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::error::Category;

/// An answer. It is written into the kind of buffer that everything else is written into, so that what writes each type is
/// compiled once.
pub(crate) struct Json<T>(pub(crate) T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        answer(serde_json::to_vec(&self.0))
    }
}

fn answer(written: serde_json::Result<Vec<u8>>) -> Response {
    match written {
        Ok(bytes) => {
            let kind = HeaderValue::from_static("application/json");
            ([(header::CONTENT_TYPE, kind)], bytes).into_response()
        }
        Err(error) => {
            tracing::error!(%error, "an answer could not be written");
            Problem::internal().into_response()
        }
    }
}

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
