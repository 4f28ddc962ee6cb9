//! What each person's agents can have: what comes with the program, and what their owner wrote.
//!
//! Kept in memory under the version that is read together with every agent, so a turn whose owner changed nothing asks
//! the database nothing more; a change at another node is seen with the next turn.

use crate::{engine::Engine, error::Result};
use async_trait::async_trait;
use capability::{Capability, CapabilitySource, Registry, ResolveError};
use domain::{Agent, Permission, RuleArguments, UserId};
use gate::rules::KnownTool;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use store::{DataKey, Tx};

/// People whose abilities are kept in memory.
const KEPT: usize = 1_000;

/// Where capabilities of single people come from. What changes them raises the version of their owner
/// ([`Agent::abilities_version`]).
#[async_trait]
pub(crate) trait CapabilityOrigin: Send + Sync {
    fn source(&self) -> CapabilitySource;

    /// What this person's agents can have of it.
    fn offer(&self, tx: &mut Tx, key: &DataKey, user: UserId) -> store::Result<Offer>;
}

/// What one origin has for the agents of one person.
pub(crate) struct Offer {
    /// The version of their owner that was read before them.
    pub(crate) version: u64,
    pub(crate) usable: Vec<Arc<dyn Capability>>,
    /// How many there are besides that cannot be used.
    pub(crate) unusable: usize,
}

/// All of them, one line each.
#[rustfmt::skip]
const ORIGINS: &[&dyn CapabilityOrigin] = &[
    &crate::agents::abilities::Abilities,
];

#[derive(Default)]
pub(crate) struct Registries(Mutex<HashMap<UserId, (u64, Registry)>>);

impl Registries {
    /// One that is at least as new.
    fn get(&self, user: UserId, version: u64) -> Option<Registry> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (known, registry) = kept.get(&user)?;
        (*known >= version).then(|| registry.clone())
    }

    fn put(&self, user: UserId, version: u64, registry: &Registry) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT && !kept.contains_key(&user) {
            kept.clear();
        }
        let newer = kept.get(&user).is_none_or(|(known, _)| *known <= version);
        if newer {
            kept.insert(user, (version, registry.clone()));
        }
    }
}

impl Engine {
    /// What an agent can have: that of its owner, also where another person uses it.
    /// The models are those of the same moment.
    pub(crate) async fn registry_of(&self, agent: &Agent) -> Result<Registry> {
        self.keep_up_with(agent).await?;
        // An owner who never wrote anything has what everybody has, if what people write is the only source.
        if ORIGINS.len() == 1 && agent.abilities_version == 0 {
            return Ok(self.registry().clone());
        }
        match self.state::<Registries>().get(agent.user_id, agent.abilities_version) {
            Some(registry) => Ok(registry),
            None => self.registry_for(agent.user_id).await,
        }
    }

    /// What a person's agents can have, as it is now.
    pub async fn registry_for(&self, user: UserId) -> Result<Registry> {
        let key = self.store().data_key(user).await?;
        let read = move |tx: &mut Tx| {
            let mut offers = Vec::with_capacity(ORIGINS.len());
            for origin in ORIGINS {
                offers.push((origin.source(), origin.offer(tx, &key, user)?));
            }
            Ok(offers)
        };
        let offers = self.store().read(read).await?;
        let version = offers.iter().map(|(_, offer)| offer.version).min().unwrap_or_default();
        let registry = offers.into_iter().fold(self.registry().clone(), grown);
        self.state::<Registries>().put(user, version, &registry);
        Ok(registry)
    }

    /// May an agent be saved like this? THREAT[abilities-01]: whoever changes somebody else's agent is told what everybody
    /// has, not what its owner wrote.
    pub(crate) fn check_capabilities(
        &self,
        registry: &Registry,
        agent: &Agent,
        editor: UserId,
    ) -> std::result::Result<(), ResolveError> {
        let checked = registry.check(&agent.capabilities, &agent.allowed_tools);
        checked.map_err(|error| match error {
            ResolveError::Unknown { id, .. } if editor != agent.user_id => {
                let known = self.registry().list().into_iter().map(|view| view.info.id).collect();
                ResolveError::Unknown { id, known }
            }
            other => other,
        })
    }

    /// What is wrong with a rule about a tool, in words.
    pub(crate) fn rule_problem(
        &self,
        tool: &str,
        action: Permission,
        arguments: Option<&RuleArguments>,
    ) -> Option<String> {
        gate::rules::problem(tool, action, arguments, |name| {
            let tool = self.registry().tool(name)?;
            Some(KnownTool { permission: tool.permission, kinds: tool.tool.argument_kinds() })
        })
    }
}

fn grown(registry: Registry, (source, offer): (CapabilitySource, Offer)) -> Registry {
    let (registry, problems) = registry.with_sound(offer.usable);
    let count = offer.unusable + problems.len();
    if count > 0 {
        tracing::warn!(count, ?source, "capabilities cannot be used; they count as missing");
    }
    registry
}
