//! The command line, as `--help` shows it.

mod people;
mod schedules;

pub use people::{ApiKeyCommand, UserCommand};
pub use schedules::{AddArguments, PlaceArgument, ScheduleCommand, WhenArguments};

use crate::config::LogFormat;
use clap::{Args, Parser, Subcommand, ValueEnum};
use domain::RuleScope;
use std::path::PathBuf;

#[derive(Debug, Parser)]
#[command(
    name = "majordomo",
    version,
    about = "Hosts AI agents for a household: one program, on your own machine.",
    after_help = EXAMPLES,
    max_term_width = 110
)]
pub struct Arguments {
    /// Directory for the database, the master key and the settings [default: the usual place of this system]
    #[arg(long, global = true, value_name = "DIR", env = "MAJORDOMO_DATA", hide_env_values = true)]
    pub data: Option<PathBuf>,
    /// Run as this user [default: the owner]
    #[arg(long, global = true, value_name = "NAME")]
    pub user: Option<String>,
    /// Settings file [default: majordomo.toml in the data directory]
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print JSON for programs instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// Format of the log on stderr [default: text]
    #[arg(long, global = true, value_enum, value_name = "FORMAT")]
    pub log_format: Option<LogFormat>,
    /// Show more log lines on stderr; -vv shows even more
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  majordomo serve                                  start the server on 127.0.0.1:7777
  majordomo chat                                   talk to your agent
  majordomo chat --once \"What time is it?\"         send one message and print the reply
  majordomo user add ann --role owner              create the owner account; asks for the password
  majordomo api-key new --user ann --name laptop   create an API key and print it, once
  majordomo backup everything.backup               save everything except the master key
  majordomo doctor                                 check this installation

Settings can also be environment variables named MAJORDOMO_<SECTION>_<KEY>, for instance
MAJORDOMO_SERVER_BIND=127.0.0.1:8080 or MAJORDOMO_DEFAULTS_MODEL=demo.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Start the server and keep it running
    #[command(
        after_help = "Prints `listening on http://…` when it accepts connections. Ctrl-C or SIGTERM gives running replies \
                            4 seconds to end (12 beside other servers on the same database), then the server stops; a second one \
                            stops it at once."
    )]
    Serve {
        /// Address and port to listen on; port 0 takes any free port [default: 127.0.0.1:7777]
        #[arg(long, value_name = "ADDR")]
        bind: Option<String>,
    },
    /// Talk to an agent in the terminal
    #[command(after_help = CHAT_EXAMPLES)]
    Chat(ChatArguments),
    /// Accounts: add, list, change and remove people
    User {
        #[command(subcommand)]
        command: UserCommand,
    },
    /// API keys for programs
    ApiKey {
        #[command(subcommand)]
        command: ApiKeyCommand,
    },
    /// Approve or deny what agents ask to do
    Approval {
        #[command(subcommand)]
        command: ApprovalCommand,
    },
    /// Your agents
    #[command(after_help = AGENT_EXAMPLES)]
    Agent {
        #[command(subcommand)]
        command: AgentCommand,
    },
    /// Your abilities: instructions for agents, as Markdown files
    Ability {
        #[command(subcommand)]
        command: AbilityCommand,
    },
    /// Schedules: what your agents do at set times
    Schedule {
        #[command(subcommand)]
        command: ScheduleCommand,
    },
    /// The master key, which encrypts everything
    Key {
        #[command(subcommand)]
        command: KeyCommand,
    },
    /// Save everything in one file, and test it by restoring it
    #[command(
        after_help = "You can make a backup while the server runs. The file is encrypted and does not contain the master key: \
                      keep a copy of master.key elsewhere."
    )]
    Backup {
        /// A file that does not exist yet [default: a file named after the time, in the backup folder]
        file: Option<PathBuf>,
    },
    /// Replace the database with a backup
    #[command(
        after_help = "Stop the server first. The master key that was in use when the backup was made must be in its place. \
                      Everyone is signed out, and all API keys are revoked unless you add --keep-keys."
    )]
    Restore {
        /// The backup to restore
        file: PathBuf,
        /// Replace a database that is not empty; a SQLite file is kept under another name
        #[arg(long)]
        force: bool,
        /// Keep the backup's API keys valid, including keys revoked after it was made
        #[arg(long)]
        keep_keys: bool,
    },
    /// Upgrade the database after a program update; `serve` also does this by itself
    Migrate,
    /// Check settings, data directory, database, keys, models and sandbox, and say what to do
    Doctor,
    /// Print a script that lets your shell complete commands and options
    #[command(after_help = COMPLETION_EXAMPLES)]
    Completions {
        /// The shell that will read the script
        shell: ShellArgument,
    },
}

const COMPLETION_EXAMPLES: &str = "\
Examples:
  majordomo completions bash > ~/.local/share/bash-completion/completions/majordomo
  majordomo completions zsh > ~/.zfunc/_majordomo          with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc
  majordomo completions fish > ~/.config/fish/completions/majordomo.fish";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShellArgument {
    Bash,
    Zsh,
    Fish,
}

