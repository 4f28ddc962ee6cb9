//! A link.

use super::{ElementSpec, attribute};

pub(super) const SPEC: ElementSpec = ElementSpec {
    name: "link",
    about: "shows a link; its content is the label",
    example: r#"<link href="https://example.org/timetable">The timetable</link>"#,
    attributes: &[attribute("href", "where it leads")],
    ..ElementSpec::DEFAULT
};
