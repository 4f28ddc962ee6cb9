//! What rooms keep in memory, one value per type: a room that keeps something adds no field to the engine.

use std::{
    any::{Any, TypeId},
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

type States = HashMap<TypeId, Arc<dyn Any + Send + Sync>>;

#[derive(Default)]
pub(crate) struct RoomStates(RwLock<States>);

impl RoomStates {
    /// The one value of this type, made when it is first asked for.
    pub(crate) fn get<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let states = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(state) = known(&states) {
            return state;
        }
        drop(states);
        let mut states = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // Another task may have made it between the two locks.
        known(&states).unwrap_or_else(|| {
            let made = Arc::<T>::default();
            states.insert(TypeId::of::<T>(), made.clone());
            made
        })
    }
}

fn known<T: Send + Sync + 'static>(states: &States) -> Option<Arc<T>> {
    states.get(&TypeId::of::<T>())?.clone().downcast().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[derive(Default)]
    struct Turns(AtomicU64);

    #[derive(Default)]
    struct Searches(AtomicU64);

    #[test]
    fn each_type_has_one_value_that_stays() {
        let states = RoomStates::default();
        states.get::<Turns>().0.store(3, Ordering::Relaxed);
        assert_eq!(states.get::<Turns>().0.load(Ordering::Relaxed), 3);
        assert_eq!(states.get::<Searches>().0.load(Ordering::Relaxed), 0);
    }
}
