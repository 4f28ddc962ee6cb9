//! `/help`: what there is.

use crate::commands::{About, Command, CommandAnswer, Form, Invocation, Need};
use crate::{
    commands::help_lists::HelpQuery,
    error::{Error, Result},
};
use async_trait::async_trait;
use domain::{EffectClass, Permission};
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) struct SlashHelp;

const ABOUT: About = About {
    name: "help",
    summary: "list commands, tools, capabilities, elements and abilities",
    details: "`/help` shows the most used commands, `/help all` everything. FILTER is a regular expression or some words. The name of a \
              command shows how to write it.",
    category: "help",
    forms: &[Form::new(
        "/help [all|FILTER] [category=all|commands|prompts|tools|capabilities|elements|abilities] [detailed=true]",
        "",
        "the most used commands, everything, or what matches the filter",
    )
    .rest("filter")
    .named(&["category", "detailed"])],
};

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct HelpArguments {
    filter: Option<String>,
    category: Option<String>,
    detailed: Option<Value>,
}

#[async_trait]
impl Command for SlashHelp {
    fn about(&self) -> About {
        ABOUT
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "filter": { "type": "string", "description": "A regular expression or some words; upper and lower case are the same." },
                "category": {
                    "type": "string",
                    "enum": ["all", "commands", "prompts", "tools", "functions", "capabilities", "elements", "abilities"]
                },
                "detailed": { "type": "boolean", "description": "Include schemas and other details." }
            },
            "additionalProperties": false
        })
    }

    fn permission(&self) -> Permission {
        Permission::Allow
    }

    fn class(&self) -> EffectClass {
        EffectClass::Read
    }

    async fn run(&self, invocation: &Invocation, arguments: Value) -> Result<CommandAnswer> {
        invocation.actor.check(Need::Talk)?;
        let HelpArguments { filter, category, detailed } = invocation.read(arguments)?;
        let detailed = match detailed {
            None => None,
            Some(Value::Bool(value)) => Some(value),
            Some(Value::String(text)) if text == "true" || text == "false" => Some(text == "true"),
            Some(_) => return Err(invocation.misuse("detailed must be true or false")),
        };
        let filter = filter.map(|filter| filter.trim_start_matches('/').to_owned());
        let is_short = filter.is_none() && category.is_none() && detailed.is_none();
        let filter = filter.filter(|filter| filter != "all");
        let one = filter.as_deref().and_then(crate::commands::named);
        let query = HelpQuery { filter, category, detailed: detailed.unwrap_or(one.is_some()) };
        let help = invocation.engine.help(invocation.user(), &query).await?;
        let help = if invocation.actor.is_agent() { help.for_agent() } else { help };
        let text = match one {
            Some(command) => written(&command.about()),
            None if is_short => help.short_text(),
            None => help.text(),
        };
        Ok(CommandAnswer::new(text, serde_json::to_value(help).map_err(|_| Error::Internal)?))
    }
}

/// One command, whole.
fn written(about: &About) -> String {
    let forms = about.forms.iter().map(|form| format!("- `{}` — {}", form.usage, form.description));
    let forms: Vec<String> = forms.collect();
    let details = if about.details.is_empty() { String::new() } else { format!("\n\n{}", about.details) };
    format!("**/{}** {}\n\n{}{details}", about.name, about.summary, forms.join("\n"))
}
