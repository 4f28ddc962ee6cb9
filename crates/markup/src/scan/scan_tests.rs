//! No text takes more than linear time, and none makes the parser keep more than its limits.

use crate::{Options, Parser, scan::REREAD_ALLOWANCE};

/// Texts that make a careless parser look at everything again and again.
fn hostile(length: usize) -> Vec<(&'static str, String)> {
    let fill = |unit: &str| unit.repeat(length / unit.len());
    vec![
        ("only <", fill("<")),
        ("opening tags", fill("<bash ")),
        ("unclosed quotes", fill("<bash a=\"")),
        ("alternating quotes", fill("<bash a=\"'<bash b='\"")),
        ("nested elements", fill("<todo>")),
        ("closing tags", fill("</todo>")),
        ("half closing tags", fill("</todo ")),
        ("nested then closed", format!("{}{}", fill("<todo><item>"), fill("</todo>"))),
        ("open interactions", fill("<interaction>")),
        ("interactions in strings", fill("<interaction>[\"\",\"")),
        ("interactions with attributes", fill("<interaction type=a>{\"a\":\"")),
        ("deep JSON", format!("<interaction>{}", fill("["))),
        ("open patterns", fill("<tool_use name=x>")),
        ("patterns with JSON", fill("<tool_use name=x>{\"a\":")),
        ("open calls", fill("@system(a, {b: '\n")),
        ("open calls over lines", fill("@system(a, {b: [\n")),
        ("comments", fill("@system(a, {/*\n")),
        ("raw element", format!("<bash>{}", fill("</bas"))),
        ("raw element, spaces", format!("<bash>{}", fill("</bash "))),
        ("backticks", fill("`` ` ")),
        ("fences", fill("```\n~~~\n")),
        ("many attributes", fill(&format!("<item {}>", "a b c d e f g h ".repeat(400)))),
        ("NUL", fill("\0<\0")),
        ("bidi", fill("\u{202e}<bash>\u{202c}</bash>")),
        ("prompts", fill("<hml-prompt id=a><option>")),
        ("groups", fill("<parallel_tool_calls>")),
    ]
}

#[test]
fn hostile_text_is_read_a_bounded_number_of_times() {
    // HERO-67
    const LENGTH: usize = 1 << 20;
    for (name, text) in hostile(LENGTH) {
        let mut parser = Parser::new(Options::default());
        let mut told = 0;
        let mut most_held = 0;
        for piece in text.as_bytes().chunks(1000) {
            parser.push_bytes(piece, |_| told += 1);
            most_held = most_held.max(parser.held.capacity() + parser.stack.len());
        }
        parser.finish(|_| told += 1);
        let limit = 8 * text.len() + REREAD_ALLOWANCE + 2 * parser.options.limits.call;
        assert!(
            parser.rereading.reread <= limit,
            "{name}: {} of {} bytes were read again",
            parser.rereading.reread,
            text.len()
        );
        assert!(most_held <= 4 * parser.options.limits.call, "{name}: {most_held} bytes were held");
        assert!(told <= text.len(), "{name}: {told} events");
    }
}

#[test]
fn without_the_bound_the_same_text_would_be_read_hundreds_of_times() {
    let text = "<tool_use name=x>".repeat(1 << 10);
    let mut parser = Parser::new(Options::default());
    parser.rereading.unbounded = true;
    parser.push(&text, |_| {});
    parser.finish(|_| {});
    assert!(
        parser.rereading.reread > 20 * text.len(),
        "{} of {} bytes were read again",
        parser.rereading.reread,
        text.len()
    );
}
