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
            Self::NotGranted => "this agent has no such tool",
            Self::Forbidden => "a rule forbids this; do not try it in another way",
            Self::Argument(problem) => return write!(f, "not with these arguments: {problem}"),
            Self::Asks => "this tool asks before it is used",
            Self::AsksEveryTime => "this tool asks every time it is used",
            Self::RuleOfTwo => {
                "the agent has read words of strangers as well as private things, and this goes outside"
            }
            Self::UnknownPrice { agent, model, budget } => {
                return write!(
                    f,
                    "{agent} wants to use {model}, whose price is not known, although a budget of {budget} applies"
                );
            }
            Self::Said(Some(reason)) => return write!(f, "the person said no: {reason}"),
            Self::Said(None) => "the person said no",
            Self::SaidBefore => "the person has just said no to exactly this; do not ask again",
            Self::NobodyAnswered => "nobody answered in time, which is a no",
            Self::NobodyToAsk => "this needs the yes of a person, and nobody is there to ask",
            Self::TooManyAsked => "too much waits for a yes already; ask again when that is answered",
            Self::TooManyCalls => "this message makes more calls than it may",
        })
    }
}
