//! `[defaults]`: what agents use that name nothing themselves.

use super::{
    raw::{Raw, wrong},
    setting::{Setting, ShownSetting},
};
use crate::error::Result;
use engine::{PromptSettings, SummarySettings};
use provider::DEMO;

pub const SECTION: &str = "defaults";
pub const KEYS: &[&str] = &["model", "titles", "custom_prompt"];

/// As long as an agent's own prompt may be.
const PROMPT_BYTES: usize = 1 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defaults {
    /// `provider/model`; without it the first model found, else `demo`.
    pub model: Option<Setting<String>>,
    /// Sessions that no person named get a title, which the agent's model is asked for.
    pub titles: Setting<bool>,
    /// Added to the prompt of every agent of the house.
    pub custom_prompt: Setting<String>,
}

impl Defaults {
    /// What the engine is told of prompts.
    pub fn prompt(&self) -> PromptSettings {
        PromptSettings { custom: self.custom_prompt.value.clone(), ..PromptSettings::default() }
    }

    pub fn summaries(&self) -> SummarySettings {
        SummarySettings { titles: self.titles.value, ..SummarySettings::default() }
    }

    pub(super) fn read(raw: &mut Raw) -> Result<Self> {
        let model = raw.text(SECTION, "model")?.filter(|model| !model.value.trim().is_empty());
        if let Some(model) = &model {
            let is_full = model
                .value
                .split_once('/')
                .is_some_and(|(provider, name)| !provider.is_empty() && !name.is_empty());
            if model.value != DEMO && !is_full {
                let problem = format!("must be provider/model or demo, not `{}`", model.value);
                return Err(wrong(&model.origin, SECTION, "model", &problem));
            }
        }
        let titles = raw.boolean(SECTION, "titles")?.unwrap_or_else(|| Setting::default(true));
        let custom_prompt =
            raw.text(SECTION, "custom_prompt")?.unwrap_or_else(|| Setting::default(String::new()));
        if custom_prompt.value.len() > PROMPT_BYTES {
            return Err(wrong(
                &custom_prompt.origin,
                SECTION,
                "custom_prompt",
                "must not be longer than 1 MB",
            ));
        }
        Ok(Self { model, titles, custom_prompt })
    }

    pub(super) fn shown(&self) -> Vec<ShownSetting> {
        let shown = match &self.model {
            Some(model) => model.shown("defaults.model", &model.value),
            None => Setting::default(()).shown("defaults.model", "the first model that is found"),
        };
        let house = match self.custom_prompt.value.chars().count() {
            0 => "none".to_owned(),
            count => format!("{count} characters"),
        };
        vec![
            shown,
            self.titles.shown("defaults.titles", self.titles.value.to_string()),
            self.custom_prompt.shown("defaults.custom_prompt", house),
        ]
    }
}
