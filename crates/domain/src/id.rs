//! Typed identifiers: a UUIDv7 behind a prefix that says what it names (`session_0198…`).

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{borrow::Cow, fmt, str::FromStr};
use uuid::Uuid;

/// Why a string is not an id of the kind that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this is not a {expected} id, which looks like {expected}_ followed by 32 hexadecimal digits")]
pub struct IdError {
    pub expected: &'static str,
}

/// What a byte is worth as a hexadecimal digit; `NONE` for every byte that is none.
const DIGITS: [u8; 256] = {
    let mut digits = [NONE; 256];
    let mut value = 0;
    while value < 16 {
        digits[b"0123456789abcdef"[value] as usize] = value as u8;
        value += 1;
    }
    digits
};
const NONE: u8 = 0xF0;

/// There is exactly one spelling of an id, so that it compares equal wherever it is kept as text. Every row that is read has some.
fn uuid_of(hex: &str) -> Option<Uuid> {
    let digits: &[u8; 32] = hex.as_bytes().try_into().ok()?;
    let (mut bytes, mut seen) = ([0; 16], 0);
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let &[high, low] = pair else { return None };
        let (high, low) = (DIGITS[usize::from(high)], DIGITS[usize::from(low)]);
        seen |= high | low;
        *byte = high << 4 | low;
    }
    (seen & NONE == 0).then(|| Uuid::from_bytes(bytes))
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Uuid);

        impl $name {
            pub const PREFIX: &'static str = $prefix;

            /// Wraps a UUID. The crate that makes ids owns the clock and the randomness; this one has neither.
            pub const fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }

            pub const fn as_uuid(&self) -> &Uuid {
                &self.0
            }

            /// Shows its text without a string of its own: ids are written many times in a turn.
            fn with_text<T>(&self, then: impl FnOnce(&str) -> T) -> T {
                let mut text = [0_u8; concat!($prefix, "_").len() + 32];
                let (prefix, digits) = text.split_at_mut(concat!($prefix, "_").len());
                prefix.copy_from_slice(concat!($prefix, "_").as_bytes());
                self.0.as_simple().encode_lower(digits);
                then(std::str::from_utf8(&text).unwrap_or_default())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.with_text(|text| f.write_str(text))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                let hex = text.strip_prefix(concat!($prefix, "_"));
                hex.and_then(uuid_of).map(Self).ok_or(IdError { expected: $prefix })
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.with_text(|text| serializer.serialize_str(text))
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                let pattern = concat!("^", $prefix, "_[0-9a-f]{32}$");
                let example = concat!($prefix, "_01980000000070008000000000000001");
                json_schema!({ "type": "string", "pattern": pattern, "examples": [example] })
            }
        }
    };
}

id!(
    /// A person with a login.
    UserId, "user");
id!(
    /// A key a program uses instead of a login.
    ApiKeyId, "key");
id!(
    /// One place where a person is signed in.
    LoginId, "login");
id!(
    /// A configured mind.
    AgentId, "agent");
id!(
    /// One durable conversation with an agent.
    SessionId, "session");
id!(
    /// One entry of a session's transcript.
    MessageId, "message");
id!(
    /// All the work that one input causes.
    TurnId, "turn");
id!(
    /// Something that came in and must be worked on.
    InputId, "input");
id!(
    /// The agent's request to run a tool.
    CallId, "call");
id!(
    /// A question to a person, for whose answer a call waits.
    QuestionId, "question");
id!(
    /// A request to a person: may this call run?
    ApprovalId, "approval");
id!(
    /// What people said about a tool, for longer than one call.
    RuleId, "rule");
id!(
    /// One request to a model, with what it cost.
    ModelCallId, "modelcall");
id!(
    /// A file that a person handed in.
    UploadId, "upload");
id!(
    /// Something that a person wrote for their agents.
    AbilityId, "ability");
id!(
    /// A folder of conversations.
    FolderId, "folder");
id!(
    /// A prompt that a person keeps under a name of their own.
    SavedPromptId, "prompt");
id!(
    /// Something that agents remember of a person.
    EntryId, "entry");
id!(
    /// A link that shows a session to other people of the server.
    SessionLinkId, "link");
id!(
    /// A link by which a person creates their account or chooses a password.
    AccountLinkId, "invitation");
id!(
    /// What an agent does at its times.
    ScheduleId, "schedule");
id!(
    /// One running instance of the program; leases name it.
    NodeId, "node");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_survives_text_and_json() {
        let id = SessionId::from_uuid(Uuid::from_u128(0x0198_0000_0000_7000_8000_0000_0000_0001));
        assert_eq!(id.to_string(), "session_01980000000070008000000000000001");
        assert_eq!(id.to_string().parse::<SessionId>().unwrap(), id);
        assert_eq!(serde_json::from_str::<SessionId>(&serde_json::to_string(&id).unwrap()).unwrap(), id);
    }

    #[test]
    fn other_spellings_of_an_id_are_refused() {
        for bad in [
            "",
            "session_",
            "agent_01980000000070008000000000000001",
            "session_0198000000007000800000000000000",
            "session_01980000000070008000000000000001 ",
            "session_0198000000007000800000000000000G",
            "session_0198000000007000800000000000000A",
            "session_01980000-0000-7000-8000-000000000001",
            "SESSION_01980000000070008000000000000001",
        ] {
            assert!(bad.parse::<SessionId>().is_err(), "{bad:?} was accepted");
        }
    }
}
