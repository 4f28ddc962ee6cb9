//! An ability as a capability: what an agent has that lists it.

use super::{AbilityError, Template, TemplateError, Values};
use crate::{
    Capability, CapabilityInfo, CapabilitySource, CapabilityStatus, Condition, ConditionContext,
    ConditionError, ConditionWords, Risk, Tool, ToolContext, ToolError, condition::Expression,
};
use async_trait::async_trait;
use domain::{AbilityKind, AbilityText, Danger, EffectClass, ToolSpec};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Names of processes that every session begins with begin like this, after any number of further underscores.
const STARTUP: &str = "_onstart_";

/// Words for a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// The id of its capability.
    pub name: String,
    pub description: String,
    pub template: Template,
    /// The name that decides its place among those that a session begins with; none for any other.
    pub startup: Option<String>,
}

impl Process {
    /// # Errors
    /// When more would come of it than a model could be told.
    pub fn render(&self, values: &Values) -> Result<String, TemplateError> {
        self.template.render(values)
    }
}

/// What a person, or the house, wrote.
pub struct WrittenAbility {
    text: AbilityText,
    source: CapabilitySource,
    process: Option<Arc<Process>>,
    condition: Option<Arc<dyn Condition>>,
}

impl WrittenAbility {
    /// # Errors
    /// When its words or its condition cannot be understood (any more).
    pub fn new(text: AbilityText, source: CapabilitySource) -> Result<Self, AbilityError> {
        let template = Template::check(&text.content).map_err(AbilityError::Template)?;
        let (mut process, mut condition) = (None, None);
        match text.kind {
            AbilityKind::Process => process = Some(Arc::new(made(&text, template))),
            AbilityKind::Conditional => {
                let written = text.condition.as_deref().ok_or(AbilityError::NoCondition)?;
                let expression = Expression::parse(written).map_err(AbilityError::Condition)?;
                condition = Some(Arc::new(Words { expression, template }) as Arc<dyn Condition>);
            }
        }
        Ok(Self { text, source, process, condition })
    }

    fn is_tool(&self) -> Option<&Arc<Process>> {
        self.process.as_ref().filter(|process| process.startup.is_none())
    }
}

fn made(text: &AbilityText, template: Template) -> Process {
    let bare = text.name.trim_start_matches('_');
    let named = text.name.starts_with('_') && format!("_{bare}").starts_with(STARTUP);
    let startup = match (named, text.startup) {
        (true, _) => Some(text.name.clone()),
        (false, true) => Some(format!("{STARTUP}{}", text.name)),
        (false, false) => None,
    };
    Process { name: text.name.clone(), description: text.description.clone(), template, startup }
}

impl Capability for WrittenAbility {
    fn info(&self) -> CapabilityInfo {
        let category = self.text.category.clone();
        CapabilityInfo {
            id: self.text.name.clone(),
            name: self.text.name.clone(),
            description: self.text.description.clone(),
            status: CapabilityStatus::Available,
            icon: None,
            category: Some(category.unwrap_or_else(|| "Abilities".to_owned())),
            tags: self.text.tags.clone(),
            source: self.source,
            risk: match self.text.danger {
                Danger::Safe => Risk::Low,
                Danger::Moderate => Risk::Medium,
                Danger::Dangerous => Risk::High,
            },
            dependencies: Vec::new(),
            features: Vec::new(),
            remedy: None,
        }
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let tool = |process: &Arc<Process>| Arc::new(Recall(Arc::clone(process))) as Arc<dyn Tool>;
        self.is_tool().map(tool).into_iter().collect()
    }

    fn condition(&self) -> Option<Arc<dyn Condition>> {
        self.condition.clone()
    }

    fn process(&self) -> Option<Arc<Process>> {
        self.process.clone()
    }
}

/// Lets an agent look a process up when it has the task at hand, instead of being told all of them every time.
struct Recall(Arc<Process>);

#[async_trait]
impl Tool for Recall {
    fn spec(&self) -> ToolSpec {
        let parameter = |name: &String| (name.clone(), json!({ "type": "string" }));
        let properties: Map<String, Value> = self.0.template.parameters().iter().map(parameter).collect();
        let description = match self.0.description.as_str() {
            "" => format!("Instructions: {}. Read them before you do what they are about.", self.0.name),
            words => format!("Instructions, to be read before you do what they are about: {words}"),
        };
        ToolSpec {
            name: self.0.name.clone(),
            description,
            parameters: json!({ "type": "object", "properties": properties, "additionalProperties": false }),
        }
    }

    fn class(&self) -> EffectClass {
        EffectClass::Read
    }

    async fn run(&self, context: &ToolContext, arguments: Value) -> Result<Value, ToolError> {
        let mut values = context.values.clone().set_at(context.clock.now(), &context.time_zone);
        for name in self.0.template.parameters() {
            if let Some(value) = arguments.get(name).and_then(Value::as_str) {
                values = values.with(name, value);
            }
        }
        let content = self.0.render(&values).map_err(|error| ToolError::failed(error.to_string()))?;
        Ok(json!({ "success": true, "content": content, "injected": true }))
    }
}

/// The condition of a person, and what they want to be told then.
struct Words {
    expression: Expression,
    template: Template,
}

impl Condition for Words {
    fn describe(&self) -> String {
        self.expression.source().to_owned()
    }

    fn holds(&self, context: &ConditionContext) -> Result<Option<ConditionWords>, ConditionError> {
        if !self.expression.holds(context) {
            return Ok(None);
        }
        let message = self.template.render(&context.values);
        let message = message.map_err(|error| ConditionError(error.to_string()))?;
        Ok(Some(ConditionWords { message, details: Value::Null }))
    }
}

#[cfg(test)]
#[path = "written_tests.rs"]
mod tests;
