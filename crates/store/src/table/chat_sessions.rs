//! The one session of each peer: of the person who speaks to a user's agent through a program, from one source. Who that is
//! cannot be read here, only compared.

use crate::{Result, Tx, Vault, args};
use domain::{SessionId, UserId};

/// A peer as the database knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerIndex([u8; 32]);

impl PeerIndex {
    pub fn new(vault: &Vault, user: UserId, source: &str, sender: &str) -> Self {
        let user = user.to_string();
        let parts = [user.as_bytes(), source.as_bytes(), sender.as_bytes()];
        Self(vault.digests().of("chat.peer", &parts))
    }
}

/// The peer's session, and whether it is archived or its person has deleted it.
pub fn find(tx: &mut Tx, user: UserId, peer: PeerIndex) -> Result<Option<(SessionId, bool)>> {
    let sql = "SELECT s.id, CASE WHEN s.delete_at IS NULL THEN s.archived ELSE 1 END FROM chat_sessions c JOIN sessions s ON s.id = c.session_id \
               WHERE c.user_id = $1 AND c.peer = $2";
    tx.maybe(sql, args![user, peer.0])
}

/// Makes this the peer's session, unless another one became it since `before` was found. `false` then.
pub fn claim(
    tx: &mut Tx,
    user: UserId,
    peer: PeerIndex,
    session: SessionId,
    before: Option<SessionId>,
) -> Result<bool> {
    let sql = "INSERT INTO chat_sessions (user_id, peer, session_id) VALUES ($1, $2, $3) \
               ON CONFLICT (user_id, peer) DO UPDATE SET session_id = excluded.session_id \
               WHERE chat_sessions.session_id = $4 RETURNING session_id";
    let claimed: Option<SessionId> = tx.maybe(sql, args![user, peer.0, session, before])?;
    Ok(claimed.is_some())
}
