//! The cursor by which a reader resumes.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, fmt, str::FromStr};

/// Where a reader is: the highest durable `seq` it has, and how many live bytes of the open message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    pub seq: u64,
    pub offset: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("A cursor must be a number, or two numbers joined by a dot, for instance 41 or 41.1380.")]
pub struct CursorError;

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.seq, self.offset)
    }
}

impl FromStr for Cursor {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Self, CursorError> {
        let number = |digits: &str| {
            // `u64::from_str` would take a leading plus.
            let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            if plain { digits.parse().map_err(|_| CursorError) } else { Err(CursorError) }
        };
        match text.split_once('.') {
            Some((seq, offset)) => Ok(Self { seq: number(seq)?, offset: number(offset)? }),
            None => Ok(Self { seq: number(text)?, offset: 0 }),
        }
    }
}

impl Serialize for Cursor {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Cursor {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Cursor {
    fn schema_name() -> Cow<'static, str> {
        "Cursor".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": r"^[0-9]+(\.[0-9]+)?$",
            "description": "where a reader is: the `seq` of the newest event it has and, after a dot, how many bytes \
                            of the open message",
            "examples": ["41.1380"],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_parse_strictly() {
        assert_eq!("41".parse::<Cursor>().unwrap(), Cursor { seq: 41, offset: 0 });
        assert_eq!("41.1380".parse::<Cursor>().unwrap(), Cursor { seq: 41, offset: 1380 });
        for bad in ["", ".", "1.", ".1", "-1", "+1", "1.2.3", "x", " 1", "99999999999999999999"] {
            assert!(bad.parse::<Cursor>().is_err(), "{bad:?} was accepted");
        }
    }
}
