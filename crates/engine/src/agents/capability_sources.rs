//! What each person's agents can have: what comes with the program, and what their owner wrote.
//!
//! Kept in memory under the version that is read together with every agent, so a turn whose owner changed nothing asks
//! the database nothing more; a change at another node is seen with the next turn.

use crate::{engine::Engine, error::Result};
use capability::{Capability, CapabilitySource, Registry, ResolveError, WrittenAbility};
use domain::{Ability, Agent, Permission, RuleArguments, UserId};
use gate::rules::KnownTool;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use store::Tx;

/// People whose abilities are kept in memory.
const KEPT: usize = 1_000;

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
    /// What an agent can have: that of its owner, whoever uses it.
    pub(crate) async fn registry_of(&self, agent: &Agent) -> Result<Registry> {
        // Whoever never wrote anything has what everybody has.
        if agent.abilities_version == 0 {
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
        let read = async move |tx: &mut Tx| store::abilities::all(tx, &key, user).await;
        let (version, abilities) = self.store().read(read).await?;
        let registry = self.grown(abilities);
        self.state::<Registries>().put(user, version, &registry);
        Ok(registry)
    }

    fn grown(&self, abilities: Vec<Ability>) -> Registry {
        let mut unusable = 0_usize;
        let made = abilities.into_iter().filter_map(|ability| {
            let written = WrittenAbility::new(ability.text, CapabilitySource::User);
            unusable += usize::from(written.is_err());
            written.ok().map(|written| Arc::new(written) as Arc<dyn Capability>)
        });
        let made: Vec<_> = made.collect();
        let (registry, problems) = self.registry().clone().with_sound(made);
        if unusable + problems.len() > 0 {
            tracing::warn!(
                count = unusable + problems.len(),
                "abilities cannot be used; they count as missing"
            );
        }
        registry
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
