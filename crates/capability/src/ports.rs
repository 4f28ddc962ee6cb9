//! The ports of a call: exactly those that its tool declared.

use crate::{Colleagues, Commands, Files, Http, Processes, ToolError, WebSearch};
use std::{fmt, sync::Arc};

/// A way to the world that a tool may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Port {
    /// The files of the session.
    Files,
    /// The commands of the house.
    Commands,
    /// Other agents.
    Colleagues,
    /// The web.
    Http,
    /// Whoever searches the web.
    WebSearch,
    /// Programs in a cage.
    Processes,
}

impl Port {
    /// Does whoever stands behind it say where what it gives comes from?
    pub const fn says_origin(self) -> bool {
        match self {
            // What other agents answer comes with the label of what they were told.
            Self::Files | Self::Colleagues | Self::Processes => true,
            Self::Commands | Self::Http | Self::WebSearch => false,
        }
    }
}

/// What a call was given. Empty unless somebody puts something in.
#[derive(Clone, Default)]
pub struct Ports {
    files: Option<Arc<dyn Files>>,
    commands: Option<Arc<dyn Commands>>,
    colleagues: Option<Arc<dyn Colleagues>>,
    http: Option<Arc<dyn Http>>,
    web_search: Option<Arc<dyn WebSearch>>,
    processes: Option<Arc<dyn Processes>>,
}

impl fmt::Debug for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ports")
            .field("files", &self.files.is_some())
            .field("commands", &self.commands.is_some())
            .field("colleagues", &self.colleagues.is_some())
            .field("http", &self.http.is_some())
            .field("web_search", &self.web_search.is_some())
            .field("processes", &self.processes.is_some())
            .finish()
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

    #[must_use]
    pub fn with_commands(mut self, commands: Arc<dyn Commands>) -> Self {
        self.commands = Some(commands);
        self
    }

    /// # Errors
    /// When the tool did not declare [`Port::Commands`].
    pub fn commands(&self) -> Result<&dyn Commands, ToolError> {
        self.commands.as_deref().ok_or_else(|| undeclared(Port::Commands))
    }

    #[must_use]
    pub fn with_colleagues(mut self, colleagues: Arc<dyn Colleagues>) -> Self {
        self.colleagues = Some(colleagues);
        self
    }

    /// # Errors
    /// When the tool did not declare [`Port::Colleagues`].
    pub fn colleagues(&self) -> Result<&dyn Colleagues, ToolError> {
        self.colleagues.as_deref().ok_or_else(|| undeclared(Port::Colleagues))
    }

    #[must_use]
    pub fn with_http(mut self, http: Arc<dyn Http>) -> Self {
        self.http = Some(http);
        self
    }

    /// # Errors
    /// When the tool did not declare [`Port::Http`].
    pub fn http(&self) -> Result<&dyn Http, ToolError> {
        self.http.as_deref().ok_or_else(|| undeclared(Port::Http))
    }

    #[must_use]
    pub fn with_web_search(mut self, web_search: Arc<dyn WebSearch>) -> Self {
        self.web_search = Some(web_search);
        self
    }

    /// # Errors
    /// When the tool did not declare [`Port::WebSearch`].
    pub fn web_search(&self) -> Result<&dyn WebSearch, ToolError> {
        self.web_search.as_deref().ok_or_else(|| undeclared(Port::WebSearch))
    }

    #[must_use]
    pub fn with_processes(mut self, processes: Arc<dyn Processes>) -> Self {
        self.processes = Some(processes);
        self
    }

    /// # Errors
    /// When the tool did not declare [`Port::Processes`].
    pub fn processes(&self) -> Result<&dyn Processes, ToolError> {
        self.processes.as_deref().ok_or_else(|| undeclared(Port::Processes))
    }
}

fn undeclared(port: Port) -> ToolError {
    ToolError::Internal(format!("the tool uses the port {port:?}, which it did not declare"))
}
