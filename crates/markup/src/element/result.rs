//! What came of something.

use super::{ElementSpec, attribute};

pub(super) const SPEC: ElementSpec = ElementSpec {
    name: "result",
    about: "shows the outcome of something in a box",
    example: r#"<result for="backup" status="success">All 12 files are safe.</result>"#,
    attributes: &[attribute("for", "of what"), attribute("status", "success or error")],
    ..ElementSpec::DEFAULT
};
