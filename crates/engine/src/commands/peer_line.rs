//! What a peer types with a slash before it.

use crate::{commands::CommandEffect, engine::Engine, error::Result, inbox::peers::Peer};
use people::Principal;

impl Engine {
    /// Runs what a person typed with a slash before it, and answers in words, also when it went wrong. Where it opens
    /// another session, the next words are said there.
    pub async fn chat_command(
        &self,
        principal: &Principal,
        peer: &Peer,
        line: &str,
        idempotency_key: Option<String>,
    ) -> Result<String> {
        let user = principal.user_id;
        let session = self.existing_chat_session(user, peer).await?;
        let answer = match self.command(principal, peer.door(), session, line, idempotency_key).await {
            Ok(answer) => answer,
            Err(error) if error.is_callers() => return Ok(error.to_string()),
            Err(error) => return Err(error),
        };
        for effect in &answer.effects {
            if let CommandEffect::OpenSession { session_id } = *effect {
                self.move_peer(user, peer, session_id).await?;
            }
        }
        Ok(answer.text)
    }
}
