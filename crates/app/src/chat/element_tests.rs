use super::*;
use serde_json::json;

fn view(kind: &str, attributes: Value, content: &str) -> ElementView {
    ElementView { kind: kind.to_owned(), attributes, content: content.to_owned(), begins: false }
}

fn lines(view: &ElementView) -> String {
    view.lines(Look::plain()).unwrap_or_default()
}

#[test]
fn each_element_has_its_form() {
    let title = ElementView { begins: true, ..view("todo", json!({ "title": "Trip" }), "") };
    assert_eq!(lines(&title), "Trip");
    assert_eq!(lines(&view("item", json!({ "status": "completed" }), "Pack")), "  ☑ Pack");
    assert_eq!(lines(&view("item", json!({ "status": "in_progress" }), "Pack")), "  ◐ Pack");
    assert_eq!(lines(&view("item", json!({}), "Pack")), "  ☐ Pack");
    assert_eq!(
        lines(&view("progress", json!({ "value": "3", "max": "10" }), "Reading")),
        "Reading ██████░░░░░░░░░░░░░░ 30 %"
    );
    assert_eq!(
        lines(&view("progress", json!({ "value": "x", "max": "0" }), "")),
        "Progress ░░░░░░░░░░░░░░░░░░░░ 0 %"
    );
    assert_eq!(lines(&view("link", json!({ "href": "https://a.example" }), "A")), "↗ A <https://a.example>");
    assert_eq!(
        lines(&view("copy", json!({ "label": "Address" }), "12 Road\nTown")),
        "┌ Address\n│ 12 Road\n│ Town\n└"
    );
    assert_eq!(
        lines(&view("result", json!({ "for": "backup", "status": "error" }), "no")),
        "┌ ✗ backup\n│ no\n└"
    );
    assert_eq!(lines(&view("bash", json!({}), "ls")), "$ ls");
    let prompt =
        view("hml-prompt", json!({ "options": r#"[{"value":"r","label":"Red"},{"value":"b"}]"# }), "Colour?");
    assert_eq!(lines(&prompt), "? Colour?\n  1. Red\n  2. b");
}

#[test]
fn a_question_has_numbers_and_says_what_happens_without_an_answer() {
    let asked = AskedQuestion {
        question: "Go on?".to_owned(),
        options: vec!["yes".to_owned(), "no".to_owned()],
        default: Some("no".to_owned()),
        timeout_ms: Some(30_000),
    };
    assert_eq!(
        asked.lines(Look::plain()),
        "? Go on?\n  1. yes\n  2. no\n  (after 30 seconds without an answer: no)"
    );
}

#[test]
fn nothing_of_an_element_moves_the_terminal() {
    let hostile = "\u{1b}[2J\u{9b}31m\r\u{202e}";
    let kinds = [
        "item",
        "progress",
        "link",
        "copy",
        "thinking",
        "result",
        "bash",
        "websearch",
        "hml-prompt",
        "response",
        "other",
    ];
    for kind in kinds {
        let attributes = json!({
            "title": hostile, "status": hostile, "href": hostile, "label": hostile, "for": hostile, "options": hostile,
        });
        let shown = lines(&view(kind, attributes, hostile));
        let moves = |letter: char| (letter.is_control() && letter != '\n') || letter == '\u{202e}';
        assert!(!shown.contains(moves), "{kind}: {shown:?}");
    }
    let begun = ElementView { begins: true, ..view("todo", json!({ "title": hostile }), "") };
    assert!(!lines(&begun).contains('\u{1b}'));
    let asked = AskedQuestion {
        question: hostile.to_owned(),
        options: vec![hostile.to_owned()],
        default: Some(hostile.to_owned()),
        timeout_ms: Some(1),
    };
    assert!(!asked.lines(Look::plain()).contains('\u{1b}'));
}
