//! Holds a session to one open request: a second one while the first is open is what two turns at once look like from here.

use super::{Recorded, state::State};
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

/// The program that asked before has this long to hang up.
const PATIENCE: Duration = Duration::from_secs(1);

/// Who asks about what: the key that a request came with, and the name of its conversation.
type Asked = (String, String);

/// The requests that are being answered.
pub(super) struct OpenRequests {
    /// The conversation that a request is of; it is empty where that does not matter.
    about: fn(&Recorded) -> String,
    open: HashMap<Asked, u32>,
    /// By their keys: programs that stand still and can hang up nothing.
    asleep: HashSet<String>,
}

impl OpenRequests {
    pub(super) fn new(about: fn(&Recorded) -> String) -> Self {
        Self { about, open: HashMap::new(), asleep: HashSet::new() }
    }

    /// How many programs that are awake ask about this.
    fn awake_about(&self, about: &str) -> u32 {
        let counted = |(key, subject): &Asked| subject == about && !self.asleep.contains(key);
        self.open.iter().filter(|(asked, _)| counted(asked)).map(|(_, count)| count).sum()
    }

    /// Does this one ask about something that another one asks about, too?
    fn is_doubled(&self, key: &str) -> bool {
        let open = |wanted: &dyn Fn(&Asked) -> bool| {
            self.open.iter().any(|(asked, count)| *count > 0 && wanted(asked))
        };
        let doubled = |(by, about): &Asked| by == key && open(&|other| other.0 != key && other.1 == *about);
        open(&doubled)
    }

    pub(super) fn sleep(&mut self, key: &str) {
        self.asleep.insert(key.to_owned());
    }
}

/// A request that is being answered.
pub(super) struct OpenRequest {
    state: Arc<State>,
    asked: Asked,
}

impl OpenRequest {
    /// None where the test does not ask for it.
    pub(super) async fn begin(state: &Arc<State>, request: &Recorded) -> Option<Self> {
        let key = request.header("authorization").unwrap_or_default();
        let key = key.trim_start_matches("Bearer ").to_owned();
        let asked = state.change(|inner| {
            let open = inner.open.as_mut()?;
            let asked = Some((key, (open.about)(request))).filter(|(_, about)| !about.is_empty())?;
            // From here on it is counted until this is dropped.
            *open.open.entry(asked.clone()).or_default() += 1;
            Some(asked)
        })?;
        let begun = Self { state: Arc::clone(state), asked };
        let about = &begun.asked.1;
        let alone = |open: &OpenRequests| open.awake_about(about) <= 1;
        if !begun.state.comes(PATIENCE, |inner| inner.open.as_ref().is_none_or(alone)).await {
            let problem = format!("two requests at once of the conversation {about:?}");
            begun.state.change(|inner| inner.violations.push(problem));
        }
        Some(begun)
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.state.change(|inner| {
            if let Some(count) = inner.open.as_mut().and_then(|open| open.open.get_mut(&self.asked)) {
                *count = count.saturating_sub(1);
            }
        });
    }
}

/// A program goes on: what it had asked before, and another one asks now, it hangs up in this time.
pub(super) async fn wake(state: &State, key: &str, patience: Duration) {
    let in_time =
        state.comes(patience, |inner| inner.open.as_ref().is_none_or(|open| !open.is_doubled(key))).await;
    state.change(|inner| {
        if let Some(open) = inner.open.as_mut() {
            open.asleep.remove(key);
        }
        if !in_time {
            inner.violations.push(format!("{key} goes on with a request that another one makes"));
        }
    });
}

#[cfg(test)]
#[path = "one_at_a_time_tests.rs"]
mod tests;
