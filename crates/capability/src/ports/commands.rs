//! The port of tools that are commands of the house.

use crate::ToolError;
use async_trait::async_trait;
use serde_json::Value;

#[async_trait]
pub trait Commands: Send + Sync {
    /// Runs a command for the person whose session it is.
    ///
    /// # Errors
    /// [`ToolError::Failed`] for what the model can understand and correct, [`ToolError::Internal`] otherwise.
    async fn run(&self, name: &str, arguments: Value) -> Result<Value, ToolError>;
}
