//! What each kind of result of a handler says about its route.

use super::shape::Shape;
use crate::{json::Json, problem::Problem, request::cookie::SetCookie};
use axum::{http::StatusCode, response::Response};
use schemars::JsonSchema;

/// The result of a handler.
pub(crate) trait Gives {
    fn describe(shape: &mut Shape<'_>);
}

impl<T: JsonSchema> Gives for Json<T> {
    fn describe(shape: &mut Shape<'_>) {
        shape.answer::<T>(200, "application/json");
    }
}

/// Only what creates something chooses its own status, and then it is 201.
impl<T: Gives> Gives for (StatusCode, T) {
    fn describe(shape: &mut Shape<'_>) {
        T::describe(shape);
        shape.restatus(201);
    }
}

/// What gives a browser its cookie.
impl<T: Gives> Gives for SetCookie<T> {
    fn describe(shape: &mut Shape<'_>) {
        T::describe(shape);
    }
}

/// A status alone says that it is done and there is nothing to say: 204.
impl Gives for StatusCode {
    fn describe(shape: &mut Shape<'_>) {
        shape.empty_answer(204);
    }
}

/// A bare response tells nothing; what it is stands in the words about the route.
impl Gives for Response {
    fn describe(_: &mut Shape<'_>) {}
}

impl<T: Gives> Gives for Result<T, Problem> {
    fn describe(shape: &mut Shape<'_>) {
        T::describe(shape);
    }
}
