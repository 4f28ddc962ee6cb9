//! What is there already, or goes on, and stands in the way of a change.

use crate::api_keys;

/// Why a table refused a change. The texts carry no stored value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Conflict {
    /// A row with the same key, in the words of the database.
    #[error("{0}")]
    SameKey(String),
    #[error("There is already an agent of that name.")]
    AgentName,
    #[error("The agent still has conversations. Archive or delete them first.")]
    AgentInUse,
    #[error("There is already an ability of that name.")]
    AbilityName,
    #[error("There is already a prompt of that name.")]
    PromptName,
    #[error("This folder was changed elsewhere in the meantime.")]
    FolderChanged,
    #[error("There is already an account of that name.")]
    UserName,
    #[error("There is already an owner account.")]
    SecondOwner,
    #[error("Agents of this person are still working.")]
    UserAtWork,
    #[error(
        "This person already has {} API keys, which is the most. Revoke one first.",
        api_keys::MOST_PER_USER
    )]
    TooManyKeys,
    #[error("A reply is running in this conversation.")]
    TurnActive,
    #[error("A reply is running in this conversation. Stop it first, or wait until it has ended.")]
    SessionAtWork,
    #[error("There is already a newer summary of this conversation.")]
    NewerSummary,
    #[error("This master key was used before. A new one is needed.")]
    UsedMasterKey,
}
