//! Runs a command.

use super::{AttributeSpec, Content, ElementCall, ElementSpec, arguments, attribute};
use crate::Target;

const ATTRIBUTES: &[AttributeSpec] =
    &[attribute("cwd", "the directory to run in"), attribute("timeout", "seconds")];

pub(super) const SPEC: ElementSpec = ElementSpec {
    name: "bash",
    about: "runs its content as a shell command",
    example: "<bash>ls -la notes</bash>",
    attributes: ATTRIBUTES,
    content: Content::Raw,
    call: Some(|attributes, command| ElementCall {
        target: Target::System,
        arguments: arguments(attributes, &["timeout"], ("command", command)),
    }),
    ..ElementSpec::DEFAULT
};
