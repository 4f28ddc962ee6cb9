use crate::problem::Problem;
use axum::{
    extract::{FromRequestParts, Path},
    http::request::Parts,
};
use domain::{FilePath, SessionId};

/// A session, and behind it a path among its files.
pub(crate) struct FileAddress {
    pub(crate) session: SessionId,
    pub(crate) path: FilePath,
}

impl<S: Send + Sync> FromRequestParts<S> for FileAddress {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let unreadable = |_| Problem::bad_request("bad_file_path", "The path is not valid UTF-8 text.");
        let address = Path::<(String, String)>::from_request_parts(parts, state).await;
        let Path((session, path)) = address.map_err(unreadable)?;
        let session = session.parse().map_err(|_| Problem::not_found("session"))?;
        Ok(Self { session, path: parse(&format!("/{path}"))? })
    }
}

pub(super) fn parse(text: &str) -> Result<FilePath, Problem> {
    text.parse().map_err(|error| engine::Error::from(error).into())
}
