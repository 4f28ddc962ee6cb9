//! Providers that an admin adds while the house is running. They are in force at once, and after the next start.

use crate::{
    agents::known_models::provider_settings,
    engine::Engine,
    error::{Error, Result},
};
use domain::{Change, Timestamp, UserId, is_name};
use provider::{
    Price, Prices, ProviderError, ProviderSettings, ProviderStatus, Wire, name_problem, usual_address,
    usual_wire,
};
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::{
    Tx,
    audit::{self, Action, AuditEntry},
    providers::{self, StoredProvider},
};

pub(super) const MODELS: usize = 1_000;
pub(super) const TEXT_CHARS: usize = 2_000;

/// What can be said about a provider. The key can be written, and never read again.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProviderFields {
    /// Absent: what a vendor of that name speaks, else `openai`.
    pub wire: Option<Wire>,
    /// Absent: the address of a vendor of that name.
    pub base_url: Option<String>,
    /// Absent: the key that is stored, if there is one; null: none.
    pub api_key: Change<String>,
    /// Absent or empty: whatever its server lists.
    pub models: Vec<String>,
    /// What each of its models costs: `free`, or micro-USD per million tokens. Absent: what is known.
    pub price: Option<GivenPrice>,
    /// The same of single models, by their names; it counts more.
    pub prices: BTreeMap<String, GivenPrice>,
    /// Single models, by their names: `true` = it sees pictures. It counts more than what is known. Absent: what is stored.
    pub images: Option<BTreeMap<String, bool>>,
}

impl ProviderFields {
    /// Nothing is said.
    pub fn is_empty(&self) -> bool {
        let Self { wire, base_url, api_key, models, price, prices, images } = self;
        wire.is_none()
            && base_url.is_none()
            && *api_key == Change::Keep
            && models.is_empty()
            && price.is_none()
            && prices.is_empty()
            && images.is_none()
    }
}

/// A price as people give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum GivenPrice {
    Word(PriceWord),
    Amount(Price),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PriceWord {
    Free,
}

impl From<GivenPrice> for Price {
    fn from(given: GivenPrice) -> Self {
        match given {
            GivenPrice::Word(PriceWord::Free) => Self::FREE,
            GivenPrice::Amount(price) => price,
        }
    }
}

/// What was said about prices, if it can be meant.
fn prices(usual: Option<GivenPrice>, models: BTreeMap<String, GivenPrice>) -> Result<Prices> {
    let usual = usual.map(Price::from);
    let models: BTreeMap<_, _> = models.into_iter().map(|(name, given)| (name, Price::from(given))).collect();
    let unusable = |name: &String| !is_name(name, TEXT_CHARS);
    if models.len() > MODELS || models.keys().any(unusable) {
        let detail =
            "prices: There are too many models, or a name is empty, too long or has control characters.";
        return Err(Error::invalid("bad_provider", detail));
    }
    let problem = usual.iter().chain(models.values()).find_map(|price| price.problem());
    problem.map_or(Ok(Prices { usual, models }), |problem| {
        Err(Error::invalid("bad_provider", format!("A price {problem}.")))
    })
}

/// Which models see pictures, if it can be meant.
fn images(
    given: Option<BTreeMap<String, bool>>,
    before: Option<&StoredProvider>,
) -> Result<BTreeMap<String, bool>> {
    let images = given.or_else(|| before.map(|before| before.images.clone())).unwrap_or_default();
    if images.len() > MODELS || images.keys().any(|name| !is_name(name, TEXT_CHARS)) {
        let detail =
            "images: There are too many models, or a name is empty, too long or has control characters.";
        return Err(Error::invalid("bad_provider", detail));
    }
    Ok(images)
}

/// THREAT[key leak]: no formatter shows the key.
impl std::fmt::Debug for ProviderFields {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProviderFields").field("wire", &self.wire).finish_non_exhaustive()
    }
}

impl Engine {
    /// Every provider, wherever it comes from, as it is now.
    pub async fn providers(&self) -> Result<Vec<ProviderStatus>> {
        self.refresh_models().await?;
        Ok(self.models().providers())
    }

    /// Stores a provider, puts it in force and asks for its models.
    pub async fn put_provider(
        &self,
        actor: UserId,
        name: String,
        fields: ProviderFields,
    ) -> Result<ProviderStatus> {
        let engine = self.clone();
        self.undisturbed(async move {
            engine.check_changeable(&name)?;
            let before = engine.stored_provider(&name).await?;
            let provider = engine.stored_from(&name, fields, before)?;
            engine.save_provider(actor, provider).await?;
            engine.restore_house().await?;
            engine.models().ask(&name).await.ok_or(Error::Internal)
        })
        .await
    }

    pub async fn delete_provider(&self, actor: UserId, name: String) -> Result<()> {
        if !is_name(&name, TEXT_CHARS) {
            return Err(Error::NotFound("provider"));
        }
        let engine = self.clone();
        self.undisturbed(async move {
            let (vault, now, subject) = (engine.store().vault().clone(), engine.now(), name.clone());
            let delete = move |tx: &mut Tx| {
                if !providers::delete(tx, &vault, &subject, now)? {
                    return Ok(false);
                }
                let entry = entry(now, actor, Action::ProviderDeleted, subject, json!({}));
                audit::append(tx, &vault, entry).map(|_| true)
            };
            if !engine.store().write(delete).await? {
                engine.check_changeable(&name)?;
                return Err(engine.not_stored(&name));
            }
            engine.restore_house().await
        })
        .await
    }

