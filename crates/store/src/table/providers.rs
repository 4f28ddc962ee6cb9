//! Providers that an admin has added. They belong to the house: sealed with its own key, not with a person's.

use crate::{
    Error, Result, Tx, Vault, args,
    crypto::seal::{CellPlace, from_json, to_json},
    database::row::row,
    house,
};
use domain::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use zeroize::Zeroizing;

/// A provider as it was stored. `Debug` does not show the key.
#[derive(Clone, Debug)]
pub struct StoredProvider {
    pub name: String,
    pub wire: String,
    pub base_url: String,
    pub api_key: Option<SecretString>,
    /// Empty = ask the server.
    pub models: Vec<String>,
    pub free: Option<bool>,
    /// What people have said that its models cost, in the words of the crate that asks them.
    pub prices: Value,
    /// What people have said of single models: `true` = it sees pictures.
    pub images: BTreeMap<String, bool>,
}

/// Everything about models that admins have stored.
#[derive(Clone, Debug, Default)]
pub struct StoredModels {
    /// Grows with every change of the rest.
    pub version: u64,
    /// By name.
    pub providers: Vec<StoredProvider>,
    /// How many there are besides that cannot be read.
    pub unreadable: usize,
    /// The model of agents that have none of their own.
    pub default_model: Option<String>,
}

/// What is sealed. Borrowed, so that no further copy of the key is made.
#[derive(Serialize)]
struct Sealing<'a> {
    wire: &'a str,
    base_url: &'a str,
    api_key: Option<&'a str>,
    models: &'a [String],
    free: Option<bool>,
    prices: &'a Value,
    images: &'a BTreeMap<String, bool>,
}

#[derive(Deserialize)]
struct Sealed {
    wire: String,
    base_url: String,
    api_key: Option<String>,
    models: Vec<String>,
    free: Option<bool>,
    #[serde(default)]
    prices: Value,
    #[serde(default)]
    images: BTreeMap<String, bool>,
}

row! {
    struct ProviderRow {
        name: String,
        body: Vec<u8>,
    }
}

fn place<'a>(name: &'a &'a str) -> CellPlace<'a> {
    CellPlace::new("providers", "body", name)
}

impl ProviderRow {
    fn open(self, vault: &Vault) -> Result<StoredProvider> {
        let name = self.name.as_str();
        let place = place(&name);
        let plain = Zeroizing::new(vault.open(place, &self.body)?);
        let Sealed { wire, base_url, api_key, models, free, prices, images } = from_json(place, &plain)?;
        let api_key = api_key.map(SecretString::from);
        Ok(StoredProvider { name: self.name, wire, base_url, api_key, models, free, prices, images })
    }
}

/// Stores a provider, instead of one of the same name if there is one.
pub fn put(tx: &mut Tx, vault: &Vault, provider: &StoredProvider, at: Timestamp) -> Result<()> {
    let body = Sealing {
        wire: &provider.wire,
        base_url: &provider.base_url,
        api_key: provider.api_key.as_ref().map(ExposeSecret::expose_secret),
        models: &provider.models,
        free: provider.free,
        prices: &provider.prices,
        images: &provider.images,
    };
    let plain = Zeroizing::new(to_json(&body)?);
    let sealed = vault.seal(place(&provider.name.as_str()), &plain)?;
    tx.run(
        "INSERT INTO providers (name, created_at, updated_at, body) VALUES ($1, $2, $2, $3) \
         ON CONFLICT (name) DO UPDATE SET updated_at = $2, body = $3",
        args![provider.name.as_str(), at, sealed],
    )?;
    house::raise(tx, vault, house::MODELS, at)
}

/// What is stored about models, as it is now.
pub fn stored(tx: &mut Tx, vault: &Vault) -> Result<StoredModels> {
    // The version first: what changes in between is asked for again.
    let version = house::version(tx, house::MODELS)?;
    let default_model = house::get(tx, vault, house::DEFAULT_MODEL)?;
    let (providers, unreadable) = Error::sort_out(rows(tx)?.into_iter().map(|row| row.open(vault)))?;
    Ok(StoredModels { version, providers, unreadable, default_model })
}

/// Sets the model of agents that have none of their own, or takes it away.
pub fn set_default_model(tx: &mut Tx, vault: &Vault, model: Option<&str>, at: Timestamp) -> Result<()> {
    house::put(tx, vault, house::DEFAULT_MODEL, model, at)?;
    house::raise(tx, vault, house::MODELS, at)
}

/// All of them, by name.
pub fn list(tx: &mut Tx, vault: &Vault) -> Result<Vec<StoredProvider>> {
    rows(tx)?.into_iter().map(|row| row.open(vault)).collect()
}

fn rows(tx: &mut Tx) -> Result<Vec<ProviderRow>> {
    tx.all("SELECT name, body FROM providers ORDER BY name", args![])
}

pub fn get(tx: &mut Tx, vault: &Vault, name: &str) -> Result<Option<StoredProvider>> {
    let sql = "SELECT name, body FROM providers WHERE name = $1";
    tx.maybe::<ProviderRow>(sql, args![name])?.map(|row| row.open(vault)).transpose()
}

/// `false` when there is none of that name.
pub fn delete(tx: &mut Tx, vault: &Vault, name: &str, at: Timestamp) -> Result<bool> {
    let found = tx.run("DELETE FROM providers WHERE name = $1", args![name])? > 0;
    if found {
        house::raise(tx, vault, house::MODELS, at)?;
    }
    Ok(found)
}
