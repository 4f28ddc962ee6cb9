//! What there is: commands, tools, capabilities, elements, abilities. The route, the function of agents and `/help` all
//! ask here.

use crate::{
    commands::{self, Form},
    engine::Engine,
    error::{Error, Result},
};
use capability::{CapabilitySource, CapabilityView, ToolView};
use domain::{EffectClass, SavedPrompt, UserId};
use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use store::Page;

const FILTER_CHARS: usize = 200;
/// What a filter may take in memory when it is compiled.
const FILTER_BYTES: usize = 1 << 18;
const NESTING: u32 = 50;
const CATEGORIES: [&str; 6] = ["commands", "prompts", "tools", "capabilities", "elements", "abilities"];
/// Prompts of one person that are listed.
const PROMPTS: u32 = 500;

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HelpQuery {
    /// Only what this regular expression fits, or what has all its words, in its name or description; in any case.
    pub filter: Option<String>,
    /// `all`, or one of the lists; `functions` is another word for tools.
    pub category: Option<String>,
    /// With schemas and the like.
    pub detailed: bool,
}

#[derive(Clone, Debug, Default, PartialEq, JsonSchema, Serialize)]
pub struct Help {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commands: Option<Vec<CommandHelp>>,
    /// What the person keeps for themself, sent by a slash and its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompts: Option<Vec<PromptHelp>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<ToolHelp>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Vec<CapabilityHelp>>,
    /// What an agent's text may be made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elements: Option<Vec<ElementHelp>>,
    /// What agents are taught only when it matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abilities: Option<Vec<AbilityHelp>>,
}

/// What a person types, with a slash before it.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct CommandHelp {
    pub name: &'static str,
    pub usage: &'static str,
    pub description: &'static str,
    pub category: &'static str,
    /// Other words for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forms: Option<Vec<Form>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<&'static str>,
}

/// A prompt of the person's own.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct PromptHelp {
    pub name: String,
    pub usage: String,
    pub description: String,
}

