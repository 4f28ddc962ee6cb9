//! Elements: what starts, grows, completes and fails.

use crate::told::told;

#[test]
fn text_before_and_after_an_element_is_told_in_order() {
    // HERO-01
    assert_eq!(
        told("Hi <websearch>boots</websearch> bye"),
        [
            r#"text "Hi ""#,
            "start e1 websearch runs",
            r#"update e1 "boots""#,
            r#"complete e1 websearch "boots""#,
            r#"call e1 @system:websearch {"query":"boots"}"#,
            r#"text " bye""#,
        ]
    );
}

#[test]
fn children_have_a_parent_and_keep_their_content() {
    // HERO-02
    assert_eq!(
        told(r#"<todo title="T"><item status="completed">A</item><item>B</item></todo>"#),
        [
            r#"start e1 todo title="T""#,
            r#"start e2 item in e1 status="completed""#,
            r#"update e2 "A""#,
            r#"complete e2 item "A""#,
            "start e3 item in e1",
            r#"update e3 "B""#,
            r#"complete e3 item "B""#,
            r#"complete e1 todo """#,
        ]
    );
}

#[test]
fn a_closing_tag_closes_what_is_open_above_it_with_one_error() {
    // HERO-03
    assert_eq!(
        told("<todo><item>x</todo>"),
        [
            "start e1 todo",
            "start e2 item in e1",
            r#"update e2 "x""#,
            "error e2 Element <item> implicitly closed by </todo>",
            r#"complete e1 todo """#,
        ]
    );
}

#[test]
fn an_element_without_an_end_fails_once_and_runs_nothing() {
    // HERO-04
    assert_eq!(
        told("<bash>ls"),
        ["start e1 bash runs", r#"update e1 "ls""#, "error e1 Unclosed element at end of stream"]
    );
}

#[test]
fn a_closing_tag_that_closes_nothing_is_an_error_without_an_id() {
    // HERO-05
    assert_eq!(
        told("a</bash>b"),
        [r#"text "a""#, "error Closing tag </bash> without matching opening tag", r#"text "b""#]
    );
}

#[test]
fn a_tag_that_closes_itself_is_complete_and_empty() {
    // HERO-06
    assert_eq!(
        told(r#"<progress value="3" max="10"/>x"#),
        [r#"start e1 progress value="3" max="10""#, r#"complete e1 progress """#, r#"text "x""#]
    );
    assert_eq!(told("<progress value=3/>x")[0], r#"start e1 progress value="3""#);
}

#[test]
fn unknown_tags_and_longer_names_are_text_byte_for_byte() {
    // HERO-07, HERO-08
    for text in [
        "<foo>x</foo>",
        "<linkage>x</linkage>",
        "a < b <",
        "<<<>>>",
        "</",
        "<bash",
        "<bash a=\"1",
        "< bash>x",
    ] {
        assert_eq!(told(text), [format!("text {text:?}")], "{text:?}");
    }
}

#[test]
fn names_are_known_in_any_case() {
    // HERO-09
    assert_eq!(told("<BASH>ls</Bash>")[2], r#"complete e1 bash "ls""#);
}
