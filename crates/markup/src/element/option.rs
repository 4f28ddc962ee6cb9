//! One choice of a prompt.

use super::{Content, ElementSpec};

pub(super) const SPEC: ElementSpec = ElementSpec {
    name: "option",
    aliases: &["opt"],
    about: "is one choice of an <hml-prompt>",
    content: Content::Raw,
    part_of: Some("hml-prompt"),
    ..ElementSpec::DEFAULT
};
