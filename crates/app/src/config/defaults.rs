//! `[defaults]`: what agents use that name nothing themselves.

use super::{
    raw::{Raw, wrong},
    setting::{Setting, Shown},
};
use crate::error::Result;
use provider::DEMO;

pub const SECTION: &str = "defaults";
pub const KEYS: &[&str] = &["model", "titles"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defaults {
    /// `provider/model`; without it the first model found, else `demo`.
    pub model: Option<Setting<String>>,
    /// Sessions that nobody named get a title, which the agent's model is asked for.
    pub titles: Setting<bool>,
}

impl Defaults {
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
        Ok(Self { model, titles })
    }

    /// No provider needs to be looked for: this is what every agent without a model uses.
    pub fn is_demo(&self) -> bool {
        self.model.as_ref().is_some_and(|model| model.value == DEMO)
    }

    pub(super) fn shown(&self) -> Vec<Shown> {
        let shown = match &self.model {
            Some(model) => model.shown("defaults.model", &model.value),
            None => Setting::default(()).shown("defaults.model", "the first one found"),
        };
        vec![shown, self.titles.shown("defaults.titles", self.titles.value.to_string())]
    }
}
