//! Where a person is signed in.

use crate::{LoginId, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

/// A login as its person sees it; the secret itself is in the browser and nowhere else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Login {
    pub id: LoginId,
    /// What the browser called itself.
    pub user_agent: Option<String>,
    /// Where it came from.
    pub address: Option<String>,
    pub created_at: Timestamp,
    /// To within a few minutes.
    pub seen_at: Timestamp,
    /// Until when a re-authentication counts, if there was one.
    pub confirmed_at: Option<Timestamp>,
}