impl From<ShellArgument> for clap_complete::Shell {
    fn from(shell: ShellArgument) -> Self {
        match shell {
            ShellArgument::Bash => Self::Bash,
            ShellArgument::Zsh => Self::Zsh,
            ShellArgument::Fish => Self::Fish,
        }
    }
}

const AGENT_EXAMPLES: &str = "\
Examples:
  majordomo agent list
  majordomo agent add gardener model=openai/gpt-5.1 system_prompt=@gardener.txt
  majordomo agent set gardener capabilities='[\"current_time\"]' limits='{\"steps\":10}'
  majordomo agent set gardener model=                back to the default model
  majordomo agent export gardener gardener.json
  majordomo agent import gardener.json --as helper

A value that is valid JSON is used as JSON, any other value as text. @FILE stands for the text of a file. An empty
value sets the field back to its default.";

#[derive(Debug, Subcommand)]
pub enum AgentCommand {
    /// List your agents
    List,
    /// Show an agent as JSON
    Show {
        /// Name or id of the agent
        agent: String,
    },
    /// Create an agent
    Add {
        /// Name of the new agent
        name: String,
        /// Settings of the agent, for instance model=demo
        #[arg(value_name = "FIELD=VALUE")]
        fields: Vec<String>,
    },
    /// Change an agent
    Set {
        /// Name or id of the agent
        agent: String,
        /// Settings to change, for instance model=demo
        #[arg(value_name = "FIELD=VALUE", required = true)]
        fields: Vec<String>,
    },
    /// Accept an agent that another person shares with you
    Accept {
        /// Name or id of the agent
        agent: String,
    },
    /// Stop using an agent that another person shares with you
    Decline {
        /// Name or id of the agent
        agent: String,
    },
    /// Write an agent to a file, or to stdout
    Export {
        /// Name or id of the agent
        agent: String,
        /// A file that does not exist yet [default: stdout]
        file: Option<PathBuf>,
    },
    /// Create an agent from a file that `export` has written
    Import {
        /// The file to read
        file: PathBuf,
        /// Give the agent this name instead of the one in the file
        #[arg(long = "as", value_name = "NAME")]
        name: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub enum AbilityCommand {
    /// List your abilities
    List,
    /// Show an ability as a Markdown file
    Show {
        /// Name or id of the ability
        ability: String,
    },
    /// Save Markdown files as abilities; an ability of the same name is replaced
    Add {
        /// Markdown files to save
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
    },
    /// Delete an ability
    Remove {
        /// Name or id of the ability
        ability: String,
    },
    /// Write an ability to a file, or to stdout
    Export {
        /// Name or id of the ability
        ability: String,
        /// A file that does not exist yet [default: stdout]
        file: Option<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Replace the master key with a new one; run it again if it was interrupted
    #[command(
        after_help = "The old key is kept as master.key.retired-…, because older backups need it. Make a new backup, keep a \
                      copy of the new master.key elsewhere, and delete the old key when you no longer need the old backups."
    )]
    Rotate,
}

const CHAT_EXAMPLES: &str = "\
Examples:
  majordomo chat                                 start a new conversation with the agent `main`
  majordomo chat --continue                      continue your newest conversation
  majordomo chat --agent gardener                start a new conversation with the agent `gardener`
  majordomo chat --session session_0198…         continue an earlier conversation
  majordomo chat --once \"hello\" --json           print {session_id, turn_id, outcome, message, usage}
  echo \"hello\" | majordomo chat                  send each line as one message

In the conversation: Alt-Enter or a backslash at the end of a line starts a new line, Ctrl-C stops the running reply,
Ctrl-D leaves, /help shows the commands.";

#[derive(Debug, Args)]
pub struct ChatArguments {
    /// The agent to talk to [default: main]
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Continue your newest conversation, or with --agent the newest one with that agent
    #[arg(short = 'c', long = "continue", conflicts_with = "session")]
    pub newest: bool,
    /// Continue this conversation instead of starting a new one
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Send one message, print the reply and exit
    #[arg(long, value_name = "TEXT")]
    pub once: Option<String>,
    /// Id of the question that the message answers
    #[arg(long, value_name = "QUESTION", requires = "once", requires = "session")]
    pub answers: Option<String>,
    /// Send this file with the first message; may be given several times
    #[arg(long = "file", value_name = "PATH", conflicts_with = "answers")]
    pub files: Vec<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum ApprovalCommand {
    /// List the approvals that wait for an answer
    List,
    /// Show what the agent wants to do, and approve exactly that
    Approve {
        /// Id of the approval; `approval list` shows it
        id: String,
        /// How long the approval holds
        #[arg(long, value_enum, default_value = "once")]
        scope: RuleScopeArgument,
    },
    /// Deny what the agent wants to do
    Deny {
        /// Id of the approval; `approval list` shows it
        id: String,
        /// A reason, which the agent is told
        #[arg(long)]
        reason: Option<String>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RuleScopeArgument {
    /// This call only
    Once,
    /// This tool, or this host, in this conversation
    Session,
    /// This agent with exactly these arguments, in every conversation
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
