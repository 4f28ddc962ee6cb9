//! With whom an agent is shared.

use crate::UserId;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{borrow::Cow, fmt, str::FromStr};

/// One entry of `shared_with`: a person, or `*` for all people of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Share {
    Everybody,
    User(UserId),
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everybody => f.write_str("*"),
            Self::User(id) => id.fmt(f),
        }
    }
}

/// What is neither `*` nor the id of a user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an agent can be shared with \"*\" or with the id of a user")]
pub struct ShareError;

impl FromStr for Share {
    type Err = ShareError;

    fn from_str(text: &str) -> Result<Self, ShareError> {
        match text {
            "*" => Ok(Self::Everybody),
            id => id.parse().map(Self::User).map_err(|_| ShareError),
        }
    }
}

impl Serialize for Share {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Share {
    fn schema_name() -> Cow<'static, str> {
        "Share".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": r"^(\*|user_[0-9a-f]{32})$", "examples": ["*"] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_a_star_or_a_user() {
        let user = "user_01980000000070008000000000000001";
        for text in ["*", user] {
            let share: Share = serde_json::from_value(text.into()).unwrap();
            assert_eq!(serde_json::to_value(share).unwrap(), text);
        }
        for bad in ["", "**", "Ada", "agent_01980000000070008000000000000001"] {
            assert_eq!(bad.parse::<Share>(), Err(ShareError), "{bad}");
        }
    }
}
