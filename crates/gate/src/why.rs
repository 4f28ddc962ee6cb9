//! Why the gate decided as it did, in words: for the person who is asked, and for the model that is refused.

use domain::{Workplace, canonical_tool};
use std::fmt;

/// Who says that a person is asked before a tool is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskedBy {
    /// The tool itself.
    Tool,
    /// A rule of an admin.
    Server,
    /// The settings of the agent, or of one that it works for.
    Agent,
    /// A rule of the person.
    Person,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// There is no such tool, or the agent does not have it.
    NotGranted,
    /// A rule says no.
    Forbidden,
    /// An argument is not one that the tool may be given.
    Argument(String),
    Asks(AskedBy),
    AsksEveryTime(AskedBy),
    /// Others had a say in something that would be done later.
    ActsLater,
    RuleOfTwo,
    /// A budget is to be kept, and what this model costs cannot be counted.
    UnknownPrice {
        agent: String,
        model: String,
        budget: String,
    },
    /// A person said no, perhaps with words.
    Said(Option<String>),
    /// They said no to the very same thing a moment ago.
    SaidBefore,
    NobodyAnswered,
    NobodyToAsk,
    TooManyAsked,
    /// Its message made more calls than it may.
    TooManyCalls,
}

impl Why {
    /// One fixed word, for the audit log.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::NotGranted => "unknown_or_not_granted",
            Self::Forbidden => "forbidden",
            Self::Argument(_) => "argument",
            Self::Asks(_) => "asks",
            Self::AsksEveryTime(_) => "asks_every_time",
            Self::ActsLater => "acts_later",
            Self::RuleOfTwo => "rule_of_two",
            Self::UnknownPrice { .. } => "price_unknown",
            Self::Said(_) => "denied_by_person",
            Self::SaidBefore => "denied_before",
            Self::NobodyAnswered => "expired",
            Self::NobodyToAsk => "nobody_to_ask",
            Self::TooManyAsked => "too_many_asked",
            Self::TooManyCalls => "too_many_calls",
        }
    }

    /// For the person who is asked about a call of this tool: what they asked for themselves, and else what its kind of work
    /// has to do with them.
    pub fn to_person(&self, tool: &str, workplace: Option<Workplace>) -> String {
        match self {
            Self::Asks(AskedBy::Tool) => of_kind(tool, workplace).to_owned(),
            Self::AsksEveryTime(AskedBy::Tool) => every_time(tool, workplace).to_owned(),
            other => other.to_string(),
        }
    }
}

/// Why tools of this kind ask by themselves.
fn of_kind(tool: &str, workplace: Option<Workplace>) -> &'static str {
    match (canonical_tool(tool), workplace) {
        ("bash", _) => "Commands always need your approval.",
        ("manage_cron", Some(Workplace::Server)) => {
            "What an agent does later needs your approval, because you may be away then."
        }
        (_, Some(Workplace::Sandbox | Workplace::SandboxWithPackages)) => {
            "Programs always need your approval."
        }
        ("web_fetch", _) => {
            "Opening a web page needs your approval, unless you typed its address or a search found it."
        }
        (_, Some(Workplace::SearchService)) => {
            "Web searches always need your approval, because the search service learns what is searched for."
        }
        (_, Some(Workplace::Network)) => "Requests to the network always need your approval.",
        (_, Some(Workplace::SessionFiles)) => "This change of the files always needs your approval.",
        (_, Some(Workplace::OtherAgent)) => "Giving work to another agent always needs your approval.",
        _ => "This tool always needs your approval.",
    }
}

/// Why tools of this kind ask by themselves each time. The names are those of the commands, which work on this server; a tool of
/// another origin that has such a name works elsewhere.
fn every_time(tool: &str, workplace: Option<Workplace>) -> &'static str {
    match (tool, workplace) {
        ("session" | "clear", Some(Workplace::Server)) => {
            "What an agent does with your conversations needs your approval every time."
        }
        ("agent", Some(Workplace::Server)) => {
            "What an agent does with the settings of agents needs your approval every time."
        }
        ("ability", Some(Workplace::Server)) => {
            "What an agent does with your abilities needs your approval every time."
        }
        _ => "This tool needs your approval every time.",
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotGranted => "This agent does not have this tool.",
            Self::Forbidden => "A rule denies this. Do not try it in another way.",
            Self::Argument(problem) => return write!(f, "These arguments are not allowed: {problem}."),
            Self::Asks(AskedBy::Tool) => "This tool always needs your approval.",
            Self::Asks(AskedBy::Server) => "A rule of this server asks before this tool is used.",
            Self::Asks(AskedBy::Agent) => "The settings of this agent ask before this tool is used.",
            Self::Asks(AskedBy::Person) => "A rule of yours asks before this tool is used.",
            Self::AsksEveryTime(AskedBy::Tool) => "This tool needs your approval every time.",
            Self::AsksEveryTime(AskedBy::Server) => "A rule of this server asks every time this tool is used.",
            Self::AsksEveryTime(AskedBy::Agent) => "The settings of this agent ask every time this tool is used.",
            Self::AsksEveryTime(AskedBy::Person) => "A rule of yours asks every time this tool is used.",
            Self::ActsLater => {
                "This conversation has seen untrusted text; the agent would act on this later, when you may be away."
            }
            Self::RuleOfTwo => {
                "This conversation has seen private data and untrusted text; this action would send data out."
            }
            Self::UnknownPrice { agent, model, budget } => {
                return write!(
                    f,
                    "The agent {agent} wants to use {model}, whose price is not known, but there is a budget of {budget}."
                );
            }
            Self::Said(Some(reason)) => return write!(f, "The person denied this call: {reason}"),
            Self::Said(None) => "The person denied this call.",
            Self::SaidBefore => "The person has just denied exactly this. Do not ask again.",
            Self::NobodyAnswered => "Not answered in time, so it was denied.",
            Self::NobodyToAsk => "This needs the approval of a person, and there is no person to ask.",
            Self::TooManyAsked => "Too many approvals are already open. Ask again when they are answered.",
            Self::TooManyCalls => "This message makes more calls than allowed.",
        })
    }
}
