//! The answer that was given to a prompt.

use super::ElementSpec;

pub(super) const SPEC: ElementSpec = ElementSpec {
    name: "response",
    about: "holds the recorded answer inside an <hml-prompt>; the server writes it",
    ..ElementSpec::DEFAULT
};
