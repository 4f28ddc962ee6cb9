//! Dead zones: where text is code or a quotation, nothing is markup.

use crate::told::told;

/// Forms that do something where they are alive.
const FORMS: [&str; 4] = [
    "<bash>ls</bash>",
    "<copy/>",
    r#"<interaction>{"interaction_id":"a","target_id":"@system","target_property":"help"}</interaction>"#,
    r#"<tool_use name="x">{}</tool_use>"#,
];

/// Each form in each frame is plain text.
fn all_dead(frames: &[&str]) {
    for form in FORMS {
        for frame in frames {
            let text = frame.replace('%', form);
            assert_eq!(told(&text), [format!("text {text:?}")], "{text}");
        }
    }
}

/// Each form in each frame does something: the control of [`all_dead`].
fn all_alive(frames: &[&str]) {
    for form in FORMS {
        for frame in frames {
            let text = frame.replace('%', form);
            assert!(told(&text).iter().any(|line| !line.starts_with("text")), "{text}");
        }
    }
}

#[test]
fn nothing_lives_in_code_fences() {
    // HERO-46, HERO-16, TIDGI-10
    all_dead(&[
        "```\n%\n```\n",
        "```html\n%",
        "~~~\n%\n~~~",
        "`````\n```\n%\n`````",
        "~~~~\n~~~\n%\n",
        "   ```\n%\n   ```",
        "```\n\n%\n\n```\n",
        "```\n    ```\n%\n```",
        "```\n``` x\n%\n```",
        "```\n~~~\n%\n```",
        "- ```\n  %\n  ```",
        "1. a\n\n   ```\n   %\n   ```",
        "text\n```\n%\n```",
        "```\r\n%\r\n```\r\n",
        "a `b\n\n```\n%\n```",
    ]);
    all_alive(&[
        "```\nx\n```\n%",
        "~~~\nx\n~~~\n%",
        "```\nx\n`````\n%",
        "   ```\nx\n  ```  \n%",
        "``` x ``` %",
    ]);
}

#[test]
fn nothing_lives_in_inline_code() {
    // HERO-46
    all_dead(&[
        "`%`",
        "a `%` b",
        "``%``",
        "`` ` % ``",
        "a ` b %",
        "a ` b\n%",
        "a ` b\nc\n%",
        "- a ` b %",
        "# a ` b %",
        "`a\n%`",
        "\\`%",
        "``` a ` %",
        "``` % ```",
    ]);
    all_alive(&[
        "`a` %",
        "``a`` %",
        "a ` b\n\n%",
        "a ` b\n- %",
        "a ` b\n# %",
        "# a ` b\n%",
        "a ```b\n```\n%",
    ]);
}

#[test]
fn nothing_lives_in_indented_code() {
    // HERO-46
    all_dead(&[
        "    %",
        "\t%",
        "a\n\n    %",
        "# a\n    %",
        "    a\n    %",
        "- a\n\n      %",
        "-     %",
        "```\n```\n    %",
    ]);
    all_alive(&[
        "   %",
        "a\n    %",
        "a\nb\n        %",
        "- a\n    %",
        "- a\n\n    %",
        "10. a\n\n       %",
        "- a\n  - b\n\n      %",
        "<thinking>\n    %</thinking>",
        "<thinking>a\n\n\t%</thinking>",
    ]);
}

#[test]
fn nothing_lives_in_a_quotation() {
    // HERO-46
    all_dead(&["> %", ">%", "   > %", "> a\n> %", "- > %", "> ```\n> %"]);
    all_alive(&["> a\n\n%", "a > %"]);
}

#[test]
fn the_content_of_some_elements_is_raw() {
    // HERO-64
    for name in ["bash", "websearch", "ask", "copy"] {
        let content = "a `b\n```\n    <todo> </x> <item>c</item> <bash <";
        let text = format!("<{name}>{content}</{name}>%<copy/>");
        let lines = told(&text);
        assert_eq!(lines[1], format!("update e1 {content:?}"));
        assert!(lines[2].starts_with(&format!("complete e1 {name}")), "{lines:?}");
        assert_eq!(lines.last().unwrap(), r#"complete e2 copy """#, "what follows lives");
    }
    assert_eq!(told("<bash>a</BASH\n>")[2], r#"complete e1 bash "a""#);
    assert_eq!(
        told("<item>`</item>`</item>")[2],
        r#"complete e1 item "`</item>`""#,
        "others have dead zones"
    );
}
