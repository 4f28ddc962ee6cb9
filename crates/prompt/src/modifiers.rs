//! The agent's modifiers, applied to the tree in their order.

use crate::tool_list;
use capability::Resolved;
use domain::{Modifier, ModifierKind, Position, PromptNode, ReplacementSource};

/// What the modifiers came to, besides the changed tree.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Modified {
    /// Where the conversation goes, when not to its usual place.
    pub(crate) history_at: Option<String>,
    /// Tokens that the conversation may take at most.
    pub(crate) history_room: Option<u64>,
    /// The tools are told in words.
    pub(crate) tools_in_words: bool,
    /// Modifiers that could not do anything, in words.
    pub(crate) idle: Vec<String>,
}

pub(crate) fn modify(tree: &mut Vec<PromptNode>, modifiers: &[Modifier], resolved: &Resolved) -> Modified {
    let mut modified = Modified::default();
    for modifier in modifiers.iter().filter(|modifier| modifier.enabled) {
        let done = match modifier.kind {
            ModifierKind::FullReplacement => match modifier.source {
                Some(ReplacementSource::HistoryOfSession) => put_history(tree, modifier, &mut modified),
                // That of the reply is made when there is one.
                _ => true,
            },
            ModifierKind::DynamicPosition => match modifier.content.as_deref() {
                None | Some("") => true,
                Some(content) => insert(tree, modifier, content.to_owned()),
            },
            ModifierKind::ToolList => {
                let words = tool_list::words(&resolved.specs());
                let told = words.is_empty() || insert(tree, modifier, words);
                modified.tools_in_words |= told;
                told
            }
        };
        if !done {
            let (id, target) = (&modifier.id, &modifier.target_id);
            modified
                .idle
                .push(format!("The modifier {id:?} did nothing, because there is no node {target:?}."));
        }
    }
    modified
}

fn put_history(tree: &mut [PromptNode], modifier: &Modifier, modified: &mut Modified) -> bool {
    let Some(target) = find(tree, &modifier.target_id) else { return false };
    target.text = String::new();
    target.children = Vec::new();
    modified.history_at = Some(modifier.target_id.clone());
    modified.history_room = modifier.context_window_size.map(|size| size.saturating_mul(7) / 10);
    true
}

fn find<'a>(tree: &'a mut [PromptNode], id: &str) -> Option<&'a mut PromptNode> {
    tree.iter_mut().find_map(|node| node.find_mut(id))
}

/// False when there is no target.
fn insert(tree: &mut Vec<PromptNode>, modifier: &Modifier, words: String) -> bool {
    let mut node =
        PromptNode::new(format!("modifier.{}", modifier.id), words).from_source(["modifiers", &modifier.id]);
    node.caption.clone_from(&modifier.caption);
    let after = match modifier.position {
        Some(Position::Before) => false,
        Some(Position::After) => true,
        Some(Position::Relative) | None => {
            let target = find(tree, &modifier.target_id);
            let found = target.is_some();
            target.into_iter().for_each(|target| target.children.push(node.clone()));
            return found;
        }
    };
    beside(tree, &modifier.target_id, after, node).is_none()
}

/// Gives the node back when the target is not here.
fn beside(nodes: &mut Vec<PromptNode>, target: &str, after: bool, node: PromptNode) -> Option<PromptNode> {
    if let Some(at) = nodes.iter().position(|known| known.id == target) {
        nodes.insert(at + usize::from(after), node);
        return None;
    }
    let mut left = node;
    for known in nodes.iter_mut() {
        left = beside(&mut known.children, target, after, left)?;
    }
    Some(left)
}

#[cfg(test)]
#[path = "modifiers_tests.rs"]
mod tests;
