//! The grammar of attributes.

use crate::told::told;

#[test]
fn attributes_have_a_real_grammar() {
    // HERO-43
    for (tag, attributes) in [
        (r#"<item a="1">"#, r#" a="1""#),
        ("<item a='1'>", r#" a="1""#),
        ("<item a=1>", r#" a="1""#),
        ("<item a>", r#" a="true""#),
        ("<item a b=2 c>", r#" a="true" b="2" c="true""#),
        ("<item data-x=1 x:y.z=2>", r#" data-x="1" x:y.z="2""#),
        (r#"<item a="b > c" d='e > "f"'>"#, r#" a="b > c" d="e > \"f\"""#),
        (
            r#"<item a = "1"	b
= 2>"#,
            r#" a="1" b="2""#,
        ),
        (r#"<item a="1"b="2">"#, r#" a="1" b="2""#),
        (r#"<item A="1" a="2">"#, r#" a="1""#),
        (r#"<item a="">"#, r#" a="""#),
        ("<item a=>", r#" a="""#),
        ("<item a=/x/y>", r#" a="/x/y""#),
        (r#"<item a="&lt;&amp;lt;&#65;&#x42;&quot;&apos;&bogus;&#0;&">"#, r#" a="<&lt;AB\"'&bogus;&#0;&""#),
        ("<item / a>", r#" a="true""#),
        ("<item =a>", r#" =a="true""#),
        ("<item\na='é'>", r#" a="é""#),
    ] {
        assert_eq!(told(tag)[0], format!("start e1 item{attributes}"), "{tag}");
    }
}

#[test]
fn a_slash_before_the_end_closes_the_tag() {
    for tag in
        ["<item/>", "<item />", "<item a/>", "<item a=1/>", "<item a=b/c/>", "<item a='1'/>", "<item a=/>"]
    {
        assert_eq!(told(tag).last().unwrap(), r#"complete e1 item """#, "{tag}");
    }
    assert_eq!(told("<item a=b/c/>")[0], r#"start e1 item a="b/c""#);
}

#[test]
fn what_breaks_off_or_holds_another_tag_is_text() {
    for text in ["<item a=\"1", "<item a='", "<item <foo>", "<item", "<item a", "</item x>", "</item/>"] {
        assert_eq!(told(text), [format!("text {text:?}")]);
    }
    assert_eq!(told("<item <copy/>")[0], r#"text "<item ""#, "what follows a broken tag is read");
}
