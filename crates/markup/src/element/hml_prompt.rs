//! A question in the middle of a reply, with a field to answer it.

use super::{AttributeSpec, ElementSpec, attribute};

const ATTRIBUTES: &[AttributeSpec] = &[
    attribute("id", "your own name for it, needed to record the answer"),
    attribute("type", "text, number, color, checkbox, checkboxes, radio, select or range"),
    attribute("options", r#"for a choice: a JSON list of {"value", "label"}; or an <option> each"#),
    attribute("default", "what the field begins with"),
    attribute("min", "for number and range"),
    attribute("max", "for number and range"),
    attribute("step", "for number and range"),
];

pub(super) const SPEC: ElementSpec = ElementSpec {
    name: "hml-prompt",
    aliases: &["user-prompt", "user_prompt"],
    about: "asks a question inside your text without waiting; the person may answer it later",
    example: r#"<hml-prompt id="colour" type="radio">Which colour?<option value="r">Red</option><option value="b">Blue</option></hml-prompt>"#,
    attributes: ATTRIBUTES,
    ..ElementSpec::DEFAULT
};