    /// Asks a provider for its models: one that there is, or one described by `fields`, which is not stored.
    pub async fn test_provider(&self, name: &str, fields: Option<ProviderFields>) -> Result<ProviderStatus> {
        let Some(fields) = fields else {
            self.refresh_models().await?;
            return self.models().ask(name).await.ok_or(Error::NotFound("provider"));
        };
        // THREAT[key leak]: a stored key is not tried out on an address somebody has just typed.
        let provider = self.stored_from(name, fields, None)?;
        let settings = provider_settings(provider).ok_or(Error::Internal)?;
        Ok(self.models().test(ProviderSettings { source: "this request".to_owned(), ..settings }).await)
    }

    pub(super) fn check_changeable(&self, name: &str) -> Result<()> {
        if self.models().is_fixed(name) {
            let detail = format!("The provider {name} is set in majordomo.toml. Change it there.");
            return Err(Error::conflict("provider_fixed", detail));
        }
        Ok(())
    }

    fn not_stored(&self, name: &str) -> Error {
        match self.models().providers().into_iter().find(|provider| provider.name == name) {
            Some(known) => {
                let detail =
                    format!("The provider {name} cannot be deleted here. It comes from: {}.", known.source);
                Error::conflict("provider_fixed", detail)
            }
            None => Error::NotFound("provider"),
        }
    }

    /// None is called what cannot be a name; PostgreSQL would not even take the question.
    async fn stored_provider(&self, name: &str) -> Result<Option<StoredProvider>> {
        if !is_name(name, TEXT_CHARS) {
            return Ok(None);
        }
        let (vault, name) = (self.store().vault().clone(), name.to_owned());
        match self.store().read(move |tx: &mut Tx| providers::get(tx, &vault, &name)).await {
            // It counts as missing, and an admin can put another one in its place.
            Err(error) if error.is_unreadable() => Ok(None),
            found => Ok(found?),
        }
    }

    fn stored_from(
        &self,
        name: &str,
        fields: ProviderFields,
        before: Option<StoredProvider>,
    ) -> Result<StoredProvider> {
        if let Some(problem) = name_problem(name) {
            return Err(Error::invalid("bad_name", problem));
        }
        let wire = fields.wire.or_else(|| usual_wire(name)).unwrap_or(Wire::OpenAi);
        let base_url = fields.base_url.or_else(|| usual_address(name)).ok_or_else(|| {
            let detail =
                "base_url is missing. Enter the address of the provider, for instance http://127.0.0.1:11434/v1.";
            Error::invalid("bad_provider", detail)
        })?;
        let base_url = base_url.trim().to_owned();
        let unusable = |text: &String| !is_name(text, TEXT_CHARS);
        if unusable(&base_url) || fields.models.len() > MODELS || fields.models.iter().any(unusable) {
            let detail = "base_url or models are empty, too long or have control characters.";
            return Err(Error::invalid("bad_provider", detail));
        }
        let images = images(fields.images, before.as_ref())?;
        let api_key = key(fields.api_key, &base_url, before)?;
        let prices = prices(fields.price, fields.prices)?;
        let prices = serde_json::to_value(prices).map_err(|_| Error::Internal)?;
        let provider = StoredProvider {
            name: name.to_owned(),
            wire: wire.as_str().to_owned(),
            base_url,
            api_key,
            models: fields.models,
            free: None,
            prices,
            images,
        };
        let settings = provider_settings(provider.clone()).ok_or(Error::Internal)?;
        self.models().check(&settings).map_err(bad_provider)?;
        Ok(provider)
    }

    async fn save_provider(&self, actor: UserId, provider: StoredProvider) -> Result<()> {
        let (vault, now) = (self.store().vault().clone(), self.now());
        let save = move |tx: &mut Tx| {
            providers::put(tx, &vault, &provider, now)?;
            let detail = json!({ "base_url": provider.base_url, "wire": provider.wire,
                "has_api_key": provider.api_key.is_some() });
            audit::append(tx, &vault, entry(now, actor, Action::ProviderChanged, provider.name, detail))
        };
        self.store().write(save).await?;
        Ok(())
    }
}

fn bad_provider(error: ProviderError) -> Error {
    Error::invalid("bad_provider", error.detail)
}

/// THREAT[key leak]: whoever may change an address must not thereby send a key they cannot read to it.
fn key(
    given: Change<String>,
    base_url: &str,
    before: Option<StoredProvider>,
) -> Result<Option<SecretString>> {
    match given {
        Change::Reset => Ok(None),
        Change::Set(key) if key.trim().is_empty() || key.len() > TEXT_CHARS => {
            Err(Error::invalid("bad_provider", "api_key: The key is empty or too long. (null removes it.)"))
        }
        Change::Set(key) => Ok(Some(SecretString::from(key.trim()))),
        Change::Keep => match before {
            Some(before) if before.api_key.is_some() && before.base_url != base_url => {
                let detail = "Enter the key (api_key) again together with the new base_url, because the saved key belongs to another address.";
                Err(Error::invalid("key_needed", detail))
            }
            before => Ok(before.and_then(|before| before.api_key)),
        },
    }
}

fn entry(at: Timestamp, actor: UserId, action: Action, subject: String, detail: Value) -> AuditEntry {
    AuditEntry::new(at, actor.to_string(), Some(actor), action, subject, detail)
}
