//! What a model is told, as a tree: nodes with words, and modifiers that rearrange them.

use crate::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::HashSet;

/// One node of a prompt tree. Its words, and those of its descendants without a role, become one message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PromptNode {
    /// By which modifiers find it; each once in a tree.
    pub id: String,
    /// For people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub caption: String,
    /// Of the message it becomes; without one it is part of the node it stands in, at the top `system`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// False: it is not there, and nothing that stands in it.
    #[serde(default = "yes")]
    pub enabled: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<PromptNode>,
    /// Where it comes from, from the outside in; filled in when a prompt is built.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub source: Vec<String>,
    /// Which piece of the conversation it stands for, in the prompt that is being built. Such a node is moved or left
    /// out as a whole: a call is never without its result.
    #[serde(skip)]
    pub carries: Option<usize>,
}

const fn yes() -> bool {
    true
}

impl PromptNode {
    pub fn new(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            caption: String::new(),
            role: None,
            text: text.into(),
            enabled: true,
            tags: Vec::new(),
            children: Vec::new(),
            source: Vec::new(),
            carries: None,
        }
    }

    #[must_use]
    pub fn captioned(mut self, caption: impl Into<String>) -> Self {
        self.caption = caption.into();
        self
    }

    #[must_use]
    pub fn said_by(mut self, role: Role) -> Self {
        self.role = Some(role);
        self
    }

    #[must_use]
    pub fn from_source<T: Into<String>>(mut self, source: impl IntoIterator<Item = T>) -> Self {
        self.source = source.into_iter().map(Into::into).collect();
        self
    }

    #[must_use]
    pub fn with_children(mut self, children: Vec<Self>) -> Self {
        self.children = children;
        self
    }

    /// The node of that id: this one, or the first below it.
    pub fn find_mut(&mut self, id: &str) -> Option<&mut Self> {
        if self.id == id {
            return Some(self);
        }
        self.children.iter_mut().find_map(|child| child.find_mut(id))
    }
}

/// What a modifier does to the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModifierKind {
    /// The target's words are replaced by the conversation, or in the response by the model's reply.
    FullReplacement,
    /// New words before, after or inside the target.
    DynamicPosition,
    /// The tools in words, before, after or inside the target, for models that cannot be told of them otherwise.
    ToolList,
}

impl ModifierKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FullReplacement => "full_replacement",
            Self::DynamicPosition => "dynamic_position",
            Self::ToolList => "tool_list",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplacementSource {
    /// The conversation before the current turn.
    HistoryOfSession,
    /// What the model answered; its target stands in `response`.
    LlmResponse,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Position {
    Before,
    After,
    /// As the last thing inside of it.
    Relative,
}

/// One change of the tree. Which of its fields it needs, its kind says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Modifier {
    /// Each once among the modifiers.
    pub id: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub caption: String,
    pub kind: ModifierKind,
    #[serde(default = "yes")]
    pub enabled: bool,
    /// The id of the node it is aimed at. When there is no such node it does nothing, and the preview says so.
    pub target_id: String,
    /// For `dynamic_position` and `tool_list`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// For `dynamic_position`: the new words; without any it does nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// For `full_replacement`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ReplacementSource>,
    /// For `full_replacement` by the conversation: tokens, of which it takes at most seven tenths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window_size: Option<u64>,
}

impl Modifier {
    /// Does it put the conversation somewhere?
    pub fn places_history(&self) -> bool {
        self.enabled && self.source == Some(ReplacementSource::HistoryOfSession)
    }

    fn problem(&self) -> Option<String> {
        let Self { kind, position, content, source, context_window_size, .. } = self;
        let history = *source == Some(ReplacementSource::HistoryOfSession);
        let wrong = match kind {
            ModifierKind::FullReplacement if source.is_none() => "needs source",
            ModifierKind::FullReplacement if position.is_some() || content.is_some() => {
                "takes target_id, source and context_window_size"
            }
            ModifierKind::FullReplacement if context_window_size.is_some() && !history => {
                "takes context_window_size for history_of_session only"
            }
            ModifierKind::FullReplacement => return None,
            _ if source.is_some() || context_window_size.is_some() => {
                "takes neither source nor context_window_size"
            }
            _ if position.is_none() => "needs position",
            ModifierKind::ToolList if content.is_some() => "takes no content",
            _ => return None,
        };
        Some(format!("the modifier {:?} ({}) {wrong}", self.id, kind.as_str()))
    }
}

