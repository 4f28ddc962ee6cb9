//! Holds a session to one open request: a second one while the first is open is what two turns at once look like from here.

use super::{Recorded, state::State};
use std::{sync::Arc, time::Duration};

/// The program that asked before has this long to hang up.
const PATIENCE: Duration = Duration::from_secs(1);

/// A request that is being answered, by the words its conversation began with.
pub(super) struct OpenRequest {
    state: Arc<State>,
    about: String,
}

impl OpenRequest {
    /// None where the test does not ask for it.
    pub(super) async fn begin(state: &Arc<State>, request: &Recorded) -> Option<Self> {
        let about = request.first_user();
        state.change(|inner| {
            let open = inner.open.as_mut()?;
            *open.entry(about.clone()).or_default() += 1;
            Some(())
        })?;
        let begun = Self { state: Arc::clone(state), about };
        if !begun.state.comes(PATIENCE, |inner| begun.count(inner.open.as_ref()) <= 1).await {
            let problem = format!("two requests at once of the conversation {:?}", begun.about);
            begun.state.change(|inner| inner.violations.push(problem));
        }
        Some(begun)
    }

    fn count(&self, open: Option<&std::collections::HashMap<String, u32>>) -> u32 {
        open.and_then(|open| open.get(&self.about).copied()).unwrap_or_default()
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.state.change(|inner| {
            if let Some(count) = inner.open.as_mut().and_then(|open| open.get_mut(&self.about)) {
                *count = count.saturating_sub(1);
            }
        });
    }
}
