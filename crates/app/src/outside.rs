//! What tools reach beyond the database, as the settings and this machine have it.

use crate::{context::Context, error::Result};
use capability::Equipment;
use engine::Outside;
use sandbox::{
    egress::{Egress, Policy, SystemDialer, SystemResolver},
    process::{Cage, Program, Report},
};
use secrecy::SecretString;
use std::{fs, sync::Arc};

/// The way out, and what built-ins are told of it.
pub async fn outside(context: &Context) -> Result<(Outside, Equipment)> {
    let config = &context.config;
    let (cage, missing) = open_cage().await;
    let resolver = context.extra.resolver.clone().unwrap_or_else(|| Arc::new(SystemResolver));
    let egress = Egress::with(resolver, Arc::new(SystemDialer));
    let own = config.server.bind.value.ip();
    let policy = Policy {
        private_hosts: config.egress.private_hosts.value.clone(),
        own_addresses: if own.is_unspecified() { Vec::new() } else { vec![own] },
        ..Policy::default()
    };
    let searcher = config.search.searcher.clone();
    let mut secrets: Vec<SecretString> =
        searcher.iter().filter_map(|searcher| searcher.key().cloned()).collect();
    secrets.extend(master_key(context));
    let outside = Outside { egress: Some(egress), policy, cage: cage.map(Arc::new), searcher, secrets };
    let equipment = outside.equipment(missing.as_ref());
    Ok((outside, equipment))
}

/// Trying it takes a moment, and waits for processes.
async fn open_cage() -> (Option<Cage>, Option<Report>) {
    match tokio::task::spawn_blocking(|| Cage::open(Program::Own)).await {
        Ok(Ok(cage)) => (Some(cage), None),
        Ok(Err(report)) => (None, Some(report)),
        Err(_) => (None, None),
    }
}

/// As it is written down, which is how it would leak.
fn master_key(context: &Context) -> Option<SecretString> {
    let store = &context.config.store;
    let written = || fs::read_to_string(store.master_key_file(&context.data)).ok().map(SecretString::from);
    store.master_key.clone().or_else(written)
}
