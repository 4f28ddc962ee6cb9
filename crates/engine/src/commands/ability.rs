//! `/ability`: what one writes for one's agents.

use crate::commands::{About, Command, CommandAnswer, Form, Invocation, Need, answer::code_span};
use crate::error::{Error, Result};
use async_trait::async_trait;
use capability::ability;
use domain::{Ability as Written, AbilityText};
use serde::Deserialize;
use serde_json::{Value, json};
use store::Page;

/// What a list shows.
const LISTED: u32 = 100;

pub(super) struct Ability;

const ABOUT: About = About {
    name: "ability",
    summary: "lists, shows, writes and deletes abilities",
    details: "TEXT is the words of the ability, or a whole file of one: a block between two lines of three double quotes, \
              with the headings Description and Properties (type, condition, category, tags, danger, startup), and the \
              words behind it. An agent has an ability when its capabilities list the name; a person then calls for a \
              process by !!NAME!! in a message.",
    category: "abilities",
    forms: FORMS,
};

const FORMS: &[Form] = &[
    Form::new("/ability list", "list", "your abilities"),
    Form::new("/ability show NAME", "show", "one of them, as a file").words(&["name"]),
    Form::new("/ability create NAME TEXT", "create", "writes one").words(&["name"]).rest("content"),
    Form::new("/ability edit NAME TEXT", "edit", "writes it anew").words(&["name"]).rest("content"),
    Form::new("/ability delete NAME", "delete", "deletes it").words(&["name"]),
];

#[derive(Debug, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case", deny_unknown_fields)]
enum Deed {
    List {},
    Show { name: Option<String> },
    Create { name: Option<String>, content: Option<String> },
    Edit { name: Option<String>, content: Option<String> },
    Delete { name: Option<String> },
}

#[async_trait]
impl Command for Ability {
    fn about(&self) -> About {
        ABOUT
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "action": { "type": "string", "enum": ["list", "show", "create", "edit", "delete"] },
                "name": { "type": "string", "description": "Of the ability: a to z, 0 to 9 and _." },
                "content": { "type": "string", "description": "For create and edit: its words, or a whole file with front matter." }
            },
            "required": ["action"],
            "additionalProperties": false
        })
    }

    async fn run(&self, invocation: &Invocation, arguments: Value) -> Result<CommandAnswer> {
        let deed: Deed = invocation.read(arguments)?;
        invocation.actor.check(Need::OwnAgents)?;
        match deed {
            Deed::List {} => invocation.list_abilities().await,
            Deed::Show { name } => invocation.show_ability(name).await,
            Deed::Create { name, content } => invocation.write_ability(name, content).await,
            Deed::Edit { name, content } => invocation.edit_ability(name, content).await,
            Deed::Delete { name } => invocation.remove_ability(name).await,
        }
    }
}

impl Invocation {
    async fn list_abilities(&self) -> Result<CommandAnswer> {
        let listed = self.engine.abilities(self.user(), Page::first(LISTED)).await?;
        let line = |ability: &Written| {
            let AbilityText { name, kind, description, .. } = &ability.text;
            let about = if description.is_empty() {
                String::new()
            } else {
                format!(" — {}", code_span(description))
            };
            format!("- `{name}` ({}){about}", kind.as_str())
        };
        let lines: Vec<String> = listed.items.iter().map(line).collect();
        let text = match lines.is_empty() {
            true => "You have written no abilities yet: `/ability create NAME TEXT`.".to_owned(),
            false => lines.join("\n"),
        };
        Ok(CommandAnswer::new(text, json!({ "abilities": listed.items, "total": listed.total })))
    }

    async fn ability_named(&self, name: Option<String>) -> Result<Written> {
        let name = name.ok_or_else(|| self.misuse("say which ability"))?;
        self.engine.ability_by_name(self.user(), name).await
    }

    async fn show_ability(&self, name: Option<String>) -> Result<CommandAnswer> {
        let found = self.ability_named(name).await?;
        let text = format!("````markdown\n{}````", ability::write(&found.text));
        Ok(CommandAnswer::new(text, json!({ "ability": found })))
    }

    async fn write_ability(&self, name: Option<String>, content: Option<String>) -> Result<CommandAnswer> {
        let (text, warnings) = self.read_ability(name, content)?;
        let made = self.engine.create_ability(self.user(), text).await?;
        Ok(said(&made, "is written; agents have it that list it among their capabilities", &warnings))
    }

    async fn edit_ability(&self, name: Option<String>, content: Option<String>) -> Result<CommandAnswer> {
        let before = self.ability_named(name.clone()).await?;
        let (mut text, warnings) = self.read_ability(name, content)?;
        // Words alone leave the rest as it was.
        if text
            == (AbilityText {
                name: text.name.clone(),
                content: text.content.clone(),
                ..AbilityText::default()
            })
        {
            text = AbilityText { content: text.content, ..before.text };
        }
        let changed = self.engine.replace_ability(self.user(), before.id, text).await?;
        Ok(said(&changed, "is written anew", &warnings))
    }

    async fn remove_ability(&self, name: Option<String>) -> Result<CommandAnswer> {
        let found = self.ability_named(name).await?;
        self.engine.delete_ability(self.user(), found.id).await?;
        Ok(said(&found, "is deleted; agents that list it show it as missing", &[]))
    }

    fn read_ability(
        &self,
        name: Option<String>,
        content: Option<String>,
    ) -> Result<(AbilityText, Vec<String>)> {
        let name = name.ok_or_else(|| self.misuse("say how it is called"))?;
        let content = content.ok_or_else(|| self.misuse("say what it is about"))?;
        let file = ability::read(&name, &content);
        let file = file.map_err(|error| Error::invalid("bad_ability", error.to_string()))?;
        Ok((file.text, file.warnings))
    }
}

fn said(ability: &Written, what: &str, warnings: &[String]) -> CommandAnswer {
    let warned: String = warnings.iter().map(|warning| format!("\n- {}", code_span(warning))).collect();
    let text = format!("`{}` {what}.{warned}", ability.text.name);
    CommandAnswer::new(text, json!({ "ability": ability, "warnings": warnings }))
}
