//! Calls in a text that are addressed to another agent: `@agent(method, {…})`.

use crate::{
    calls::call_table::CallTable,
    claim::{
        planned_call::PlannedCall,
        turn_context::{Inputs, TurnView},
    },
};
use gate::Why;
use serde_json::{Value, json};

const NO_COLLEAGUES: &str =
    "this agent cannot write to other agents, because it does not have the capability `colleagues`";

/// What a text says to an agent: `@agent(method, {…})` is a message with its words, or else with everything it says.
pub(crate) fn as_message(call: PlannedCall) -> PlannedCall {
    if matches!(call.name.as_str(), "delegate" | "spawn_agent") {
        return call;
    }
    let text = |name: &str| call.arguments.get(name).and_then(Value::as_str).map(str::to_owned);
    let words = ["message", "text", "content"].iter().find_map(|name| text(name));
    let message = words.unwrap_or_else(|| format!("{} {}", call.name, call.arguments));
    let agent = ["agent", "agent_id", "agentId", "to"].iter().find_map(|name| text(name));
    let arguments = match agent {
        Some(agent) => json!({ "agent": agent, "message": message }),
        None => json!({ "message": message }),
    };
    PlannedCall { name: "send_agent_message".to_owned(), arguments, ..call }
}

impl CallTable {
    /// Decides what a text says to an agent like the tool that does the same.
    pub(super) async fn weigh_words(&mut self, at: &mut TurnView<'_>, planned: PlannedCall) -> Inputs {
        let message = as_message(planned.clone());
        match at.turn.resolved.tool(&message.name) {
            Some(_) => self.weigh(at, &message).await,
            None => Ok(vec![self.deny(at, &planned, &Why::NotGranted, NO_COLLEAGUES)]),
        }
    }
}
