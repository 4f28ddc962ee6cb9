//! What can go wrong, in words a caller can act on.

/// Why the engine did not do what it was asked. Each has a stable `code` for programs.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// It does not exist, or it is another person's; the two look the same.
    #[error("There is no such {0}.")]
    NotFound(&'static str),
    /// The request makes no sense as it is.
    #[error("{detail}")]
    Invalid { code: &'static str, detail: String },
    /// It makes sense, but not now.
    #[error("{detail}")]
    Conflict { code: &'static str, detail: String },
    #[error("This idempotency key was used before with other content. Use a new key for a new message.")]
    IdempotencyMismatch,
    /// The client has not proved who it is: a wrong name or password, a link that counts no more.
    #[error("{detail}")]
    Unauthorized { code: &'static str, detail: String },
    /// Who asks is known, and may not.
    #[error("{detail}")]
    Forbidden { code: &'static str, detail: String },
    #[error("{detail}")]
    TooMany { code: &'static str, detail: String, seconds: u32 },
    #[error("{0}")]
    TooLarge(String),
    /// A file of a type that is not taken.
    #[error("{detail}")]
    UnsupportedMedia { code: &'static str, detail: String },
    #[error("Too many messages are queued in this conversation. Try again when some are answered.")]
    QueueFull,
    #[error("This connection fell too far behind. Reconnect to continue.")]
    TooSlow,
    #[error("The server is shutting down. Try again in a moment.")]
    ShuttingDown,
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error("Something unexpected happened on the server. Its log has the details.")]
    Internal,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn invalid(code: &'static str, detail: impl Into<String>) -> Self {
        Self::Invalid { code, detail: detail.into() }
    }

    pub(crate) fn conflict(code: &'static str, detail: impl Into<String>) -> Self {
        Self::Conflict { code, detail: detail.into() }
    }

    pub(crate) fn forbidden(code: &'static str, detail: impl Into<String>) -> Self {
        Self::Forbidden { code, detail: detail.into() }
    }

    /// Did the client do something wrong, which it can put right?
    pub(crate) fn is_callers(&self) -> bool {
        matches!(
            self,
            Self::NotFound(_)
                | Self::Invalid { .. }
                | Self::Conflict { .. }
                | Self::Forbidden { .. }
                | Self::TooLarge(_)
                | Self::QueueFull
        )
    }

    pub(crate) fn bad_cursor() -> Self {
        Self::invalid(
            "bad_cursor",
            "This cursor does not belong to this conversation. Start again without it, or with after=0.",
        )
    }
}

impl From<people::Error> for Error {
    fn from(error: people::Error) -> Self {
        use people::Error as People;
        match error {
            People::NotFound(what) => Self::NotFound(what),
            People::Invalid { code, detail } => Self::Invalid { code, detail },
            People::Conflict { code, detail } => Self::Conflict { code, detail },
            People::Unauthorized { code, detail } => Self::Unauthorized { code, detail },
            People::Forbidden { code, detail } => Self::Forbidden { code, detail },
            People::TooMany { code, detail, seconds } => Self::TooMany { code, detail, seconds },
            People::ShuttingDown => Self::ShuttingDown,
            People::Store(error) => Self::Store(error),
            People::Internal => Self::Internal,
        }
    }
}
