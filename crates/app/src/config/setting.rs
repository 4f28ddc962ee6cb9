//! A value together with where it came from.

use std::{fmt, path::PathBuf};

/// What is shown in the place of a secret.
pub const MASKED: &str = "•••";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Default,
    File {
        path: PathBuf,
        line: usize,
    },
    Variable(String),
    /// A flag of the command line.
    Flag(&'static str),
    /// Found by itself, for instance on a local port.
    Found(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{} line {line}", path.display()),
            Self::Variable(name) => write!(f, "environment variable {name}"),
            Self::Flag(flag) => f.write_str(flag),
            Self::Found(how) => f.write_str(how),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting<T> {
    pub value: T,
    pub origin: Origin,
}

impl<T> Setting<T> {
    pub fn default(value: T) -> Self {
        Self { value, origin: Origin::Default }
    }

    /// The same setting for `doctor`.
    pub fn shown(&self, name: impl Into<String>, value: impl Into<String>) -> ShownSetting {
        ShownSetting { name: name.into(), value: value.into(), origin: self.origin.clone() }
    }
}

/// A setting as `doctor` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownSetting {
    pub name: String,
    pub value: String,
    pub origin: Origin,
}
