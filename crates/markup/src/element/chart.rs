//! Numbers as a picture.

use super::{Content, ElementSpec, attribute};

pub(super) const SPEC: ElementSpec = ElementSpec {
    name: "chart",
    about: "draws numbers; its content is CSV, the first row names the columns, the first column lies along the bottom",
    example: "<chart kind=\"bar\" title=\"Rain\" unit=\"mm\">Day,Rain\nMon,3\nTue,5</chart>",
    attributes: &[
        attribute("kind", "line, area, bar, stacked or scatter"),
        attribute("title", "what it shows"),
        attribute("unit", "of the numbers"),
        attribute("x", "what lies along the bottom"),
        attribute("y", "what the numbers are"),
    ],
    content: Content::Raw,
    ..ElementSpec::DEFAULT
};
