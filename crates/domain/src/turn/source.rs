//! Where messages come from, and what holds for everything that comes from there: one line of the table below per
//! [`Source`].

use crate::Label;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceRules {
    /// The label of its words where nothing else is known of them. `None`: they are its person's own words, and what they
    /// were made of decides.
    pub label: Option<Label>,
    /// Those who speak through it may be told what is for its person alone, such as the titles of conversations.
    pub hears_private: bool,
    /// Its words may answer a question or a request for approval.
    pub may_answer: bool,
    /// A line that begins with a slash is a command.
    pub may_command: bool,
    pub reports_to: ReportsTo,
}

/// Who waits for what a turn ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportsTo {
    /// No turn: people read it.
    People,
    /// The call of another turn, of which this one is a part.
    GivingTurn,
}

impl SourceRules {
    const PERSON: Self = Self {
        label: None,
        hears_private: true,
        may_answer: true,
        may_command: true,
        reports_to: ReportsTo::People,
    };
    /// THREAT[chat-03] What a bridge delivers are words of others: they answer nothing, command nothing, and are told no
    /// title.
    const BRIDGE: Self = Self {
        label: Some(Label::UNTRUSTED_COMMON),
        hears_private: false,
        may_answer: false,
        may_command: false,
        reports_to: ReportsTo::People,
    };
    const AGENT: Self = Self {
        label: Some(Label::WORST),
        hears_private: true,
        may_answer: true,
        may_command: false,
        reports_to: ReportsTo::GivingTurn,
    };
    /// The label of a schedule goes with each of its runs. Nothing that comes by itself answers or commands.
    const SCHEDULE: Self = Self {
        label: Some(Label::WORST),
        hears_private: true,
        may_answer: false,
        may_command: false,
        reports_to: ReportsTo::People,
    };
}

macro_rules! sources {
    ($($(#[$about:meta])* $source:ident as $name:literal, rules = $rules:ident;)+) => {
        /// Where an input came from.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum Source {
            $($(#[$about])* #[serde(rename = $name)] $source,)+
        }

        impl Source {
            pub const ALL: &[Self] = &[$(Self::$source,)+];

            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$source => $name,)+
                }
            }

            pub const fn rules(self) -> SourceRules {
                match self {
                    $(Self::$source => SourceRules::$rules,)+
                }
            }
        }
    };
}

// The names are in databases and in the API: a line may be added, and none be renamed.
sources! {
    Web as "web", rules = PERSON;
    Cli as "cli", rules = PERSON;
    /// A program that delivers the words of another person.
    Bridge as "bridge", rules = BRIDGE;
    /// Another agent, or the same one in another session.
    Agent as "agent", rules = AGENT;
    /// A due time of a schedule.
    Schedule as "schedule", rules = SCHEDULE;
}

impl Source {
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|source| source.as_str() == text)
    }

    /// Is the turn part of another one, which waits for its end?
    pub fn is_part_of_turn(self) -> bool {
        self.rules().reports_to == ReportsTo::GivingTurn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_of_the_person_are_trusted_and_command() {
        for source in Source::ALL {
            let rules = source.rules();
            assert_eq!(rules.label.is_none(), rules.may_command, "{source:?}");
            assert!(rules.label.is_none_or(Label::is_untrusted), "{source:?}");
        }
    }

    #[test]
    fn only_what_an_agent_asked_for_is_part_of_a_turn() {
        let parts: Vec<&Source> = Source::ALL.iter().filter(|source| source.is_part_of_turn()).collect();
        assert_eq!(parts, [&Source::Agent]);
    }

    #[test]
    fn a_source_has_one_name_everywhere() {
        for source in Source::ALL {
            assert_eq!(serde_json::to_value(source).unwrap(), source.as_str());
            assert_eq!(Source::parse(source.as_str()), Some(*source));
        }
    }
}
