//! Schedules on the command line.

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub enum ScheduleCommand {
    /// List your schedules, with what came of their last runs
    List,
    /// Add a schedule, and say when it comes next
    #[command(after_help = ADD_EXAMPLES, group = clap::ArgGroup::new("moment").required(true))]
    Add(Box<AddArguments>),
    /// Show a schedule: what it does, when it comes next, and why it stopped
    Show {
        /// Number or id of the schedule; `schedule list` shows it
        schedule: String,
    },
    /// Pause a schedule: it does not come before you resume it
    Pause {
        /// Number or id of the schedule; `schedule list` shows it
        schedule: String,
    },
    /// Resume a schedule that is paused or was stopped
    Resume {
        /// Number or id of the schedule; `schedule list` shows it
        schedule: String,
    },
    /// List what came of a schedule's due times, newest first, with the conversations
    Runs {
        /// Number or id of the schedule; `schedule list` shows it
        schedule: String,
        /// How many to list, at most 100
        #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u8).range(1..=100))]
        limit: u8,
    },
    /// Delete a schedule; the conversations of its runs stay
    #[command(visible_alias = "rm")]
    Remove {
        /// Number or id of the schedule; `schedule list` shows it
        schedule: String,
    },
}

const ADD_EXAMPLES: &str = "\
Examples:
  majordomo schedule add \"Tell me the news.\" --at 08:00 --on weekdays
  majordomo schedule add \"How was the week?\" --at 17:00 --on fri --agent gardener
  majordomo schedule add \"Is the site up?\" --every 6h --place fresh
  majordomo schedule add \"Call mum.\" --once \"2026-12-24 18:00\"
  majordomo schedule add \"Pay the rent.\" --cron \"0 9 1 * *\" --zone Europe/Athens

Times are those of your account's time zone, unless you name another with --zone.";

#[derive(Clone, Debug, Args)]
#[group(skip)]
pub struct AddArguments {
    /// What the agent is to do
    #[arg(value_name = "TEXT")]
    pub note: String,
    #[command(flatten)]
    pub when: WhenArguments,
    /// The agent that does it [default: main]
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Where it runs: in one conversation for all runs, or in a new one each time
    #[arg(long, value_enum, default_value = "own", conflicts_with = "session")]
    pub place: PlaceArgument,
    /// Run in this conversation, with its agent
    #[arg(long, value_name = "ID", conflicts_with = "agent")]
    pub session: Option<String>,
    /// End after so many runs [default: without end]
    #[arg(long, value_name = "N")]
    pub max_runs: Option<u64>,
    /// Leave out what is due while the server is not running, instead of running once afterwards
    #[arg(long)]
    pub skip_missed: bool,
}

#[derive(Clone, Debug, Args)]
#[group(skip)]
pub struct WhenArguments {
    /// At this time of the day, for instance 08:00; with --on on these days only
    #[arg(long, value_name = "HH:MM", group = "moment")]
    pub at: Option<String>,
    /// Days for --at: weekdays, weekend, or days such as mon,thu [default: every day]
    #[arg(long, value_name = "DAYS", requires = "at", conflicts_with_all = ["every", "once", "cron"])]
    pub on: Option<String>,
    /// Again and again after so long, for instance 30m, 6h or 2d
    #[arg(long, value_name = "DURATION", group = "moment")]
    pub every: Option<String>,
    /// Once, at this day and time, for instance "2026-12-24 18:00"
    #[arg(long, value_name = "TIME", group = "moment")]
    pub once: Option<String>,
    /// By a cron pattern of five fields, for instance "0 8 * * 1-5"
    #[arg(long, value_name = "PATTERN", group = "moment")]
    pub cron: Option<String>,
    /// Time zone, for instance Europe/Athens [default: that of your account]
    #[arg(long, value_name = "ZONE", conflicts_with = "every")]
    pub zone: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlaceArgument {
    /// One conversation for all runs
    Own,
    /// A new conversation for each run
    Fresh,
}
