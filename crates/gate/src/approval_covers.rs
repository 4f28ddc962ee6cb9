//! Which call an approval is for.

use crate::{argument_digest::digest, decide::Circumstances};
use domain::Approval;

/// An approval is for one call with the arguments that were shown. THREAT[gate-14]
pub(crate) fn approval_covers(c: &Circumstances<'_>, answer: &Approval) -> bool {
    let (Some(party), Some(session)) = (c.parties.first(), c.sessions.first()) else { return false };
    let now = digest(c.wanted.name, party.agent, *session, c.wanted.call, c.wanted.arguments);
    answer.call_id == c.wanted.call && answer.digest == now
}
