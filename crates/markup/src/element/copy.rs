//! Text with a button that copies it.

use super::{Content, ElementSpec, attribute};

pub(super) const SPEC: ElementSpec = ElementSpec {
    name: "copy",
    about: "shows a button that copies its content",
    example: r#"<copy label="Copy the address">12 Station Road</copy>"#,
    attributes: &[attribute("label", "what the button says")],
    content: Content::Raw,
    ..ElementSpec::DEFAULT
};
