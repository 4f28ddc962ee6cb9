//! `[provider.NAME]`: whose models may be asked.

use super::{
    Lookup, price,
    raw::{Raw, Value, wrong},
    setting::{Origin, Setting, ShownSetting},
};
use crate::error::{Result, advised};
use provider::{
    Origin as Said, Prices, ProviderSettings, Wire, from_environment, name_problem, usual_address, usual_wire,
};
use secrecy::SecretString;
use std::collections::BTreeMap;

pub const SECTION: &str = "provider";
pub const KEYS: &[&str] =
    &["wire", "base_url", "api_key", "api_key_env", "models", "price", "prices", "images"];

#[derive(Clone, Debug, Default)]
pub struct Providers {
    pub list: Vec<ProviderSettings>,
    /// What was found and cannot be used as it is.
    pub notes: Vec<String>,
    shown: Vec<ShownSetting>,
}

impl Providers {
    pub(super) fn read(raw: &mut Raw, lookup: Lookup<'_>) -> Result<Self> {
        let mut providers = Self::default();
        for (name, origin) in std::mem::take(&mut raw.providers) {
            let mut reader = Reader {
                raw,
                lookup,
                section: format!("{SECTION}.{name}"),
                shown: Vec::new(),
                notes: Vec::new(),
            };
            providers.list.push(reader.provider(name, origin)?);
            providers.shown.append(&mut reader.shown);
            providers.notes.append(&mut reader.notes);
        }
        for settings in from_environment(lookup) {
            if providers.list.iter().any(|known| known.name == settings.name) {
                continue;
            }
            providers.shown.push(ShownSetting {
                name: format!("{SECTION}.{}", settings.name),
                value: super::store::mask_password(&settings.base_url),
                origin: Origin::Found(settings.source.clone()),
            });
            providers.list.push(settings);
        }
        Ok(providers)
    }

    pub(super) fn shown(&self) -> Vec<ShownSetting> {
        self.shown.clone()
    }
}

struct Reader<'a> {
    raw: &'a mut Raw,
    lookup: Lookup<'a>,
    section: String,
    shown: Vec<ShownSetting>,
    notes: Vec<String>,
}

