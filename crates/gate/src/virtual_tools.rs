//! What the gate decides like a call although no tool has its name: the engine itself does it on behalf of an agent. Rules and
//! requests speak of it by this name, and no agent needs to be given it.

use crate::ToolFacts;
use domain::{Permission, Sink, Workplace};

/// One of them.
#[derive(Clone, Copy, Debug)]
pub struct VirtualTool {
    pub name: &'static str,
    /// What it says of itself.
    pub permission: Permission,
    pub facts: ToolFacts,
    pub workplace: Workplace,
}

/// Asking a model whose price is not known, where a budget is to be kept.
pub const USE_MODEL: VirtualTool = VirtualTool {
    name: "use_model",
    permission: Permission::Ask,
    facts: ToolFacts { sink: Sink::Nowhere, kinds: &[], house: true, acts_later: false },
    workplace: Workplace::ModelProvider,
};

/// Giving a peer of a bridge the agent's answer. No person is asked about an answer that is not private.
pub const TELL_PEER: VirtualTool = VirtualTool {
    name: "tell_peer",
    permission: Permission::Allow,
    facts: ToolFacts { sink: Sink::Outside, kinds: &[], house: true, acts_later: false },
    workplace: Workplace::Peer,
};

/// The one that a rule names.
pub fn named(name: &str) -> Option<VirtualTool> {
    [USE_MODEL, TELL_PEER].into_iter().find(|tool| tool.name == name)
}
