//! What can go wrong with people, in words a caller can act on.

/// Why something was not done. Each has a stable `code` for programs.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    #[error("There is no such {0}.")]
    NotFound(&'static str),
    /// The request makes no sense as it is.
    #[error("{detail}")]
    Invalid { code: &'static str, detail: String },
    /// It makes sense, but not now.
    #[error("{detail}")]
    Conflict { code: &'static str, detail: String },
    /// The proof does not count: a wrong name or password, a link that has ended.
    #[error("{detail}")]
    Unauthorized { code: &'static str, detail: String },
    /// Who asks is known, and may not.
    #[error("{detail}")]
    Forbidden { code: &'static str, detail: String },
    #[error("{detail}")]
    TooMany { code: &'static str, detail: String, seconds: u32 },
    #[error("The server is shutting down. Try again in a moment.")]
    ShuttingDown,
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error("Something unexpected happened on the server. Its log has the details.")]
    Internal,
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn invalid(code: &'static str, detail: impl Into<String>) -> Self {
        Self::Invalid { code, detail: detail.into() }
    }

    pub(crate) fn conflict(code: &'static str, detail: impl Into<String>) -> Self {
        Self::Conflict { code, detail: detail.into() }
    }

    pub(crate) fn unauthorized(code: &'static str, detail: impl Into<String>) -> Self {
        Self::Unauthorized { code, detail: detail.into() }
    }

    pub(crate) fn forbidden(code: &'static str, detail: impl Into<String>) -> Self {
        Self::Forbidden { code, detail: detail.into() }
    }
}
