//! A field of a PATCH: absent leaves it, null takes it back to its default, a value sets it.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Change<T> {
    #[default]
    Keep,
    Reset,
    Set(T),
}

impl<T> Change<T> {
    /// Applies the change; `default` is what null means.
    pub fn apply(self, to: &mut T, default: T) {
        match self {
            Self::Keep => {}
            Self::Reset => *to = default,
            Self::Set(value) => *to = value,
        }
    }
}

/// Serde calls this only when the field is there, so `Keep` is the `#[serde(default)]` of the struct.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for Change<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::<T>::deserialize(deserializer)?.map_or(Self::Reset, Self::Set))
    }
}

/// A value or null; that it may be absent is said by the struct it stands in.
impl<T: JsonSchema> JsonSchema for Change<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Option::<T>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Option::<T>::json_schema(generator)
    }
}
