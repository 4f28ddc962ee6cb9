//! The answer that was given to a prompt.

use super::{Content, ElementSpec};

pub(super) const SPEC: ElementSpec = ElementSpec {
    name: "response",
    about: "holds the recorded answer inside an <hml-prompt>; the server writes it",
    // The answer is a person's: nothing in it is markup, and no backtick of theirs makes the rest of the reply code.
    content: Content::Raw,
    ..ElementSpec::DEFAULT
};
