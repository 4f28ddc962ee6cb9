//! For whom a command works, and what they may.

use crate::error::{Error, Result};
use domain::{Scope, SessionId, Source, UserId, UserRole};
use people::{Credential, Principal};

/// The person or the agent that runs a command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Actor {
    pub(crate) user_id: UserId,
    pub(crate) role: UserRole,
    /// Where what they say by it comes from.
    pub(crate) source: Source,
    pub(crate) principal: Principal,
}

/// What a deed asks for: the same as its route does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// To take part in conversations.
    Talk,
    /// To change one's sessions, and to look at what is beyond them.
    Manage,
    /// To have agents of one's own.
    OwnAgents,
}

impl Actor {
    pub(crate) fn person(principal: &Principal, source: Source) -> Self {
        Self { user_id: principal.user_id, role: principal.role, source, principal: *principal }
    }

    /// An agent that was allowed to, or that a person has allowed to: it acts for the person whose session it is, and
    /// what it says by a command is what they would have said on the page.
    pub(crate) fn agent(user_id: UserId, role: UserRole, session: SessionId) -> Self {
        Self::person(&Principal { user_id, role, credential: Credential::Agent(session) }, Source::Web)
    }

    pub(crate) fn is_agent(&self) -> bool {
        matches!(self.principal.credential, Credential::Agent(_))
    }

    /// THREAT[commands-01] A key that only talks, or a guest, gets nothing by a command that its route refuses them.
    pub(crate) fn check(&self, need: Need) -> Result<()> {
        let reaches = match (need, self.principal.scope()) {
            (_, None | Some(Scope::Full)) => true,
            (Need::Talk, Some(scope)) => scope == Scope::Chat,
            (Need::Manage | Need::OwnAgents, Some(_)) => false,
        };
        if !reaches {
            let detail = "This API key does not have access to this. Use a key with the scope full.";
            return Err(Error::forbidden("scope_insufficient", detail));
        }
        if need == Need::OwnAgents && self.role == UserRole::Guest {
            let detail = "Guests cannot have agents of their own. Ask the owner or an admin.";
            return Err(Error::forbidden("role_insufficient", detail));
        }
        Ok(())
    }
}
