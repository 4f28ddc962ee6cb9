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
    /// For whom the agent speaks with, and for no others: what it was made of, and what they said themselves.
    Common,
    Private,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Label {
    pub integrity: Integrity,
    pub confidentiality: Confidentiality,
}

impl Label {
    /// What everybody may know and the program itself says. Words of a person are never this.
    pub const TRUSTED_PUBLIC: Self =
        Self { integrity: Integrity::Trusted, confidentiality: Confidentiality::Public };

    /// A person's own words, and what their own agents are told: no other person wrote it, and it is not for everybody.
    pub const TRUSTED_PRIVATE: Self =
        Self { integrity: Integrity::Trusted, confidentiality: Confidentiality::Private };

    /// What others wrote: a page, a plugin, a stranger.
    pub const UNTRUSTED_PUBLIC: Self =
        Self { integrity: Integrity::Untrusted, confidentiality: Confidentiality::Public };

    /// What a peer of a bridge said: others wrote it, and they may hear it again.
    pub const UNTRUSTED_COMMON: Self =
        Self { integrity: Integrity::Untrusted, confidentiality: Confidentiality::Common };

    /// What an agent was made of: its person wrote it, and gave it to the agent to speak with others.
    pub const TRUSTED_COMMON: Self =
        Self { integrity: Integrity::Trusted, confidentiality: Confidentiality::Common };

    /// Of what nothing is known.
    pub const WORST: Self =
        Self { integrity: Integrity::Untrusted, confidentiality: Confidentiality::Private };

    pub fn is_untrusted(self) -> bool {
        self.integrity == Integrity::Untrusted
    }

    /// Is it not for everybody?
    pub fn is_private(self) -> bool {
        self.confidentiality != Confidentiality::Public
    }

    /// Is it for its person alone? Then a peer of a bridge hears it only when that person says so.
    pub fn is_kept_from_peers(self) -> bool {
        self.confidentiality == Confidentiality::Private
    }

    /// As its person has declared it: what it holds stays as private as it was.
    #[must_use]
    pub fn declared_trusted(self) -> Self {
        Self { integrity: Integrity::Trusted, ..self }
    }

    /// The worst of all; of nothing, the best there is.
    pub fn worst(labels: impl IntoIterator<Item = Self>) -> Self {
        labels.into_iter().fold(Self::TRUSTED_PUBLIC, Self::join)
    }

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
    use proptest::prelude::*;

    fn label() -> impl Strategy<Value = Label> {
        proptest::sample::select(vec![
            Label::TRUSTED_PUBLIC,
            Label::TRUSTED_PRIVATE,
            Label::UNTRUSTED_PUBLIC,
            Label::TRUSTED_COMMON,
            Label::UNTRUSTED_COMMON,
            Label::WORST,
        ])
    }

    proptest! {
        #[test]
        fn the_worst_of_many_is_as_bad_as_each_of_them_and_no_worse(
            labels in proptest::collection::vec(label(), 0..20),
            at in any::<prop::sample::Index>(),
        ) {
            let worst = Label::worst(labels.clone());
            let (first, second) = labels.split_at(at.index(labels.len() + 1));
            prop_assert_eq!(worst, Label::worst(first.iter().copied()).join(Label::worst(second.iter().copied())));
            prop_assert_eq!(worst.is_untrusted(), labels.iter().any(|label| label.is_untrusted()));
            prop_assert_eq!(worst.is_private(), labels.iter().any(|label| label.is_private()));
            let kept = labels.iter().any(|label| label.is_kept_from_peers());
            prop_assert_eq!(worst.is_kept_from_peers(), kept);
            for label in labels {
                prop_assert_eq!(worst.join(label), worst);
            }
        }
    }

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
