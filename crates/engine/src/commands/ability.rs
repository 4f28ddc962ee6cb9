//! `/ability`: what one writes for one's agents.

use crate::commands::{About, Command, CommandAnswer, Form, Invocation, Need, answer::code_span};
use crate::error::{Error, Result};
use async_trait::async_trait;
use capability::ability;
use domain::{Ability, AbilityText};
use serde::Deserialize;
use serde_json::{Value, json};
use store::Page;

/// What a list shows.
const LISTED: u32 = 100;

pub(super) struct SlashAbility;

const ABOUT: About = About {
    name: "ability",
    summary: "list, show, write and delete abilities",
    details: "TEXT is the text of the ability, or a whole ability file: a block between two lines of three double quotes with the \
              headings Description and Properties (type, condition, category, tags, danger, startup), then the text. An \
              agent has an ability when its capabilities list the name. You can then use a process with !!NAME!! in a \
              message.",
    category: "abilities",
    forms: FORMS,
};

const FORMS: &[Form] = &[
    Form::new("/ability list", "list", "your abilities"),
    Form::new("/ability show NAME", "show", "one ability, as a file").words(&["name"]),
    Form::new("/ability create NAME TEXT", "create", "write an ability").words(&["name"]).rest("content"),
    Form::new("/ability edit NAME TEXT", "edit", "replace an ability").words(&["name"]).rest("content"),
    Form::new("/ability delete NAME", "delete", "delete an ability").words(&["name"]),
];

#[derive(Debug, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case", deny_unknown_fields)]
enum AbilityAction {
    List {},
    Show { name: Option<String> },
    Create { name: Option<String>, content: Option<String> },
    Edit { name: Option<String>, content: Option<String> },
    Delete { name: Option<String> },
}

#[async_trait]
impl Command for SlashAbility {
    fn about(&self) -> About {
        ABOUT
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "action": { "type": "string", "enum": ["list", "show", "create", "edit", "delete"] },
                "name": { "type": "string", "description": "Name of the ability: a to z, 0 to 9 and _." },
                "content": { "type": "string", "description": "For create and edit: its text, or a whole file with front matter." }
            },
            "required": ["action"],
            "additionalProperties": false
        })
    }

    async fn run(&self, invocation: &Invocation, arguments: Value) -> Result<CommandAnswer> {
        let deed: AbilityAction = invocation.read(arguments)?;
        invocation.actor.check(Need::OwnAgents)?;
        match deed {
            AbilityAction::List {} => invocation.list_abilities().await,
            AbilityAction::Show { name } => invocation.show_ability(name).await,
            AbilityAction::Create { name, content } => invocation.write_ability(name, content).await,
            AbilityAction::Edit { name, content } => invocation.edit_ability(name, content).await,
            AbilityAction::Delete { name } => invocation.remove_ability(name).await,
        }
    }
}

impl Invocation {
    async fn list_abilities(&self) -> Result<CommandAnswer> {
        let listed = self.engine.abilities(self.user(), Page::first(LISTED)).await?;
        let line = |ability: &Ability| {
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
            true => "You have no abilities yet. `/ability create NAME TEXT` writes one.".to_owned(),
            false => lines.join("\n"),
        };
        Ok(CommandAnswer::new(text, json!({ "abilities": listed.items, "total": listed.total })))
    }

    async fn ability_named(&self, name: Option<String>) -> Result<Ability> {
        let name = name.ok_or_else(|| self.misuse("name the ability"))?;
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
        let text =
            format!("`{}` was saved. Agents that list it in their capabilities have it.", made.text.name);
        Ok(said(&made, text, &warnings))
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
        Ok(said(&changed, format!("`{}` was replaced.", changed.text.name), &warnings))
    }

    async fn remove_ability(&self, name: Option<String>) -> Result<CommandAnswer> {
        let found = self.ability_named(name).await?;
        self.engine.delete_ability(self.user(), found.id).await?;
        let text = format!("`{}` was deleted. Agents that list it show it as missing.", found.text.name);
        Ok(said(&found, text, &[]))
    }

    fn read_ability(
        &self,
        name: Option<String>,
        content: Option<String>,
    ) -> Result<(AbilityText, Vec<String>)> {
        let name = name.ok_or_else(|| self.misuse("give the ability a name"))?;
        let content = content.ok_or_else(|| self.misuse("write the text of the ability"))?;
        let file = ability::read(&name, &content);
        let file = file.map_err(|error| Error::invalid("bad_ability", error.to_string()))?;
        Ok((file.text, file.warnings))
    }
}

fn said(ability: &Ability, mut text: String, warnings: &[String]) -> CommandAnswer {
    text.extend(warnings.iter().map(|warning| format!("\n- {}", code_span(warning))));
    CommandAnswer::new(text, json!({ "ability": ability, "warnings": warnings }))
}
