//! What the model is told because a condition holds: behind everything else, so that the beginning of the prompt stays the
//! same, and within a budget.

use crate::{compose::Composer, markup_lesson, processes::Trouble};
use capability::{CapabilitySource, ConditionContext, ConditionWords, ResolvedCondition};
use domain::{Injected, Message, MessageKind, Part, PromptNode, Role};
use provider::Model;
use std::sync::Arc;

pub(crate) const CONDITIONS: &str = "conditions";
const HEADER: &str = "[System: Conditional Ability Triggered]\n\n";
/// Tokens for all of them together.
const BUDGET: u64 = 2_000;
/// Messages among which tools count as used lately.
const RECENT: usize = 20;

/// What held, and what became of it.
#[derive(Debug, Default)]
pub struct Injection {
    pub abilities: Vec<Injected>,
    /// Those for which there was no room.
    pub left_out: Vec<String>,
    pub(crate) node: Option<PromptNode>,
}

impl Injection {
    pub fn is_empty(&self) -> bool {
        self.abilities.is_empty() && self.left_out.is_empty()
    }

    pub fn warnings(&self) -> impl Iterator<Item = String> {
        self.left_out.iter().map(|name| {
            format!("The condition of {name} is true, but there was no space left: all conditional abilities share {BUDGET} tokens.")
        })
    }
}

impl Composer<'_> {
    /// Asks every condition of the agent, in its order.
    pub(crate) async fn injection(&self, messages: &[Message], troubles: &mut Vec<Trouble>) -> Injection {
        let mut injection = Injection::default();
        if self.resolved.conditions.is_empty() {
            return injection;
        }
        let context = self.condition_context(messages);
        let mut texts = Vec::new();
        let mut spent = self.model.estimate(HEADER);
        for resolved in &self.resolved.conditions {
            let name = resolved.capability.clone();
            let text = match ask(resolved, &context).await {
                Ok(None) => continue,
                Ok(Some(held)) => written(&name, &held),
                Err(problem) => {
                    troubles.push(Trouble::new(&name, problem));
                    continue;
                }
            };
            let tokens = self.model.estimate(&text);
            if spent.saturating_add(tokens) > BUDGET {
                injection.left_out.push(name);
                continue;
            }
            spent += tokens;
            let child = PromptNode::new(format!("{CONDITIONS}.{name}"), text).captioned(name.clone());
            texts.push(child.from_source([CONDITIONS, &name]));
            injection.abilities.push(Injected { name, condition: self.describe(resolved), tokens });
        }
        if !texts.is_empty() {
            let node = PromptNode::new(CONDITIONS, HEADER).captioned("Conditional abilities");
            let node = node.said_by(Role::User).from_source([CONDITIONS]);
            injection.node = Some(node.with_children(crate::section_order::apart(texts)));
        }
        injection
    }

    /// THREAT[abilities-04]: those with whom an agent is shared are not shown what its owner wrote.
    fn describe(&self, resolved: &ResolvedCondition) -> String {
        let own = self.context.user_id == self.agent.user_id;
        match resolved.source == CapabilitySource::User && !own {
            true => "a condition of the agent's owner".to_owned(),
            false => resolved.condition.describe(),
        }
    }

    fn condition_context(&self, messages: &[Message]) -> ConditionContext {
        let spoken = messages.iter().rev().find(|message| {
            message.turn_id == self.context.turn_id
                && message.role == Role::User
                && message.meta.kind != Some(MessageKind::Answer)
        });
        ConditionContext {
            message: spoken.map(|message| message.content.clone()).unwrap_or_default(),
            source: self.context.source,
            recent_tools: recent_tools(messages),
            unanswered: markup_lesson::unanswered(messages),
            step: self.context.step,
            at: self.context.at,
            time_zone: self.context.time_zone.clone(),
            settings: Default::default(),
            messages: Arc::new(messages.to_vec()),
            values: self.values.clone().set_at(self.context.at, &self.context.time_zone),
        }
    }
}

/// In a task of its own, so that one that breaks down takes nothing along.
async fn ask(
    resolved: &ResolvedCondition,
    context: &ConditionContext,
) -> Result<Option<ConditionWords>, String> {
    let condition = Arc::clone(&resolved.condition);
    let context = ConditionContext { settings: resolved.settings.clone(), ..context.clone() };
    match tokio::spawn(async move { condition.holds(&context) }).await {
        Ok(answer) => answer.map_err(|error| error.to_string()),
        Err(_) => Err("its condition failed".to_owned()),
    }
}

fn written(name: &str, held: &ConditionWords) -> String {
    let mut text = format!("**{name}**: {}", held.message.trim());
    let empty = match &held.details {
        serde_json::Value::Null => true,
        serde_json::Value::Object(fields) => fields.is_empty(),
        serde_json::Value::Array(items) => items.is_empty(),
        _ => false,
    };
    if !empty && let Ok(details) = serde_json::to_string_pretty(&held.details) {
        text.push_str(&format!("\nDetails:\n```json\n{details}\n```"));
    }
    text
}

/// The newest first, each once.
fn recent_tools(messages: &[Message]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for message in messages.iter().rev().take(RECENT) {
        for part in message.parts.iter().rev() {
            if let Part::Call { name, .. } | Part::Result { name, .. } = part
                && !names.contains(name)
            {
                names.push(name.clone());
            }
        }
    }
    names
}

/// Tokens of what was injected.
pub(crate) fn weight(model: &Model, node: Option<&PromptNode>) -> u64 {
    node.map_or(0, |node| {
        let children: u64 = node.children.iter().map(|child| model.estimate(&child.text)).sum();
        model.estimate(&node.text).saturating_add(children)
    })
}
