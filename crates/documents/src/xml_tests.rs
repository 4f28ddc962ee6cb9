use super::*;
use crate::Limits;

fn said(text: &str) -> (Vec<String>, bool) {
    let mut remaining = Remaining::new(&Limits { depth: 4, ..Limits::default() });
    let mut xml = Xml::new(text);
    let mut said = Vec::new();
    while let Some(event) = xml.next(&mut remaining) {
        said.push(match event {
            XmlEvent::Open(tag) => format!("<{} {}", tag.name(), tag.get("id").unwrap_or_default()),
            XmlEvent::Close(name) => format!("/{name}"),
            XmlEvent::Words(words) => words,
        });
    }
    (said, xml.broken)
}

#[test]
fn events_have_names_without_prefixes_and_words_as_they_are_read() {
    let (events, broken) =
        said("<?xml version='1.0'?><w:a r:id='x &amp; y'>1 &lt; 2<b/><![CDATA[<c>]]>&#x41;&unknown;</w:a>");
    assert_eq!(events, ["<a x & y", "1 ", "<", " 2", "<b ", "/b", "<c>", "A", "/a"]);
    assert!(!broken);
}

#[test]
fn what_is_too_deep_or_breaks_off_says_so() {
    assert!(said("<a><b><c><d><e/></d></c></b></a>").1);
    assert!(said("<a><b>").1);
    assert!(said("<a></b>").1);
}
