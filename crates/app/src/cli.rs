//! The command line, as `--help` shows it.

use crate::config::LogFormat;
use clap::{Args, Parser, Subcommand, ValueEnum};
use domain::{RuleScope, Scope, UserRole};
use std::path::PathBuf;

#[derive(Debug, Parser)]
#[command(
    name = "majordomo",
    version,
    about = "One program that hosts AI agents for a household.",
    after_help = EXAMPLES,
    max_term_width = 110
)]
pub struct Arguments {
    /// Where everything is kept [default: the platform's data directory]
    #[arg(long, global = true, value_name = "DIR", env = "MAJORDOMO_DATA", hide_env_values = true)]
    pub data: Option<PathBuf>,
    /// Who acts [default: the owner]
    #[arg(long, global = true, value_name = "NAME")]
    pub user: Option<String>,
    /// The configuration [default: majordomo.toml in the data directory]
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Machine-readable output on stdout
    #[arg(long, global = true)]
    pub json: bool,
    /// How the log on stderr looks [default: text]
    #[arg(long, global = true, value_enum, value_name = "FORMAT")]
    pub log_format: Option<LogFormat>,
    /// Say more on stderr; twice for even more
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  majordomo serve                                  run the server on 127.0.0.1:7777
  majordomo chat                                   talk to your agent
  majordomo chat --once \"What time is it?\"         one message, the reply on stdout
  majordomo user add ann --role owner --password-stdin < password.txt
  majordomo api-key new --user ann --name laptop   prints the key, once
  majordomo backup house.backup                      a verified copy of everything but the master key
  majordomo doctor                                 checks and explains everything

Every setting of majordomo.toml can be given as MAJORDOMO_<SECTION>_<KEY>, for instance
MAJORDOMO_SERVER_BIND=127.0.0.1:8080 or MAJORDOMO_DEFAULTS_MODEL=demo.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the server
    #[command(
        after_help = "Prints `listening on http://…` once it accepts connections. SIGTERM and Ctrl-C let running \
                            turns end (5 seconds), then exit; a second one exits at once."
    )]
    Serve {
        /// Address and port to listen on; port 0 takes any free one [default: 127.0.0.1:7777]
        #[arg(long, value_name = "ADDR")]
        bind: Option<String>,
    },
    /// Talk to an agent in the terminal
    #[command(after_help = CHAT_EXAMPLES)]
    Chat(ChatArguments),
    /// The people of the house
    User {
        #[command(subcommand)]
        command: UserCommand,
    },
    /// Keys for programs that use the API
    ApiKey {
        #[command(subcommand)]
        command: ApiKeyCommand,
    },
    /// What agents want to do, and may do with your yes
    Approval {
        #[command(subcommand)]
        command: ApprovalCommand,
    },
    /// The agents of the user who acts
    #[command(after_help = AGENT_EXAMPLES)]
    Agent {
        #[command(subcommand)]
        command: AgentCommand,
    },
    /// What the user who acts has written for their agents
    Ability {
        #[command(subcommand)]
        command: AbilityCommand,
    },
    /// The master key
    Key {
        #[command(subcommand)]
        command: KeyCommand,
    },
    /// Write everything into a file, and verify it by restoring it
    #[command(
        after_help = "Works while a server runs. The file holds ciphertext and no master key: keep a copy of master.key \
                      elsewhere."
    )]
    Backup {
        /// A file that is not there yet; without it, one with the time in its name in the folder of the backups
        file: Option<PathBuf>,
    },
    /// Put a backup in the place of the database
    #[command(
        after_help = "Refuses while a server runs. The master key of the backup must be in its place. \
                      Everybody is signed out, and API keys are revoked unless --keep-keys is given."
    )]
    Restore {
        file: PathBuf,
        /// Replace a database that is not empty; a SQLite file is kept beside the new one
        #[arg(long)]
        force: bool,
        /// Let the API keys of the backup count again; those that were revoked since would count, too
        #[arg(long)]
        keep_keys: bool,
    },
    /// Bring the database's schema up to date, after a backup; `serve` does the same by itself
    Migrate,
    /// Check and explain settings, data directory, database, keys and models
    Doctor,
}

const AGENT_EXAMPLES: &str = "\
Examples:
  majordomo agent list
  majordomo agent add gardener model=openai/gpt-5.1 system_prompt=@gardener.txt
  majordomo agent set gardener capabilities='[\"current_time\"]' limits='{\"steps\":10}'
  majordomo agent set gardener model=                back to the default
  majordomo agent export gardener gardener.json
  majordomo agent import gardener.json --as helper

A value is JSON if it reads as JSON, otherwise text; @FILE is the text of a file; nothing is the default.";