impl PromptHelp {
    fn new(prompt: SavedPrompt) -> Self {
        let places: String =
            prompt.text.placeholders().iter().map(|place| format!(" {}", place.to_uppercase())).collect();
        let first = prompt.text.content.lines().next().unwrap_or_default();
        let description = match prompt.text.description.as_str() {
            "" => first.chars().take(80).collect(),
            given => given.to_owned(),
        };
        Self { usage: format!("/{}{places}", prompt.text.name), name: prompt.text.name, description }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct AbilityHelp {
    pub name: String,
    pub description: String,
    /// `true`: it does not come with the program, so its description is quoted.
    #[serde(skip)]
    pub(crate) is_quoted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
}

#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct ToolHelp {
    pub name: String,
    pub description: String,
    /// The capability that brings it.
    pub capability: String,
    /// Arguments that it takes.
    pub example: Value,
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
    /// `true`: it does not come with the program, so its description is quoted.
    #[serde(skip)]
    pub(crate) is_quoted: bool,
    /// Of one that does not work here: why, and what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
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

/// Lets through what a query asks for.
struct Sieve {
    /// The pattern, and the words.
    filter: Option<(Regex, Vec<String>)>,
    category: Option<String>,
}

impl Sieve {
    fn new(query: &HelpQuery) -> Result<Self> {
        let category = match query.category.as_deref() {
            None | Some("all") => None,
            Some("functions") => Some("tools".to_owned()),
            Some(category) if CATEGORIES.contains(&category) => Some(category.to_owned()),
            Some(_) => {
                let detail = format!("category must be one of all, {}.", CATEGORIES.join(", "));
                return Err(Error::invalid("bad_category", detail));
            }
        };
        let filter = query.filter.as_deref().map(pattern).transpose()?;
        Ok(Self { filter, category })
    }

    fn fits(&self, words: [&str; 2]) -> bool {
        let Some((pattern, needles)) = &self.filter else { return true };
        let text = words.join("\n").to_lowercase();
        let has_words = !needles.is_empty() && needles.iter().all(|needle| text.contains(needle));
        has_words || words.iter().any(|word| pattern.is_match(word))
    }

    fn wants(&self, category: &str) -> bool {
        self.category.as_deref().is_none_or(|wanted| wanted == category)
    }

    /// The list, when it is wanted, without what does not match.
    fn list<T>(
        &self,
        category: &str,
        items: impl IntoIterator<Item = T>,
        words: impl Fn(&T) -> [&str; 2],
    ) -> Option<Vec<T>> {
        if !self.wants(category) {
            return None;
        }
        Some(items.into_iter().filter(|item| self.fits(words(item))).collect())
    }
}

/// THREAT[help-01] Anybody may write the pattern, an agent too: it takes linear time, and one that would become large is
/// refused before it is tried.
fn pattern(filter: &str) -> Result<(Regex, Vec<String>)> {
    if filter.chars().count() > FILTER_CHARS {
        let detail = format!("filter must have at most {FILTER_CHARS} characters.");
        return Err(Error::invalid("bad_filter", detail));
    }
    let built = RegexBuilder::new(filter)
        .case_insensitive(true)
        .size_limit(FILTER_BYTES)
        .dfa_size_limit(FILTER_BYTES)
        .nest_limit(NESTING)
        .build();
    let pattern = built.map_err(|error| {
        let why = match error {
            regex::Error::Syntax(words) => {
                words.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
            }
            _ => "it would become too large".to_owned(),
        };
        Error::invalid("bad_filter", format!("filter cannot be used as a regular expression: {why}."))
    })?;
    Ok((pattern, filter.split_whitespace().map(str::to_lowercase).collect()))
}

impl Engine {
    /// With what the person wrote themself.
    pub async fn help(&self, user: UserId, query: &HelpQuery) -> Result<Help> {
        let sieve = Sieve::new(query)?;
        let views = self.registry_for(user).await?.list();
        let detailed = query.detailed;
        let tools = views
            .iter()
            .flat_map(|view| view.tools.iter().map(move |tool| ToolHelp::new(tool, &view.info.id, detailed)));
        let tools = sieve.list("tools", tools, |tool: &ToolHelp| [&tool.name, &tool.description]);
        let capabilities = views.iter().map(|view| CapabilityHelp::new(view, detailed));
        let commands = commands::all().iter().map(|command| CommandHelp::new(&command.about(), detailed));
        let written = |view: &&CapabilityView| {
            matches!(view.info.source, CapabilitySource::System | CapabilitySource::User)
        };
        let abilities = views.iter().filter(written).map(AbilityHelp::new);
        let prompts = match sieve.wants("prompts") {
            true => self.saved_prompts(user, Page::first(PROMPTS)).await?.items,
            false => Vec::new(),
        };
        let prompts = prompts.into_iter().map(PromptHelp::new);
        Ok(Help {
            commands: sieve.list("commands", commands, |command| [command.name, command.description]),
            prompts: sieve.list("prompts", prompts, |found: &PromptHelp| [&found.name, &found.description]),
            tools,
            capabilities: sieve
                .list("capabilities", capabilities, |found: &CapabilityHelp| [&found.id, &found.description]),
            elements: sieve.list("elements", elements(), |element| [element.name, element.description]),
            abilities: sieve
                .list("abilities", abilities, |found: &AbilityHelp| [&found.name, &found.description]),
        })
    }
}

impl Help {
    /// Without what people keep for themselves: no agent sends it.
    #[must_use]
    pub(crate) fn for_agent(self) -> Self {
        Self { prompts: None, ..self }
    }
}

/// Is it part of the program?
fn comes_along(source: CapabilitySource) -> bool {
    matches!(source, CapabilitySource::Builtin | CapabilitySource::System)
}

impl AbilityHelp {
    fn new(view: &CapabilityView) -> Self {
        let info = view.info.clone();
        Self {
            name: info.id,
            description: info.description,
            is_quoted: !comes_along(info.source),
            category: info.category,
        }
    }
}

impl CommandHelp {
    fn new(about: &commands::About, detailed: bool) -> Self {
        let meant = |meant: &str| meant.split(' ').next() == Some(about.name);
        let aliases = commands::ALIASES.iter().filter(|(_, stands_for)| meant(stands_for));
        Self {
            name: about.name,
            usage: about.forms.first().map_or("", |form| form.usage),
            description: about.summary,
            category: about.category,
            aliases: aliases.map(|(alias, _)| *alias).collect(),
            forms: detailed.then(|| about.forms.to_vec()),
            details: detailed.then_some(about.details),
        }
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
            example: tool.example(),
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
            is_quoted: !comes_along(view.info.source),
            remedy: view.info.remedy.clone(),
            tools: detailed.then(names),
            settings_schema: if detailed { view.settings_schema.clone() } else { None },
        }
    }
}
