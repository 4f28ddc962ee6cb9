//! The batch form of a message: the result of each executed element stands where the element stood.

use crate::{ElementId, Options, derive, entity};

/// What came of an executed element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementResult<'a> {
    pub id: ElementId,
    pub ok: bool,
    pub content: &'a str,
}

/// The text with each of these elements replaced, by its position, by a `<result>` block.
pub fn with_results(text: &str, options: Options, results: &[ElementResult<'_>]) -> String {
    let elements = derive::elements(text, options);
    let mut written = String::with_capacity(text.len());
    let mut from = 0;
    for element in &elements {
        let result = results.iter().find(|result| result.id == element.id);
        let (Some(result), Some(closing)) = (result, element.closing) else { continue };
        if element.opening.start < from {
            continue;
        }
        let status = if result.ok { "success" } else { "error" };
        written.push_str(text.get(from..element.opening.start).unwrap_or_default());
        written.push_str(&format!(
            r#"<result for="{}" status="{status}">{}</result>"#,
            element.kind,
            entity::encode_content(result.content)
        ));
        from = closing.end;
    }
    written.push_str(text.get(from..).unwrap_or_default());
    written
}
