//! What agents remember of a person: entries, each with its versions.
//!
//! Invariant: what is told is trusted. Words in which others had a say, and what an agent changes of its person's own, are
//! only proposed until that person keeps them ([`must_be_reviewed`]); the page that a summary made of such words is never told.

use crate::{AgentId, CallId, EntryId, Label, SessionId, Timestamp, TurnId, UserId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Characters of a memory, which is told in every prompt.
pub const MEMORY_CHARS: usize = 2_000;
/// Characters of the title of a page, which is told in every prompt.
pub const PAGE_TITLE_CHARS: usize = 200;
/// Characters of a page, which is read when it is wanted.
pub const PAGE_CHARS: usize = 100_000;

/// Lines of the page that the summaries of a conversation leave.
pub const FLUSHED_LINES: usize = 40;

macro_rules! named {
    ($(#[$about:meta])* $type:ident: $($(#[$of:meta])* $variant:ident = $name:literal,)+) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum $type {
            $($(#[$of])* $variant,)+
        }

        impl $type {
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            pub fn parse(text: &str) -> Option<Self> {
                [$(Self::$variant),+].into_iter().find(|known| known.as_str() == text)
            }
        }
    };
}

named! {
    /// How an entry is told.
    KnowledgeStore:
    /// All of it stands in every prompt.
    Memory = "memory",
    /// Its title stands in every prompt; the agent reads the page when it wants it.
    Scratchpad = "scratchpad",
}

named! {
    /// What an entry counts as.
    EntryState:
    /// It is in force: agents are told it.
    Kept = "kept",
    /// It waits for its person, and no agent is told it.
    Proposed = "proposed",
    /// It was deleted, or what was proposed was discarded.
    Gone = "gone",
}

named! {
    EntryAuthor:
    Person = "person",
    Agent = "agent",
    /// A summary of a conversation left it.
    Flush = "flush",
}

named! {
    /// What a version does to its entry.
    EntryAction:
    Write = "write",
    Delete = "delete",
}

named! {
    VersionState:
    /// It is or was in force.
    Kept = "kept",
    Proposed = "proposed",
    /// Its person discarded it, or a later version came before they looked.
    Discarded = "discarded",
}

/// What a version says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EntryText {
    /// Of a page; a memory has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub body: String,
    /// It stands before others.
    #[serde(default)]
    pub pinned: bool,
    /// Until when it counts.
    #[serde(default)]
    pub until: Option<Timestamp>,
}

/// Who made a version, and where. Set by the program, never taken from words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EntryOrigin {
    pub by: EntryAuthor,
    pub agent_id: Option<AgentId>,
    pub session_id: Option<SessionId>,
    pub turn_id: Option<TurnId>,
    pub call_id: Option<CallId>,
    pub at: Timestamp,
}

impl EntryOrigin {
    /// Of a person who changes it themself.
    pub const fn person(at: Timestamp) -> Self {
        Self { by: EntryAuthor::Person, agent_id: None, session_id: None, turn_id: None, call_id: None, at }
    }
}

/// One state of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EntryVersion {
    pub version: u64,
    pub action: EntryAction,
    pub state: VersionState,
    #[serde(flatten)]
    pub text: EntryText,
    /// Of the words; what is in force is always trusted.
    pub label: Label,
    pub origin: EntryOrigin,
}

/// Something that agents remember of a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KnowledgeEntry {
    pub id: EntryId,
    /// Whose it is; not part of the public object.
    #[serde(skip_serializing)]
    pub user_id: UserId,
    pub store: KnowledgeStore,
    /// By which people and agents name it; of each store a person has 1, 2, 3, …, and none twice.
    pub number: u64,
    pub state: EntryState,
    /// Its person wrote it or kept it: an agent can only propose a change.
    pub by_person: bool,
    /// What is in force; what is proposed, where nothing is in force yet.
    #[serde(flatten)]
    pub text: EntryText,
    pub label: Label,
    /// That of `text`.
    pub version: u64,
    /// The version that waits for its person.
    pub proposal: Option<u64>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl KnowledgeEntry {
    /// Is it in force at this time?
    pub fn is_told_at(&self, now: Timestamp) -> bool {
        self.state == EntryState::Kept && self.text.until.is_none_or(|until| until > now)
    }
}

