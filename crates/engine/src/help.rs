//! What there is: commands, tools, capabilities, elements.

use crate::{
    engine::Engine,
    error::{Error, Result},
};
use capability::{CapabilityView, ToolView};
use domain::EffectClass;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

const FILTER_CHARS: usize = 200;

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HelpQuery {
    /// Only what has this in its name or description, in any case.
    pub filter: Option<String>,
    /// `all`, or one of the four lists.
    pub category: Option<String>,
    /// With schemas and the like.
    pub detailed: bool,
}

#[derive(Clone, Debug, Default, PartialEq, JsonSchema, Serialize)]
pub struct Help {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commands: Option<Vec<CommandHelp>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<ToolHelp>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Vec<CapabilityHelp>>,
    /// What an agent's text may be made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elements: Option<Vec<ElementHelp>>,
}

/// What a person types, with a slash before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct CommandHelp {
    pub name: &'static str,
    pub usage: &'static str,
    pub description: &'static str,
}

#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct ToolHelp {
    pub name: String,
    pub description: String,
    /// The capability that brings it.
    pub capability: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<EffectClass>,
}

#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct CapabilityHelp {
    pub id: String,
    pub name: String,
    pub description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings_schema: Option<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct ElementHelp {
    pub name: &'static str,
    pub description: &'static str,
    /// It does something when it is complete.
    pub executable: bool,
    pub example: &'static str,
}

/// The commands that every client of a conversation has.
pub const COMMANDS: [CommandHelp; 7] = [
    CommandHelp { name: "new", usage: "/new", description: "begin a new session" },
    CommandHelp { name: "sessions", usage: "/sessions", description: "list your sessions" },
    CommandHelp { name: "session", usage: "/session ID", description: "go on with one of them" },
    CommandHelp { name: "stop", usage: "/stop", description: "stop what runs in this session" },
    CommandHelp { name: "retry", usage: "/retry", description: "run the last turn again if it failed" },
    CommandHelp { name: "help", usage: "/help", description: "this list" },
    CommandHelp { name: "quit", usage: "/quit", description: "leave" },
];

/// Lets through what a query asks for.
struct Sieve {
    needle: Option<String>,
    category: Option<String>,
}

impl Sieve {
    fn new(query: &HelpQuery) -> Result<Self> {
        let category = query.category.clone().filter(|category| category != "all");
        let known = ["commands", "tools", "capabilities", "elements"];
        if category.as_deref().is_some_and(|category| !known.contains(&category)) {
            let detail = format!("category must be all, {}", known.join(", "));
            return Err(Error::invalid("bad_category", detail));
        }
        if query.filter.as_ref().is_some_and(|filter| filter.chars().count() > FILTER_CHARS) {
            let detail = format!("filter may have at most {FILTER_CHARS} characters");
            return Err(Error::invalid("bad_filter", detail));
        }
        Ok(Self { needle: query.filter.as_ref().map(|filter| filter.to_lowercase()), category })
    }

    /// The list, when it is wanted, without what does not match.
    fn list<T>(
        &self,
        category: &str,
        items: impl IntoIterator<Item = T>,
        words: impl Fn(&T) -> [&str; 2],
    ) -> Option<Vec<T>> {
        if self.category.as_deref().is_some_and(|wanted| wanted != category) {
            return None;
        }
        let matches = |item: &T| {
            let has = |needle: &String| words(item).iter().any(|text| text.to_lowercase().contains(needle));
            self.needle.as_ref().is_none_or(has)
        };
        Some(items.into_iter().filter(matches).collect())
    }
}

impl Engine {
    pub fn help(&self, query: &HelpQuery) -> Result<Help> {
        let sieve = Sieve::new(query)?;
        let views = self.registry().list();
        let detailed = query.detailed;
        let tools = views
            .iter()
            .flat_map(|view| view.tools.iter().map(move |tool| ToolHelp::new(tool, &view.info.id, detailed)));
        let tools = sieve.list("tools", tools, |tool: &ToolHelp| [&tool.name, &tool.description]);
        let capabilities = views.iter().map(|view| CapabilityHelp::new(view, detailed));
        Ok(Help {
            commands: sieve.list("commands", COMMANDS, |command| [command.name, command.description]),
            tools,
            capabilities: sieve
                .list("capabilities", capabilities, |found: &CapabilityHelp| [&found.id, &found.description]),
            elements: sieve.list("elements", elements(), |element| [element.name, element.description]),
        })
    }
}

fn elements() -> impl Iterator<Item = ElementHelp> {
    let taught = markup::element::elements().iter().filter(|spec| !spec.example.is_empty());
    taught.map(|spec| ElementHelp {
        name: spec.name,
        description: spec.about,
        executable: spec.is_executable(),
        example: spec.example,
    })
}

impl ToolHelp {
    fn new(tool: &ToolView, capability: &str, detailed: bool) -> Self {
        Self {
            name: tool.spec.name.clone(),
            description: tool.spec.description.clone(),
            capability: capability.to_owned(),
            parameters: detailed.then(|| tool.spec.parameters.clone()),
            class: detailed.then_some(tool.class),
        }
    }
}

impl CapabilityHelp {
    fn new(view: &CapabilityView, detailed: bool) -> Self {
        let names = || view.tools.iter().map(|tool| tool.spec.name.clone()).collect();
        Self {
            id: view.info.id.clone(),
            name: view.info.name.clone(),
            description: view.info.description.clone(),
            tools: detailed.then(names),
            settings_schema: if detailed { view.settings_schema.clone() } else { None },
        }
    }
}
