//! What agents are told of people, kept in memory: as long as nothing of it changes, a turn reads nothing for it. How often it was
//! changed comes with the session's row, which a turn reads anyway.

use crate::engine::Engine;
use domain::{Timestamp, UserId, knowledge::ToldKnowledge};
use provider::Model;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use store::{DataKey, Tx};

/// People of whom it is kept.
const PEOPLE: usize = 500;

#[derive(Default)]
struct ToldCache(Mutex<HashMap<UserId, Known>>);

#[derive(Clone)]
enum Known {
    As(Arc<ToldKnowledge>),
    /// It was changed here since it was read.
    Changed,
}

impl ToldCache {
    fn people(&self) -> MutexGuard<'_, HashMap<UserId, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known, if that is of this version or newer.
    fn get(&self, user: UserId, version: u64) -> Option<Arc<ToldKnowledge>> {
        match self.people().get(&user) {
            Some(Known::As(known)) if known.version >= version => Some(known.clone()),
            None if version == 0 => Some(Arc::default()),
            _ => None,
        }
    }

    fn put(&self, user: UserId, known: Known) {
        let mut people = self.people();
        if people.len() >= PEOPLE && !people.contains_key(&user) {
            // What was changed here must not be taken for unchanged.
            people.retain(|_, known| matches!(known, Known::Changed));
        }
        people.insert(user, known);
    }
}

impl Engine {
    /// What the person's agents are told, as of this version or later.
    pub(crate) async fn told_knowledge(
        &self,
        user: UserId,
        key: &DataKey,
        version: u64,
    ) -> store::Result<Arc<ToldKnowledge>> {
        let cache = self.state::<ToldCache>();
        if let Some(known) = cache.get(user, version) {
            return Ok(known);
        }
        let (key, now) = (key.clone(), self.now());
        let read = move |tx: &mut Tx| store::knowledge::told(tx, &key, user, now);
        let known = Arc::new(self.store().read(read).await?);
        cache.put(user, Known::As(known.clone()));
        Ok(known)
    }

    /// The next prompt of this person reads it anew.
    pub(crate) fn knowledge_was_changed(&self, user: UserId) {
        self.state::<ToldCache>().put(user, Known::Changed);
    }

    /// As it stands in a prompt for this model.
    pub(crate) fn knowledge_words(&self, known: &ToldKnowledge, model: &Model, now: Timestamp) -> String {
        let most = self.inner.settings.knowledge.memory_tokens;
        prompt::remembered::words(known, now, most, |text| model.estimate(text))
    }
}
