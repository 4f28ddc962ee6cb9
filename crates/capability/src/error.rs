//! What can go wrong: while a tool runs, while the registry is put together, while an agent's list is resolved.

use serde_json::{Value, json};

/// Why a call did not give a value. Which kind it is decides who learns what; the engine does not have to guess from text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// Told to the model in these words, so that it can correct itself.
    #[error("{0}")]
    Failed(String),
    /// It was done and did not succeed, as a command that ends with another code than 0: told to the model as it is.
    #[error("it did not succeed: {0}")]
    Unsuccessful(Value),
    /// Something of ours broke. The words are for the log; the model gets a generic sentence.
    #[error("internal tool error: {0}")]
    Internal(String),
    /// It ran, and what came of it is not known, or could not be kept. Told to the model in these words: whatever it was to
    /// do may be done.
    #[error("{0}")]
    Unknown(String),
}

impl ToolError {
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed(message.into())
    }

    /// The words that may leave the house.
    pub fn message_for_model(&self) -> &str {
        match self {
            Self::Failed(message) | Self::Unknown(message) => message,
            Self::Unsuccessful(_) => "it did not succeed",
            Self::Internal(_) => {
                "An internal error occurred while the tool ran. It is not caused by the arguments; \
                 do not repeat the call unchanged."
            }
        }
    }

    /// The result in the form of a failed call: `{"error": "…"}`, or what it came to.
    pub fn to_result(&self) -> Value {
        match self {
            Self::Unsuccessful(told) => told.clone(),
            _ => json!({ "error": self.message_for_model() }),
        }
    }
}

/// Why the registry could not be put together: a mistake of the capability's author.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AssemblyError {
    #[error("two capabilities have the id `{id}`: give one of them another id")]
    DuplicateId { id: String },
    #[error(
        "capability `{capability}`: `{name}` cannot be a tool name: use 1 to 64 letters, digits, `_` or `-`"
    )]
    ToolName { capability: String, name: String },
    #[error("capabilities need each other in a circle: {}; break it", circle.join(" needs "))]
    Circle { circle: Vec<String> },
    #[error("capability `{capability}`: the schema of {what} is not usable: {problem}")]
    Schema { capability: String, what: String, problem: String },
}

/// Why an agent cannot have this list of capabilities and allowed tools. Each names the culprit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    #[error("There is no capability `{id}`. Known capabilities are: {}.", known.join(", "))]
    Unknown { id: String, known: Vec<String> },
    #[error("the capability `{id}` is not available {}", remedy.as_deref().map_or("yet".to_owned(), |remedy| format!("here: {remedy}")))]
    NotAvailable { id: String, remedy: Option<String> },
    #[error("The capability `{id}` is listed twice.")]
    Duplicate { id: String },
    #[error(
        "The capabilities `{first}` and `{second}` both have a tool called `{tool}`. Remove one of them."
    )]
    Conflict { tool: String, first: String, second: String },
    #[error(
        "allowed_tools names `{name}`, which is not a tool (or an action of a tool) of this agent's capabilities."
    )]
    UnknownTool { name: String },
    #[error("The capability `{needed_by}` needs `{id}`, which is not available.")]
    MissingDependency { id: String, needed_by: String },
    #[error("With everything that they need, these are more than {most} capabilities. Remove some.")]
    TooMany { most: usize },
    #[error("The settings of the capability `{id}` are wrong: {problem}.")]
    BadSettings { id: String, problem: String },
}