/// Small, and right: what a generator would make up of the schema is neither.
fn example() -> Value {
    let node = json!({ "id": "rules", "text": "Be brief.", "enabled": true });
    json!({ "nodes": [node], "modifiers": [], "response": [] })
}

/// What an agent's prompt is made of, where `system_prompt` alone is not enough.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(example = example())]
pub struct PromptTree {
    pub nodes: Vec<PromptNode>,
    /// Applied in this order.
    pub modifiers: Vec<Modifier>,
    /// The parts of what is shown of a reply; `full_replacement` by `llm_response` fills one with it.
    pub response: Vec<PromptNode>,
}

impl PromptTree {
    pub const NODES: usize = 1_000;
    pub const DEPTH: usize = 16;
    pub const MODIFIERS: usize = 100;
    /// Of all words of a tree together.
    pub const BYTES: usize = 1 << 20;
    const NAME_CHARS: usize = 100;
    const TAGS: usize = 50;

    /// What is wrong with it, in words. Also asked of a tree that a hook has changed.
    pub fn problem(&self) -> Option<String> {
        if self.modifiers.len() > Self::MODIFIERS {
            return Some(format!("a tree can have at most {} modifiers", Self::MODIFIERS));
        }
        let mut ids = HashSet::new();
        for modifier in &self.modifiers {
            if let Some(problem) = name_problem("modifier", &modifier.id) {
                return Some(problem);
            }
            if !ids.insert(modifier.id.as_str()) {
                return Some(format!("the modifier {:?} is used twice", modifier.id));
            }
            if let Some(problem) = modifier.problem() {
                return Some(problem);
            }
        }
        let words = self.modifiers.iter().map(|modifier| {
            modifier.caption.len()
                + modifier.content.as_ref().map_or(0, String::len)
                + modifier.target_id.len()
        });
        let mut tally = Tally { bytes: words.sum(), ..Tally::default() };
        tally.nodes(&self.nodes).or_else(|| tally.nodes(&self.response))
    }
}

/// Counts while it walks, so that it stops as soon as there is too much.
#[derive(Default)]
struct Tally<'a> {
    ids: HashSet<&'a str>,
    bytes: usize,
}

impl<'a> Tally<'a> {
    fn nodes(&mut self, nodes: &'a [PromptNode]) -> Option<String> {
        // A stack of our own: how deep the tree is decides nothing but its answer.
        let mut waiting: Vec<(&PromptNode, usize)> = nodes.iter().rev().map(|node| (node, 1)).collect();
        while let Some((node, depth)) = waiting.pop() {
            if let Some(problem) = self.node(node, depth) {
                return Some(problem);
            }
            waiting.extend(node.children.iter().rev().map(|child| (child, depth + 1)));
        }
        None
    }

    fn node(&mut self, node: &'a PromptNode, depth: usize) -> Option<String> {
        if depth > PromptTree::DEPTH {
            return Some(format!("a tree can be at most {} levels deep", PromptTree::DEPTH));
        }
        if let Some(problem) = name_problem("node", &node.id) {
            return Some(problem);
        }
        if !self.ids.insert(node.id.as_str()) {
            return Some(format!("the node {:?} is used twice", node.id));
        }
        if self.ids.len() > PromptTree::NODES {
            return Some(format!("a tree can have at most {} nodes", PromptTree::NODES));
        }
        if node.tags.len() > PromptTree::TAGS || node.source.len() > PromptTree::TAGS {
            return Some(format!("the node {:?} has more than {} tags", node.id, PromptTree::TAGS));
        }
        let names: usize = node.tags.iter().chain(&node.source).map(String::len).sum();
        self.bytes += node.text.len() + node.caption.len() + names;
        (self.bytes > PromptTree::BYTES).then(|| "the text of a tree must not be longer than 1 MB".to_owned())
    }
}

/// Plain, so that two ids that look the same are the same.
fn name_problem(what: &str, id: &str) -> Option<String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'-');
    let usable = (1..=PromptTree::NAME_CHARS).contains(&id.len()) && id.bytes().all(plain);
    let problem = || format!("the id of a {what} must have 1 to 100 letters, digits, `_`, `.`, `:` or `-`");
    (!usable).then(problem)
}

#[cfg(test)]
#[path = "prompt_tree_tests.rs"]
mod tests;
