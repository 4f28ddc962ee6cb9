//! A capability with everything that one may have, as a new contributor would write it: one file, and one line where it is
//! registered.

use async_trait::async_trait;
use capability::{
    Capability, CapabilityInfo, Condition, ConditionContext, ConditionError, ConditionWords, Hook,
    HookContext, HookResult, Moment, Tool, ToolContext, ToolError,
};
use domain::{EffectClass, PromptNode, ToolSpec};
use serde_json::{Value, json};
use std::sync::Arc;

pub struct Almanac;

impl Capability for Almanac {
    fn info(&self) -> CapabilityInfo {
        CapabilityInfo::builtin("almanac", "Almanac", "Knows what grows when.")
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(Sow)]
    }

    fn hooks(&self) -> Vec<Arc<dyn Hook>> {
        vec![Arc::new(Season)]
    }

    fn condition(&self) -> Option<Arc<dyn Condition>> {
        Some(Arc::new(Frost))
    }
}

struct Sow;

#[async_trait]
impl Tool for Sow {
    fn spec(&self) -> ToolSpec {
        let parameters = json!({
            "type": "object", "properties": { "plant": { "type": "string" } }, "required": ["plant"],
        });
        ToolSpec { name: "sow".to_owned(), description: "When to sow a plant.".to_owned(), parameters }
    }

    fn class(&self) -> EffectClass {
        EffectClass::Read
    }

    async fn run(&self, _context: &ToolContext, arguments: Value) -> Result<Value, ToolError> {
        match arguments["plant"].as_str() {
            Some("tomato") => Ok(json!({ "month": "March" })),
            _ => Err(ToolError::failed("this plant is not in the almanac")),
        }
    }
}

struct Season;

#[async_trait]
impl Hook for Season {
    fn moments(&self) -> &'static [Moment] {
        &[Moment::ProcessPrompts]
    }

    async fn process_prompts(
        &self,
        _context: &HookContext,
        mut tree: Vec<PromptNode>,
    ) -> HookResult<Vec<PromptNode>> {
        tree.push(PromptNode::new("season", "It is the season of planning."));
        Ok(tree)
    }
}

struct Frost;

impl Condition for Frost {
    fn describe(&self) -> String {
        "somebody speaks of frost".to_owned()
    }

    fn holds(&self, context: &ConditionContext) -> Result<Option<ConditionWords>, ConditionError> {
        if context.message.contains("panic") {
            panic!("this condition was asked to break down");
        }
        let frost = context.message.contains("frost");
        let message = "Nothing tender goes outside before the last frost.".to_owned();
        Ok(frost.then_some(ConditionWords { message, details: json!({ "last_frost": "May 15" }) }))
    }
}
