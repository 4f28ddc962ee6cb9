//! What the sessions of an agent begin with, once more.

use crate::{
    engine::Engine,
    error::{Error, Result},
};
use domain::{SessionId, Source, UserId};
use prompt::{placeholder_values, refresh};

impl Engine {
    /// The start-up text of a session's agent as it is now, to be sent as a message from `source`.
    pub async fn start_text(&self, user: UserId, session: SessionId, source: Source) -> Result<String> {
        let session = self.session(user, session).await?;
        let agent = self.agent(user, session.agent_id).await?;
        let registry = self.registry_of(&agent).await?;
        let resolved = registry.resolve(&agent.capabilities, &agent.allowed_tools);
        let resolved = resolved.map_err(|error| Error::invalid("bad_capabilities", error.to_string()))?;
        let person = self.user(user).await?;
        // The message counts as its sender's own words, and a title may be made of anything that was said.
        let is_theirs = source != Source::Bridge && !session.label.is_untrusted();
        let place = Some((session.id, session.name.as_deref().filter(|_| is_theirs)));
        let values =
            placeholder_values(user, Some(&person.name), place).set_at(self.now(), &person.time_zone);
        refresh(&resolved, &values).ok_or_else(|| {
            Error::conflict(
                "no_startup",
                "this agent lists nothing that a session begins with; add a process with startup to its capabilities",
            )
        })
    }
}
