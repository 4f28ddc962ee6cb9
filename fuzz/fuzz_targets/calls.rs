//! Whatever the text is, a call stands where it says, claims no person's authority, and every byte is accounted for.
#![no_main]

use libfuzzer_sys::fuzz_target;
use markup::{Options, read, seen_by_next_step};
use serde_json::Value;

/// Whether anything in it says who asks.
fn claims(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(name, inner)| name == "sender_id" || claims(inner)),
        Value::Array(items) => items.iter().any(claims),
        _ => false,
    }
}

fuzz_target!(|text: &str| {
    let reading = read(text, Options::default());
    let mut end = 0;
    for call in &reading.calls {
        assert!(call.span.start < call.span.end && call.span.end <= text.len());
        assert!(call.span.end >= end, "calls come in order");
        end = call.span.end;
        let first = text.as_bytes()[call.span.start];
        assert!(matches!(first, b'<' | b'@'));
        assert!(text.is_char_boundary(call.span.end));
        assert!(!claims(&call.arguments));
    }
    for element in &reading.elements {
        let closing = element.closing.unwrap_or(element.opening);
        assert!(element.opening.start < element.opening.end && closing.end <= text.len());
        assert!(text[element.opening.start..].starts_with('<'));
        assert_eq!(element.content, element.content.trim());
    }
    assert!(reading.text.len() <= text.len());
    let tags = ["</", "<p", "<P"].iter().any(|part| text.contains(part));
    if reading.calls.is_empty() && reading.elements.is_empty() && !tags {
        assert_eq!(reading.text, text, "what is no markup is text, byte for byte");
    }
    let display = read(text, Options::display());
    assert!(display.calls.is_empty());
    let seen = seen_by_next_step(text, Options::default());
    assert!(seen.len() <= text.len());
});
