//! People, and the keys their programs use.

use crate::{Allowance, ApiKeyId, Timestamp, UserId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UserRole {
    Owner,
    Admin,
    Member,
    Guest,
}

impl UserRole {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Admin => "admin",
            Self::Member => "member",
            Self::Guest => "guest",
        }
    }

    /// May they manage the people, the providers and the shared agents of the house?
    pub const fn is_admin(self) -> bool {
        matches!(self, Self::Owner | Self::Admin)
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Owner, Self::Admin, Self::Member, Self::Guest].into_iter().find(|role| role.as_str() == text)
    }
}

/// A person with a login.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct User {
    pub id: UserId,
    pub name: String,
    pub role: UserRole,
    /// IANA name, for instance `Europe/Athens`.
    pub time_zone: String,
    /// BCP 47 tag, for instance `en`.
    pub language: String,
    /// What they may spend.
    #[serde(default)]
    pub budget: Allowance,
    /// What they say about themself, for agents; only they are shown it.
    #[serde(skip)]
    pub about_me: String,
    pub created_at: Timestamp,
}

/// What an API key may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    Full,
    Read,
    Chat,
    Bridge,
}

impl Scope {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Read => "read",
            Self::Chat => "chat",
            Self::Bridge => "bridge",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Full, Self::Read, Self::Chat, Self::Bridge].into_iter().find(|scope| scope.as_str() == text)
    }
}

/// A key as it is listed; the secret itself is shown once and kept only as a hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApiKey {
    pub id: ApiKeyId,
    pub user_id: UserId,
    pub name: String,
    pub scope: Scope,
    /// The bridge of a key of the scope `bridge`: it delivers what is said there, and nothing from elsewhere. None where an
    /// older key has not been used yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    pub expires_at: Option<Timestamp>,
    pub created_at: Timestamp,
}
