//! Errors as such a client expects them: a problem document that also has a member `error`.

use crate::problem::Problem;
use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::Response,
};

/// Asks browsers and old clients for a name and a password; the password is the key.
const BASIC: HeaderValue = HeaderValue::from_static("Basic realm=\"majordomo\", charset=\"UTF-8\"");

pub(crate) fn with_error(response: Response) -> Response {
    let Some(problem) = response.extensions().get::<Problem>() else { return response };
    let mut body = problem.body();
    let error = match problem.code {
        "unauthorized" => "Unauthorized".to_owned(),
        "bad_json" => "Invalid JSON".to_owned(),
        "too_large" => "Request body too large".to_owned(),
        _ => problem.shown_detail(),
    };
    if let Some(fields) = body.as_object_mut() {
        fields.insert("error".to_owned(), error.into());
    }
    let (mut parts, _) = response.into_parts();
    if parts.status == StatusCode::UNAUTHORIZED {
        parts.headers.append(header::WWW_AUTHENTICATE, BASIC);
    }
    Response::from_parts(parts, Body::from(body.to_string()))
}
