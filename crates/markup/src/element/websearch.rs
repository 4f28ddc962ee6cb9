//! Looks something up on the web.

use super::{AttributeSpec, Content, ElementCall, ElementSpec, arguments, attribute};
use crate::Target;

const ATTRIBUTES: &[AttributeSpec] = &[attribute("limit", "how many results")];

pub(super) const SPEC: ElementSpec = ElementSpec {
    name: "websearch",
    about: "searches the web for its content",
    example: r#"<websearch limit="5">best hiking boots for wet weather</websearch>"#,
    attributes: ATTRIBUTES,
    content: Content::Raw,
    call: Some(|attributes, query| ElementCall {
        target: Target::System,
        arguments: arguments(attributes, &["limit"], ("query", query)),
    }),
    ..ElementSpec::DEFAULT
};
