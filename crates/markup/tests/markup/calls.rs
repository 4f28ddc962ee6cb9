//! Interactions in their three spellings, tool patterns, and who asks.

use crate::told::told;

fn calls(text: &str) -> Vec<String> {
    told(text).into_iter().filter(|line| line.starts_with("call")).collect()
}

fn is_text(text: &str) {
    assert_eq!(told(text), [format!("text {text:?}")], "{text}");
}

fn interaction(id: &str) -> String {
    format!(r#"{{"interaction_id":"{id}","target_id":"@system","target_property":"help"}}"#)
}

#[test]
fn interactions_come_in_order() {
    // HERO-13
    let text = format!("a <interaction>{}</interaction> b", interaction("x"));
    assert_eq!(told(&text), [r#"text "a ""#, "call x @system:help {}", r#"text " b""#]);
    let text = format!(
        "<interaction> {}\n</interaction><interaction>{}</interaction>",
        interaction("x"),
        interaction("y")
    );
    assert_eq!(calls(&text), ["call x @system:help {}", "call y @system:help {}"]);
}

#[test]
fn what_lacks_an_id_a_target_or_a_property_is_text() {
    // HERO-14
    for broken in [
        r#"{"target_id":"@system","target_property":"help"}"#,
        r#"{"interaction_id":7,"target_id":"@system","target_property":"help"}"#,
        r#"{"interaction_id":"","target_id":"@system","target_property":"help"}"#,
        r#"{"interaction_id":"a","target_property":"help"}"#,
        r#"{"interaction_id":"a","target_id":"@system"}"#,
        "{}",
        "[]",
        "[null]",
        "",
        "x",
        "{a:1}",
        "{\"a\":1,}",
        "{\"a\":\"\n\"}",
        "5",
    ] {
        is_text(&format!("a <interaction>{broken}</interaction> b"));
    }
    is_text("<interaction>{\"interaction_id\":\"a\"");
    is_text("</interaction>");
}

#[test]
fn only_the_valid_ones_of_a_list_are_taken() {
    // HERO-15
    let text = format!("<interaction>[{}, {{\"x\":1}}, null, [], 3]</interaction>", interaction("a"));
    assert_eq!(told(&text), ["call a @system:help {}"]);
}

#[test]
fn a_good_one_after_a_bad_one_is_found() {
    // HERO-17
    for bad in [
        "<interaction>{oops}</interaction>",
        "<interaction>",
        "<interaction>{\"a\": \"",
        "<interaction>{\"a\":1} x",
    ] {
        let text = format!("{bad} <interaction>{}</interaction>", interaction("good"));
        assert_eq!(
            told(&text),
            [format!("text {:?}", format!("{bad} ")), "call good @system:help {}".to_owned()]
        );
    }
}

#[test]
fn a_closing_tag_inside_of_a_string_closes_nothing() {
    // HERO-49
    let closes = "</interaction>".repeat(7);
    let text = format!(
        r#"<interaction>{{"interaction_id":"a","target_id":"@system","target_property":"help","payload":{{"q":"{closes} \" <interaction>"}}}}</interaction>!"#
    );
    let lines = told(&text);
    assert!(lines[0].contains(&closes), "{lines:?}");
    assert_eq!(lines[1..], [r#"text "!""#]);
}

#[test]
fn nothing_in_a_reply_says_who_asks() {
    // HERO-50
    let claims =
        r#""sender_id":1,"senderId":2,"SENDER_ID":3,"source_agent_id":4,"deep":[{"sender_id":5,"kept":6}]"#;
    let expected = r#"{"deep":[{"kept":6}]}"#;
    let json = format!(
        r#"<interaction>{{"sender_id":"owner","interaction_id":"a","target_id":"@system","target_property":"p","payload":{{{claims}}}}}</interaction>"#
    );
    assert_eq!(calls(&json), [format!("call a @system:p {expected}")]);
    assert_eq!(calls(&format!("@system(p, {{{claims}}})")), [format!("call at-1 @system:p {expected}")]);
    assert_eq!(
        calls(&format!("<tool_use name=p>{{{claims}}}</tool_use>")),
        [format!("call call-1 @system:p {expected}")]
    );
    assert_eq!(
        calls(r#"<interaction type=p sender_id="owner" x=1/>"#),
        [r#"call attr-1 @system:p {"x":"1"}"#]
    );
    assert_eq!(calls(r#"<bash sender_id="owner">ls</bash>"#), [r#"call e1 @system:bash {"command":"ls"}"#]);
}

#[test]
fn attributes_make_an_interaction() {
    // HERO-51
    for (text, call) in [
        (
            r#"<interaction type="websearch" id="x" query="q">b</interaction>"#,
            r#"call x @system:websearch {"query":"q"}"#,
        ),
        (
            r#"<interaction type="websearch">the body</interaction>"#,
            r#"call attr-1 @system:websearch {"query":"the body"}"#,
        ),
        (
            r#"<interaction target_property=p interaction_id=i waitFor=1 />"#,
            r#"call i @system:p {"waitFor":"1"}"#,
        ),
        (r#"<interaction type=p target_id="@user"></interaction>"#, "call attr-1 @user:p {}"),
        (r#"<interaction type=p>{not json}</interaction>"#, "call attr-1 @system:p {}"),
        (r#"<interaction type=p>{"a":"</interaction>"}"#, "call attr-1 @system:p {}"),
        (
            r#"<interaction type=p>{"interaction_id":"j","target_id":"@agent","target_property":"q"}</interaction>"#,
            "call j @agent:q {}",
        ),
    ] {
        assert_eq!(calls(text), [call], "{text}");
    }
    assert_eq!(
        told(r#"<interaction type=p>{"a":"</interaction>"}"#)[1],
        r#"text "\"}""#,
        "the rest is read again"
    );
    is_text("<interaction id=x>no type</interaction>");
    is_text("<interaction id=x/>");
}

#[test]
fn an_unknown_target_is_kept_so_that_it_can_be_refused() {
    // HERO-61
    let text =
        r#"<interaction>{"interaction_id":"a","target_id":"@session","target_property":"p"}</interaction>"#;
    assert_eq!(calls(text), ["call a @session:p {}"]);
}

#[test]
fn at_the_beginning_of_a_line_a_target_is_called() {
    // HERO-21, HERO-52
    for (text, call) in [
        ("@system(help, {})", "call at-1 @system:help {}"),
        ("@system(help)", "call at-1 @system:help {}"),
        ("@system( help , )", "call at-1 @system:help {}"),
        ("   @user(ask {question: 'Go?'})", r#"call at-1 @user:ask {"question":"Go?"}"#),
        (
            "a\n@agent(_q1, {a: [1, 2,], /* ) */ 'b': \"(\\\"\", // )\n})",
            r#"call at-1 @agent:_q1 {"a":[1,2],"b":"(\""}"#,
        ),
        ("<thinking>\n@system(help)</thinking>", "call at-1 @system:help {}"),
    ] {
        assert_eq!(calls(text), [call], "{text}");
    }
    for text in [
        "```\n@system(help, {})\n```",
        "    @system(help)",
        "a @system(help)",
        "@system (help)",
        "@System(help)",
        "@session(help)",
        "@systems(help)",
        "@system(1help)",
        "@system(help",
        "@system(help, {a: 1)",
        "@system(help, {a: 1})".trim_end_matches(')'),
        "@system(help, [1])",
        "@system(help, {a: Infinity})",
        "@system(help, {a: nonsense})",
        "@system(help x)",
        "@system()",
        "@@system(help)",
        "- @system(help)",
        "> @system(help)",
    ] {
        is_text(text);
    }
    assert_eq!(told("@system(help) and on"), ["call at-1 @system:help {}", r#"text " and on""#]);
}

#[test]
fn tool_patterns_are_calls_in_document_order() {
    // TIDGI-20, TIDGI-21
    let text = r#"<function_call id='1' name='b'>{}</function_call> <TOOL_USE name="a" x=1>{}</tool_use> <tool_use name=c/>"#;
    assert_eq!(
        calls(text),
        ["call call-1 @system:b {}", "call call-2 @system:a {}", "call call-3 @system:c {}"]
    );
    is_text(r#"<tool_use>{"name":"x"}</tool_use>"#);
    is_text(r#"<tool_use name="">{}</tool_use>"#);
    is_text(r#"<tool_use name="x">{}"#);
    is_text("</tool_use></parallel_tool_calls>");
}

#[test]
fn the_arguments_of_a_pattern_are_read_and_never_evaluated() {
    // TIDGI-24, TIDGI-25
    for (body, arguments) in [
        ("", "{}"),
        (" \n ", "{}"),
        (r#"{"a": 1}"#, r#"{"a":1}"#),
        ("{a: 'b', c: .5,}", r#"{"a":"b","c":0.5}"#),
        ("[1]", r#"{"input":"[1]"}"#),
        ("process.exit(1)", r#"{"input":"process.exit(1)"}"#),
        ("{a: process.exit(1)}", r#"{"input":"{a: process.exit(1)}"}"#),
    ] {
        let text = format!(r#"<tool_use name="x">{body}</tool_use>"#);
        assert_eq!(calls(&text), [format!("call call-1 @system:x {arguments}")]);
    }
    let long = format!("<tool_use name=x>{}</tool_use>", "é".repeat(1001));
    assert_eq!(calls(&long), [format!(r#"call call-1 @system:x {{"input":"{}"}}"#, "é".repeat(1000))]);
}

#[test]
fn calls_that_may_run_together_say_so() {
    // TIDGI-23
    use markup::{Options, Order, read};
    let text = "<tool_use name=a/><parallel_tool_calls>\n<tool_use name=b/><bash>ls</bash></parallel_tool_calls>\
                <tool_use name=c/><parallel_tool_calls><tool_use name=d/>";
    let reading = read(text, Options::default());
    let orders: Vec<Order> = reading.calls.into_iter().map(|call| call.order).collect();
    let together = |group| Order::Together { group };
    assert_eq!(orders, [Order::InTurn, together(1), together(1), Order::InTurn, together(2)]);
    assert_eq!(reading.text, "\n");
}

#[test]
fn a_call_says_where_it_stands() {
    use markup::{Options, read};
    for (text, called) in [
        ("é <bash>ls</bash> b", "<bash>ls</bash>"),
        ("é\n@system(help, {a: 'ü'}) b", "@system(help, {a: 'ü'})"),
        ("é <tool_use name=x>1</tool_use> b", "<tool_use name=x>1</tool_use>"),
        ("é <interaction type=p>{\"a\":\"</interaction>\"}", "<interaction type=p>{\"a\":\"</interaction>"),
    ] {
        let span = read(text, Options::default()).calls[0].span;
        assert_eq!(&text[span.start..span.end], called);
    }
}

#[test]
fn what_ends_the_json_may_be_longer_than_a_byte() {
    use markup::{Options, read, seen_by_next_step};
    let (before, called, after) = ("a ", "<interaction type=p>{\"n</interaction>", "\"é✓😀 b");
    let text = format!("{before}{called}{after}");
    let reading = read(&text, Options::default());
    assert_eq!(reading.text, format!("{before}{after}"));
    let span = reading.calls[0].span;
    assert_eq!(&text[span.start..span.end], called);
    assert_eq!(seen_by_next_step(&text, Options::default()), format!("{before}{after}"));
}

#[test]
fn where_markup_is_only_shown_nothing_is_called() {
    // HERO-65
    use crate::told::told_in_pieces;
    use markup::Options;
    let text = "<bash>ls</bash><interaction type=p/>\n@system(help)<tool_use name=x/>";
    assert_eq!(
        told_in_pieces([text.as_bytes()], Options::display()),
        [
            "start e1 bash",
            r#"update e1 "ls""#,
            r#"complete e1 bash "ls""#,
            r#"text "<interaction type=p/>\n@system(help)<tool_use name=x/>""#,
        ]
    );
    assert_eq!(calls(text).len(), 4, "with markup on, all of them are");
}
