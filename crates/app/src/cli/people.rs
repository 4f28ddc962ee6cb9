//! Accounts and API keys on the command line.

use clap::{Subcommand, ValueEnum};
use domain::{Scope, UserRole};

#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// Add an account; the first one must be the owner
    Add {
        /// Name to sign in with
        name: String,
        /// What the person may do
        #[arg(long, value_enum)]
        role: RoleArgument,
        /// Read the password from stdin; it needs at least 8 characters
        #[arg(long)]
        password_stdin: bool,
        /// Time zone, for instance Europe/Athens [default: the time zone of this machine]
        #[arg(long, value_name = "ZONE")]
        time_zone: Option<String>,
    },
    /// List all accounts
    List,
    /// Set a new password for a person, and sign them out everywhere
    Password {
        /// Name of the account
        name: String,
        /// Read the password from stdin; it needs at least 8 characters
        #[arg(long)]
        password_stdin: bool,
    },
    /// Change the role of a person, and sign them out everywhere
    Role {
        /// Name of the account
        name: String,
        /// The new role
        #[arg(value_enum)]
        role: RoleArgument,
    },
    /// Remove a person with all their agents, conversations and files
    Remove {
        /// Name of the account
        name: String,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Subcommand)]
pub enum ApiKeyCommand {
    /// Create a key and print it; it is shown only once
    New {
        /// A name for the key, for instance the device that uses it
        #[arg(long, value_name = "LABEL")]
        name: Option<String>,
        /// What the key gives access to
        #[arg(long, value_enum, default_value = "full")]
        scope: ScopeArgument,
        /// With --scope bridge: the name of the bridge that uses the key, such as telegram
        #[arg(long, value_name = "NAME")]
        source: Option<String>,
        /// When the key expires: a time from now such as 30d, or a date such as 2027-01-01 [default: never]
        #[arg(long, value_name = "WHEN")]
        expires: Option<String>,
    },
    /// List your API keys; the keys themselves cannot be shown again
    List,
    /// Revoke a key now
    Revoke {
        /// Id of the key; `api-key list` shows it
        id: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RoleArgument {
    /// Everything; there is exactly one owner
    Owner,
    /// Manage accounts, providers and shared agents
    Admin,
    /// Have agents, conversations and API keys
    Member,
    /// Talk to agents that are shared with them
    Guest,
}

impl From<RoleArgument> for UserRole {
    fn from(role: RoleArgument) -> Self {
        match role {
            RoleArgument::Owner => Self::Owner,
            RoleArgument::Admin => Self::Admin,
            RoleArgument::Member => Self::Member,
            RoleArgument::Guest => Self::Guest,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ScopeArgument {
    /// Everything that the person may do
    Full,
    /// Read everything of the person
    Read,
    /// Take part in conversations
    Chat,
    /// Deliver messages of other people from one bridge
    Bridge,
}

impl From<ScopeArgument> for Scope {
    fn from(scope: ScopeArgument) -> Self {
        match scope {
            ScopeArgument::Full => Self::Full,
            ScopeArgument::Read => Self::Read,
            ScopeArgument::Chat => Self::Chat,
            ScopeArgument::Bridge => Self::Bridge,
        }
    }
}
