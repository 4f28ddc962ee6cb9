//! What a subagent is made of: an agent as it is, and less of it.

use crate::{Agent, Label, Limits};
use serde::{Deserialize, Serialize};

/// What the agent of a session is narrowed to. It never changes once the session exists, and nothing in it can give
/// what the agent does not have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Narrowing {
    pub name: String,
    /// Everything it is told; the agent's own prompt is not for it.
    pub instructions: String,
    /// The tools it may use, by name. There is no word for all of them.
    pub tools: Vec<String>,
    /// The capabilities that bring these tools.
    pub capabilities: Vec<String>,
    pub model: Option<String>,
    /// Those of the agent that made it.
    pub limits: Limits,
    /// Of what its maker was told when it wrote the instructions.
    #[serde(default = "unknown")]
    pub label: Label,
}

/// Instructions that were stored without a label may be anybody's.
const fn unknown() -> Label {
    Label::WORST
}

impl Agent {
    /// The agent with no more than the narrowing leaves of it.
    ///
    /// THREAT[agent-01]: a tool is there only if both have it, whatever either says, and whenever the agent was changed.
    #[must_use]
    pub fn narrowed(&self, narrowing: &Narrowing) -> Self {
        let tools = narrowing.tools.iter().filter(|name| *name != "*" && self.allows_tool(name));
        let kept = |id: &str| narrowing.capabilities.iter().any(|kept| kept == id);
        Self {
            name: narrowing.name.clone(),
            model: narrowing.model.clone().or_else(|| self.model.clone()),
            system_prompt: narrowing.instructions.clone(),
            prompt_tree: None,
            capabilities: self.capabilities.iter().filter(|one| kept(&one.id)).cloned().collect(),
            allowed_tools: tools.cloned().collect(),
            limits: self.limits.least(narrowing.limits),
            ..self.clone()
        }
    }
}

#[cfg(test)]
#[path = "narrowing_tests.rs"]
mod tests;