/// A memory as agents are told it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldMemory {
    pub number: u64,
    pub pinned: bool,
    pub until: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub body: String,
}

/// A page as agents are told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldPage {
    pub number: u64,
    pub pinned: bool,
    pub until: Option<Timestamp>,
    pub title: String,
}

/// What is in force, each newest first and pinned ones before others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToldKnowledge {
    /// How often what the person has was changed.
    pub version: u64,
    pub memories: Vec<ToldMemory>,
    pub pages: Vec<ToldPage>,
    /// More that were not read.
    pub more_memories: u64,
    pub more_pages: u64,
}

/// Why nothing was written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntryRefusal {
    #[error("there is no such entry")]
    NotFound,
    #[error("an entry says so already")]
    SaidAlready { store: KnowledgeStore, number: u64 },
    #[error("this person has as many entries as there may be")]
    TooMany,
    #[error("the agents of this person have written down as much as they may in a day")]
    TooManyToday,
    #[error("as much waits for this person as may wait")]
    TooManyProposals,
    /// What its person looked at is not what waits now.
    #[error("it was changed meanwhile")]
    Changed,
    #[error("there is nothing before it")]
    NothingBefore,
}

/// THREAT[memory-01] Must its person look at it before it counts? The words of others never become memory by themselves, and no
/// agent changes what its person wrote or kept, whatever it was told. `by_person`: they wrote or kept what would be changed.
pub const fn must_be_reviewed(by: EntryAuthor, label: Label, by_person: bool) -> bool {
    matches!(by, EntryAuthor::Agent) && (matches!(label.integrity, crate::Integrity::Untrusted) || by_person)
}

/// What two entries that say the same have in common: letters in small, no punctuation, one space between words. A sign that touches
/// a digit stays, because it may change what is said.
pub fn same_words(text: &str) -> String {
    let characters: Vec<char> = text.to_lowercase().chars().collect();
    let is_digit = |place: Option<usize>| {
        place.and_then(|place| characters.get(place)).is_some_and(|character| character.is_numeric())
    };
    let kept = characters.iter().enumerate().map(|(place, character)| {
        let touches_digit = is_digit(place.checked_sub(1)) || is_digit(place.checked_add(1));
        let stays = character.is_alphanumeric() || (touches_digit && !character.is_whitespace());
        if stays { *character } else { ' ' }
    });
    let kept: String = kept.collect();
    let words: Vec<&str> = kept.split_whitespace().collect();
    // Nothing but signs: then they are what is said.
    if words.is_empty() { text.trim().to_owned() } else { words.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_said_or_a_person_wrote_is_reviewed() {
        let (trusted, untrusted) = (Label::TRUSTED_PRIVATE, Label::WORST);
        let table = [
            (EntryAuthor::Agent, trusted, false, false),
            (EntryAuthor::Agent, untrusted, false, true),
            (EntryAuthor::Agent, trusted, true, true),
            (EntryAuthor::Agent, Label::UNTRUSTED_COMMON, false, true),
            (EntryAuthor::Flush, untrusted, false, false),
            (EntryAuthor::Person, trusted, true, false),
            (EntryAuthor::Person, untrusted, true, false),
        ];
        for (by, label, by_person, reviewed) in table {
            assert_eq!(must_be_reviewed(by, label, by_person), reviewed, "{by:?} {label:?} {by_person}");
        }
    }

    #[test]
    fn the_same_words_are_the_same_however_they_are_written() {
        for (one, other) in [
            ("Bins go out on Tuesday.", "bins go out, on TUESDAY"),
            ("“Mum”: call her!", "mum  call her"),
            ("Straße", "STRASSE"),
        ] {
            let same = one != "Straße";
            assert_eq!(same_words(one) == same_words(other), same, "{one} / {other}");
        }
        for (one, other) in [("1.5 mg", "15 mg"), ("code 3-5", "code 35"), ("-5 °C", "5 °C"), ("!!", "??")]
        {
            assert_ne!(same_words(one), same_words(other));
        }
        assert_eq!(same_words("…"), "…");
    }
}
