//! Thoughts that a person may unfold.

use super::{ElementSpec, attribute};

pub(super) const SPEC: ElementSpec = ElementSpec {
    name: "thinking",
    about: "shows your reasoning in a block that can be folded",
    example: r#"<thinking title="Plan">First the facts, then the letter.</thinking>"#,
    attributes: &[attribute("title", "the heading of the block")],
    ..ElementSpec::DEFAULT
};