impl Reader<'_> {
    fn provider(&mut self, name: String, origin: Origin) -> Result<ProviderSettings> {
        let wire = self.wire(&name)?;
        let base_url = self.text("base_url")?;
        if let Some(url) = &base_url {
            self.show("base_url", super::store::mask_password(&url.value), &url.origin);
        }
        let api_key = self.api_key(&name, base_url.is_some(), &origin)?;
        let base_url = match base_url {
            Some(Setting { value, origin }) if !is_address(&value) => {
                let problem = "must be an http:// or https:// address, which usually ends in /v1";
                return Err(wrong(&origin, &self.section, "base_url", problem));
            }
            Some(url) => url.value,
            None => usual_address(&name).ok_or_else(|| {
                let problem =
                    "is missing; write the address of the provider, for instance http://127.0.0.1:11434/v1";
                wrong(&origin, &self.section, "base_url", problem)
            })?,
        };
        let models = self.raw.list(&self.section, "models")?;
        if let Some(models) = &models {
            self.show("models", format!("[{}]", models.value.join(", ")), &models.origin);
        }
        let prices = self.prices()?;
        let images = self.images()?;
        let models = models.map(|models| models.value).unwrap_or_default();
        Ok(ProviderSettings {
            name,
            wire,
            base_url,
            api_key,
            models,
            free: None,
            prices,
            images,
            origin: Said::File,
            source: origin.to_string(),
        })
    }

    fn text(&mut self, key: &str) -> Result<Option<Setting<String>>> {
        Ok(self.raw.text(&self.section, key)?.filter(|text| !text.value.trim().is_empty()))
    }

    fn show(&mut self, key: &str, value: String, origin: &Origin) {
        self.shown.push(ShownSetting {
            name: format!("{}.{key}", self.section),
            value,
            origin: origin.clone(),
        });
    }

    fn wire(&mut self, name: &str) -> Result<Wire> {
        let Some(Setting { value, origin }) = self.text("wire")? else {
            return Ok(usual_wire(name).unwrap_or(Wire::OpenAi));
        };
        self.show("wire", value.clone(), &origin);
        let problem = format!("must be \"openai\" or \"anthropic\", not \"{}\"", value.trim());
        Wire::parse(value.trim()).ok_or_else(|| wrong(&origin, &self.section, "wire", &problem))
    }

    fn api_key(&mut self, name: &str, has_address: bool, heading: &Origin) -> Result<Option<SecretString>> {
        let (key, variable) = (self.text("api_key")?, self.text("api_key_env")?);
        match (key, variable) {
            (Some(_), Some(variable)) => {
                let problem = "contradicts api_key; write the key itself or the name of the variable that holds it, not both";
                Err(wrong(&variable.origin, &self.section, "api_key_env", problem))
            }
            (Some(key), None) => {
                self.show("api_key", "•••".to_owned(), &key.origin);
                Ok(Some(SecretString::from(key.value)))
            }
            (None, Some(variable)) => {
                let value = (self.lookup)(variable.value.trim()).filter(|value| !value.trim().is_empty());
                let state = if value.is_some() { "set" } else { "not set" };
                if value.is_none() {
                    let (section, name) = (&self.section, &variable.value);
                    self.notes.push(format!(
                        "{section} has no key, because the environment variable {name} is not set."
                    ));
                }
                self.show("api_key_env", format!("{} ({state})", variable.value), &variable.origin);
                Ok(value.map(SecretString::from))
            }
            // Only to the vendor's own address: a key never goes to a server it was not meant for.
            (None, None) => {
                let Some(variable) = own_key(name).filter(|_| !has_address) else { return Ok(None) };
                let value = (self.lookup)(variable).filter(|value| !value.trim().is_empty());
                let state = value.as_ref().map_or_else(|| "none".to_owned(), |_| format!("{variable} (set)"));
                self.show("api_key", state, heading);
                Ok(value.map(SecretString::from))
            }
        }
    }

    /// `price` holds for every model, `prices` for single ones.
    fn prices(&mut self) -> Result<Prices> {
        let usual = match self.raw.value(&self.section, "price") {
            Some(Setting { value, origin }) => {
                let price = price::read(&value).map_err(|problem| {
                    let problem =
                        format!("{problem}; leave it out if the price is known already or is in `prices`");
                    wrong(&origin, &self.section, "price", &problem)
                })?;
                self.show("price", price::shown(price), &origin);
                Some(price)
            }
            None => None,
        };
        let mut models = BTreeMap::new();
        if let Some(Setting { value, origin }) = self.raw.value(&self.section, "prices") {
            let Value::Table(entries) = value else {
                let problem = "must be a table with one model and its price on each line";
                return Err(wrong(&origin, &self.section, "prices", problem));
            };
            for (model, value) in entries {
                let key = format!("prices.{model}");
                let price =
                    price::read(&value).map_err(|problem| wrong(&origin, &self.section, &key, &problem))?;
                self.show(&key, price::shown(price), &origin);
                models.insert(model, price);
            }
        }
        Ok(Prices { usual, models })
    }

    /// `true` = the model sees pictures; it counts more than what is known of it.
    fn images(&mut self) -> Result<BTreeMap<String, bool>> {
        let Some(Setting { value, origin }) = self.raw.value(&self.section, "images") else {
            return Ok(BTreeMap::new());
        };
        let problem = "must be a table with one model on each line, and true or false";
        let Value::Table(entries) = value else {
            return Err(wrong(&origin, &self.section, "images", problem));
        };
        let mut images = BTreeMap::new();
        for (model, value) in entries {
            let key = format!("images.{model}");
            let Value::Boolean(sees) = value else {
                return Err(wrong(&origin, &self.section, &key, "must be true or false"));
            };
            self.show(&key, sees.to_string(), &origin);
            images.insert(model, sees);
        }
        Ok(images)
    }
}

pub fn check_name(name: &str, origin: &Origin) -> Result<()> {
    match name_problem(name) {
        Some(problem) => Err(advised(
            format!("{origin}: The name `{name}` cannot be used: {problem}."),
            "Choose another name.",
        )),
        None => Ok(()),
    }
}

fn is_address(url: &str) -> bool {
    let parsed = url.trim().parse::<hyper::Uri>().ok();
    parsed.is_some_and(|uri| {
        matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some_and(|h| !h.is_empty())
    })
}

/// The variable in which a vendor's own SDK looks for its key.
fn own_key(name: &str) -> Option<&'static str> {
    match name {
        "openai" => Some("OPENAI_API_KEY"),
        "anthropic" => Some("ANTHROPIC_API_KEY"),
        _ => None,
    }
}
