//! What is shown of a reply, in parts.

use domain::{Modifier, PromptNode, PromptTree, ReplacementSource};

/// The agent's response nodes, with the reply where a modifier puts it.
pub(crate) fn response_parts(tree: Option<&PromptTree>, reply: &str) -> Vec<PromptNode> {
    let Some(tree) = tree else { return Vec::new() };
    let mut parts = tree.response.clone();
    let fills =
        |modifier: &&Modifier| modifier.enabled && modifier.source == Some(ReplacementSource::LlmResponse);
    for modifier in tree.modifiers.iter().filter(fills) {
        if let Some(target) = parts.iter_mut().find_map(|part| part.find_mut(&modifier.target_id)) {
            target.text = reply.to_owned();
            target.source = vec!["modifiers".to_owned(), modifier.id.clone()];
        }
    }
    parts.retain(|part| part.enabled);
    parts
}
