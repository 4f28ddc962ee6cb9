//! The choices of a prompt as a JSON list.

use super::{Content, ElementSpec};

pub(super) const SPEC: ElementSpec = ElementSpec {
    name: "data",
    about: "lists the choices of an <hml-prompt> as JSON",
    content: Content::Raw,
    part_of: Some("hml-prompt"),
    ..ElementSpec::DEFAULT
};
