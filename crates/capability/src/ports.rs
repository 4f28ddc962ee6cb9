//! The ports of a call: exactly those that its tool declared.

use crate::{Files, ToolError};
use std::{fmt, sync::Arc};

/// A way to the world that a tool may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Port {
    /// The files of the session.
    Files,
}

/// What a call was given. Empty unless somebody puts something in.
#[derive(Clone, Default)]
pub struct Ports {
    files: Option<Arc<dyn Files>>,
}

impl fmt::Debug for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ports").field("files", &self.files.is_some()).finish()
    }
}

impl Ports {
    #[must_use]
    pub fn with_files(mut self, files: Arc<dyn Files>) -> Self {
        self.files = Some(files);
        self
    }

    /// # Errors
    /// When the tool did not declare [`Port::Files`]: a mistake of whoever wrote it.
    pub fn files(&self) -> Result<&dyn Files, ToolError> {
        self.files.as_deref().ok_or_else(|| undeclared(Port::Files))
    }
}

fn undeclared(port: Port) -> ToolError {
    ToolError::Internal(format!("the tool uses the port {port:?}, which it did not declare"))
}
