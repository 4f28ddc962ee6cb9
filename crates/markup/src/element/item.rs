//! One task of a list.

use super::{ElementSpec, attribute};

pub(super) const SPEC: ElementSpec = ElementSpec {
    name: "item",
    about: "is one task inside a <todo>",
    example: r#"<item status="in_progress">Pack</item>"#,
    attributes: &[attribute("status", "pending, in_progress or completed")],
    ..ElementSpec::DEFAULT
};
