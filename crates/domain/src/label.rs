//! What is known of a value's origin. Labels only ever get worse by joining; lowering one is a person's act.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Integrity {
    Trusted,
    Untrusted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Confidentiality {
    Public,
    Private,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Label {
    pub integrity: Integrity,
    pub confidentiality: Confidentiality,
}

impl Label {
    /// A person's own words.
    pub const TRUSTED_PUBLIC: Self =
        Self { integrity: Integrity::Trusted, confidentiality: Confidentiality::Public };

    /// Nothing good is known of it.
    pub const WORST: Self =
        Self { integrity: Integrity::Untrusted, confidentiality: Confidentiality::Private };

    /// The worst of both.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self {
            integrity: self.integrity.max(other.integrity),
            confidentiality: self.confidentiality.max(other.confidentiality),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_keeps_the_worst_of_each() {
        let untrusted = Label { integrity: Integrity::Untrusted, ..Label::TRUSTED_PUBLIC };
        let private = Label { confidentiality: Confidentiality::Private, ..Label::TRUSTED_PUBLIC };
        let both = Label { integrity: Integrity::Untrusted, confidentiality: Confidentiality::Private };
        assert_eq!(untrusted.join(private), both);
        assert_eq!(private.join(untrusted), both);
        assert_eq!(both.join(Label::TRUSTED_PUBLIC), both);
    }
}
