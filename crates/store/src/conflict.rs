//! What is there already, or goes on, and stands in the way of a change.

use crate::api_keys;

/// Why a table refused a change. The texts carry no stored value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Conflict {
    /// A row with the same key, in the words of the database.
    #[error("{0}")]
    SameKey(String),
    #[error("there is an agent of that name already")]
    AgentName,
    #[error("the agent still has sessions; archive or delete them first")]
    AgentInUse,
    #[error("there is an ability of that name already")]
    AbilityName,
    #[error("there is a user of that name already")]
    UserName,
    #[error("there is an owner already")]
    SecondOwner,
    #[error("this user's agents are at work")]
    UserAtWork,
    #[error("a user has at most {} keys", api_keys::MOST_PER_USER)]
    TooManyKeys,
    #[error("a turn is active in this session")]
    TurnActive,
    #[error("the session is at work; stop it first, or wait until it is idle")]
    SessionAtWork,
    #[error("a newer summary of this session is there")]
    NewerSummary,
    #[error("this master key was in use before; a new one is needed")]
    UsedMasterKey,
}
