//! What is shown of a reply, in parts.

use domain::{Modifier, PromptNode, PromptTree, ReplacementSource};

/// The agent's response nodes, with the reply where a modifier puts it.
pub fn response_parts(tree: Option<&PromptTree>, reply: &str) -> Vec<PromptNode> {
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

/// What people are shown of a reply: the parts with words, with a blank line between them. None where the agent says nothing about
/// it, and the reply is shown as it is.
pub fn shown_reply(tree: Option<&PromptTree>, reply: &str) -> Option<Box<str>> {
    if reply.trim().is_empty() || tree.is_none_or(|tree| tree.response.is_empty()) {
        return None;
    }
    let parts = response_parts(tree, reply);
    let mut texts = Vec::new();
    parts.iter().for_each(|part| collect(part, &mut texts));
    let shown = texts.join("\n\n");
    // An agent whose parts say nothing would leave its person without an answer.
    (!shown.is_empty() && shown != reply).then(|| shown.into_boxed_str())
}

fn collect<'a>(part: &'a PromptNode, texts: &mut Vec<&'a str>) {
    if !part.enabled {
        return;
    }
    texts.extend(Some(part.text.as_str()).filter(|text| !text.trim().is_empty()));
    part.children.iter().for_each(|child| collect(child, texts));
}
