//! Who is asking, and how they proved it.

use crate::error::{Error, Result};
use domain::{ApiKeyId, LoginId, Scope, SessionId, Timestamp, UserId, UserRole};
use store::api_keys::SourceIndex;

/// How long a re-authentication counts.
pub(crate) const CONFIRMED_MS: i64 = 5 * 60 * 1_000;

/// How a person proved who they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Credential {
    /// They hold the control socket of the data directory.
    Operator,
    Login {
        id: LoginId,
        confirmed_at: Option<Timestamp>,
    },
    Key {
        id: ApiKeyId,
        scope: Scope,
        /// The bridge it is bound to.
        source: Option<SourceIndex>,
    },
    /// None: an agent acts for them, in this session.
    Agent(SessionId),
}

/// A person who has proved who they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Principal {
    pub user_id: UserId,
    pub role: UserRole,
    pub credential: Credential,
}

impl Principal {
    /// The person at the control socket, as this user.
    pub fn operator(user_id: UserId, role: UserRole) -> Self {
        Self { user_id, role, credential: Credential::Operator }
    }

    /// What the key allows; none for a person who came without a key.
    pub fn scope(&self) -> Option<Scope> {
        match self.credential {
            Credential::Key { scope, .. } => Some(scope),
            Credential::Operator | Credential::Login { .. } | Credential::Agent(_) => None,
        }
    }

    pub fn is_operator(&self) -> bool {
        self.credential == Credential::Operator
    }

    /// The login they came with.
    pub fn login_id(&self) -> Option<LoginId> {
        match self.credential {
            Credential::Login { id, .. } => Some(id),
            Credential::Operator | Credential::Key { .. } | Credential::Agent(_) => None,
        }
    }

    /// Rights are widened only by a person who has just proved again who they are.
    ///
    /// THREAT[login-01] A browser that was left open, or a script that got into a page, has a login and no password. A
    /// full key passes: making one took a confirmation, and no browser sends it by itself.
    pub fn check_confirmed(&self, now: Timestamp) -> Result<()> {
        let confirmed = match self.credential {
            Credential::Operator => true,
            Credential::Agent(_) => false,
            Credential::Key { scope, .. } => scope == Scope::Full,
            Credential::Login { confirmed_at, .. } => {
                confirmed_at.is_some_and(|at| at.plus_millis(CONFIRMED_MS) > now)
            }
        };
        if confirmed {
            return Ok(());
        }
        let detail = "Confirm your password first (POST /v1/me/confirm). This is valid for 5 minutes.";
        Err(Error::forbidden("confirmation_required", detail))
    }

    /// What only a person answers for: by a login that was just confirmed, or at the machine itself. No program does it for
    /// them, whatever its key allows.
    pub fn check_in_person(&self, now: Timestamp) -> Result<()> {
        self.check_no_program()?;
        self.check_confirmed(now)
    }

    /// The same, where nothing that is there already changes its meaning: any login will do.
    pub fn check_no_program(&self) -> Result<()> {
        if let Credential::Key { .. } | Credential::Agent(_) = self.credential {
            let detail = "API keys cannot do this. Sign in on the page, or use the terminal of the server.";
            return Err(Error::forbidden("scope_insufficient", detail));
        }
        Ok(())
    }

    /// As the audit log names them.
    pub fn actor(&self) -> String {
        let user = self.user_id;
        match self.credential {
            Credential::Operator => format!("{user} at the terminal"),
            Credential::Login { id, .. } => format!("{user} by {id}"),
            Credential::Key { id, .. } => format!("{user} by {id}"),
            Credential::Agent(session) => format!("{user} by an agent in {session}"),
        }
    }
}
