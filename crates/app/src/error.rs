//! What went wrong, and what to do about it: two lines for the person at the terminal.

use std::io;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Something a person can act on.
    #[error("{what}")]
    Advised { what: String, advice: String },
    /// The server understood and said no.
    #[error("{detail}")]
    Problem { status: u16, code: String, detail: String },
    /// No server answers on the control socket: nothing was asked.
    #[error("The server does not answer: {0}.")]
    Unreachable(String),
    /// The server that answered has gone; what was asked may have been done.
    #[error("The connection to the server broke: {0}.")]
    Disconnected(String),
    /// The program that reads our output has had enough.
    #[error("The output cannot be written: {0}.")]
    Output(io::Error),
    /// It was said already; only the exit code is left.
    #[error("failed")]
    Shown,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error with its advice.
pub fn advised(what: impl Into<String>, advice: impl Into<String>) -> Error {
    Error::Advised { what: what.into(), advice: advice.into() }
}

impl Error {
    pub fn disconnected(why: impl std::fmt::Display) -> Self {
        Self::Disconnected(why.to_string())
    }

    pub fn unreachable(why: impl std::fmt::Display) -> Self {
        Self::Unreachable(why.to_string())
    }

    /// Nothing was done, because the server that should do it is going or gone: another may.
    pub fn is_untouched(&self) -> bool {
        matches!(self, Self::Unreachable(_)) || self.has_code("shutting_down")
    }

    /// What the person should do next.
    pub fn advice(&self) -> Option<String> {
        match self {
            Self::Advised { advice, .. } => Some(advice.clone()),
            Self::Problem { code, .. } => problem_advice(code).map(str::to_owned),
            Self::Unreachable(_) | Self::Disconnected(_) => {
                Some("Run `majordomo doctor` to see whether a server is running, then try again.".to_owned())
            }
            Self::Output(_) | Self::Shown => None,
        }
    }

    pub fn has_code(&self, wanted: &str) -> bool {
        matches!(self, Self::Problem { code, .. } if code == wanted)
    }
}

/// The server's `detail` says what to do where it can; these are the cases in which the terminal knows more.
fn problem_advice(code: &str) -> Option<&'static str> {
    match code {
        "no_owner" => {
            Some("Create the owner account: run `majordomo user add NAME --role owner`, or `majordomo chat`.")
        }
        "user_exists" => Some("Choose another name. `majordomo user list` shows the names that are taken."),
        _ => None,
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
