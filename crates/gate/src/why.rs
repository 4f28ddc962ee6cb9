//! Why the gate decided as it did, in words: for the person who is asked, and for the model that is refused.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// There is no such tool, or the agent does not have it.
    NotGranted,
    /// A rule says no.
    Forbidden,
    /// An argument is not one that the tool may be given.
    Argument(String),
    Asks,
    AsksEveryTime,
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
            Self::Asks => "asks",
            Self::AsksEveryTime => "asks_every_time",
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
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotGranted => "This agent does not have this tool.",
            Self::Forbidden => "A rule denies this. Do not try it in another way.",
            Self::Argument(problem) => return write!(f, "These arguments are not allowed: {problem}."),
            Self::Asks => "This tool needs your approval.",
            Self::AsksEveryTime => "This tool needs your approval every time.",
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
