//! A list of tasks.

use super::{ElementSpec, attribute};

pub(super) const SPEC: ElementSpec = ElementSpec {
    name: "todo",
    about: "shows a list of tasks, each one an <item>",
    example: r#"<todo title="Trip"><item status="completed">Book the train</item><item>Pack</item></todo>"#,
    attributes: &[attribute("title", "the heading of the list")],
    ..ElementSpec::DEFAULT
};
