use crate::{page, problem::Problem};
use axum::{
    extract::{Path, rejection::PathRejection},
    http::HeaderMap,
    response::Response,
};

pub(crate) async fn asset(
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let found = path.ok().and_then(|Path(name)| page::asset(&name, &headers));
    found.ok_or_else(|| Problem::not_found("file"))
}
