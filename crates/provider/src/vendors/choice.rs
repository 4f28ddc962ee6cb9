//! The vendors that people choose from when they add a provider.

use super::Vendors;
use crate::Wire;
use schemars::JsonSchema;
use serde::Serialize;

/// A vendor, or a server that people run themselves, with what a form fills in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VendorChoice {
    /// The usual name of its provider.
    pub name: String,
    /// As people know it.
    pub label: String,
    pub wire: Wire,
    pub base_url: String,
    /// `true`: it answers only with a key.
    pub needs_key: bool,
    /// What its keys begin with, and no other vendor's do.
    pub key_prefixes: Vec<String>,
    /// Its models that are good for most work, the best first.
    pub preferred: Vec<String>,
}

/// All that are known: those with a key first.
pub fn vendor_choices() -> Vec<VendorChoice> {
    let vendors = Vendors::get();
    let remote = vendors.vendor.iter().map(|vendor| VendorChoice {
        name: vendor.name.clone(),
        label: vendor.label.clone(),
        wire: vendor.wire,
        base_url: vendor.base_url.clone(),
        needs_key: true,
        key_prefixes: vendor.keys.clone(),
        preferred: vendor.preferred.clone(),
    });
    let local = vendors.local.iter().map(|server| VendorChoice {
        name: server.name.clone(),
        label: server.label.clone(),
        wire: Wire::OpenAi,
        base_url: server.base_url(),
        needs_key: false,
        key_prefixes: Vec::new(),
        preferred: Vec::new(),
    });
    remote.chain(local).collect()
}