#[derive(Debug, Subcommand)]
pub enum AgentCommand {
    /// List them
    List,
    /// Show one as JSON
    Show {
        /// Its name or id
        agent: String,
    },
    /// Make one
    Add {
        name: String,
        #[arg(value_name = "FIELD=VALUE")]
        fields: Vec<String>,
    },
    /// Change one
    Set {
        /// Its name or id
        agent: String,
        #[arg(value_name = "FIELD=VALUE", required = true)]
        fields: Vec<String>,
    },
    /// Accept one that another person shares with you
    Accept {
        /// Its name or id
        agent: String,
    },
    /// Stop using one that another person shares with you
    Decline {
        /// Its name or id
        agent: String,
    },
    /// Write one to a file, or to stdout
    Export {
        /// Its name or id
        agent: String,
        file: Option<PathBuf>,
    },
    /// Make one of a file that `export` wrote
    Import {
        file: PathBuf,
        /// Under another name
        #[arg(long = "as", value_name = "NAME")]
        name: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub enum AbilityCommand {
    /// List them
    List,
    /// Show one as a Markdown file
    Show {
        /// Its name or id
        ability: String,
    },
    /// Save Markdown files; one of the same name is replaced
    Add {
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
    },
    /// Delete one
    Remove {
        /// Its name or id
        ability: String,
    },
    /// Write one to a file, or to stdout
    Export {
        /// Its name or id
        ability: String,
        file: Option<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Make a new master key and wrap all keys with it; goes on where it was cut off
    #[command(
        after_help = "The old key stays as master.key.retired-…: backups made before need it. Make a new backup, keep a \
                      copy of the new master.key elsewhere, and remove the old one when no backup needs it any more."
    )]
    Rotate,
}

const CHAT_EXAMPLES: &str = "\
Examples:
  majordomo chat                                 a new conversation with the agent `main`
  majordomo chat --session session_0198…         go on with an earlier one
  majordomo chat --once \"hello\" --json           {session_id, turn_id, outcome, message, usage}
  echo \"hello\" | majordomo chat                  each line is one message

In the conversation: Alt-Enter or a backslash at the end of a line begins a new line, Ctrl-C stops the reply,
Ctrl-D leaves, /help shows the commands.";

#[derive(Debug, Args)]
pub struct ChatArguments {
    /// The agent to talk to
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Go on with this session instead of beginning a new one
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Send one message, print the reply as it comes, and exit
    #[arg(long, value_name = "TEXT")]
    pub once: Option<String>,
    /// The question that the message answers
    #[arg(long, value_name = "QUESTION", requires = "once", requires = "session")]
    pub answers: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// Add a person; the first one is the owner
    Add {
        name: String,
        #[arg(long, value_enum)]
        role: RoleArgument,
        /// Read the password from stdin: at least 8 characters, a final newline is dropped
        #[arg(long)]
        password_stdin: bool,
        /// For instance Europe/Athens [default: this machine's]
        #[arg(long, value_name = "ZONE")]
        time_zone: Option<String>,
    },
    /// List everybody
    List,
    /// Set somebody's password; they are signed out everywhere
    Password {
        name: String,
        /// Read the password from stdin: at least 8 characters, a final newline is dropped
        #[arg(long)]
        password_stdin: bool,
    },
    /// Give somebody another role; they are signed out everywhere
    Role {
        name: String,
        #[arg(value_enum)]
        role: RoleArgument,
    },
    /// Remove somebody with everything they have
    Remove {
        name: String,
        /// Do not ask whether it is meant
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Subcommand)]
pub enum ApprovalCommand {
    /// List what waits for a yes
    List,
    /// Show what would run, and say yes to exactly that
    Approve {
        /// As `approval list` shows it
        id: String,
        /// For how long the yes holds: this call, the tool in this session, or always exactly these arguments
        #[arg(long, value_enum, default_value = "once")]
        scope: RuleScopeArgument,
    },
    /// Say no
    Deny {
        /// As `approval list` shows it
        id: String,
        /// What the agent is told
        #[arg(long)]
        reason: Option<String>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RuleScopeArgument {
    Once,
    Session,
    Always,
}

impl From<RuleScopeArgument> for RuleScope {
    fn from(scope: RuleScopeArgument) -> Self {
        match scope {
            RuleScopeArgument::Once => Self::Once,
            RuleScopeArgument::Session => Self::Session,
            RuleScopeArgument::Always => Self::Always,
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum ApiKeyCommand {
    /// Make a key and print it, once, alone on stdout
    New {
        /// What the key is for, to tell it from others
        #[arg(long, value_name = "LABEL")]
        name: Option<String>,
        /// What may be done with it
        #[arg(long, value_enum, default_value = "full")]
        scope: ScopeArgument,
        /// With --scope bridge: the name of the bridge whose messages it delivers, such as telegram
        #[arg(long, value_name = "NAME")]
        source: Option<String>,
        /// When it ends: a time from now such as 30d, or a date such as 2027-01-01 [default: never]
        #[arg(long, value_name = "WHEN")]
        expires: Option<String>,
    },
    /// List the keys, without their secrets
    List,
    /// Make a key useless at once
    Revoke {
        /// As `api-key list` shows it
        id: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RoleArgument {
    Owner,
    Admin,
    Member,
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
    Full,
    Read,
    Chat,
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
