use super::{Dialect, parse};
use serde_json::{Value, json};

/// Strict JSON is what everybody else takes for JSON, as far as objects and arrays go.
#[test]
fn json_agrees_with_everybody_else() {
    for text in [
        "{}",
        "[]",
        "[1,2]",
        "[1,]",
        "[,]",
        "{\"a\":}",
        "{\"a\":1,}",
        "{\"a\" :\t1}",
        "[01]",
        "[1.]",
        "[.5]",
        "[+1]",
        "[1e5]",
        "[1E+5]",
        "[-0]",
        "[1e]",
        "[-]",
        "[0x1]",
        "[true,false,null]",
        "[truE]",
        "[nul]",
        "[NaN]",
        "[Infinity]",
        "['a']",
        "{a:1}",
        "[\"\\u00e9\\n\\/\"]",
        "[\"\\x41\"]",
        "[\"\\ud83d\\ude00\"]",
        "[\"\t\"]",
        "[\"a\\",
        "[\"é\"]",
        "[1 2]",
        "[[[]]]",
        "[\"a\" \"b\"]",
        "{\"a\":{\"b\":[1,{\"c\":null}]}}",
        "[1]]",
        "[1] x",
        " [1] ",
        "",
        "{",
        "[1e400]",
        "[123456789012345678901]",
        "{\"a\":1,\"a\":2}",
        "/**/[]",
        "[1/**/]",
        "[\"\\u12\"]",
    ] {
        let ours = parse(text, Dialect::Json);
        let theirs =
            serde_json::from_str::<Value>(text).ok().filter(|value| value.is_object() || value.is_array());
        assert_eq!(ours, theirs, "{text}");
    }
}

#[test]
fn json5_allows_what_people_write() {
    for (text, value) in [
        ("{a: 1, 'b': \"c\", $d_1: [1,],}", json!({"a": 1, "b": "c", "$d_1": [1]})),
        ("[0x1F, -0X1f, +1, .5, 5., -.5e1]", json!([31, -31, 1, 0.5, 5, -5.0])),
        ("['it\\'s', 'a\\\nb', \"\\x41\\v\\0\"]", json!(["it's", "ab", "A\u{b}\0"])),
        ("// a\n[1, /* , */ 2] ", json!([1, 2])),
        ("{é: '日'}", json!({"é": "日"})),
    ] {
        assert_eq!(parse(text, Dialect::Json5), Some(value), "{text}");
    }
    for text in [
        "[NaN]",
        "[Infinity]",
        "[,]",
        "{1: 2}",
        "['a\nb']",
        "[1 /* ]",
        "[1.2.3]",
        "[0x]",
        "[--1]",
        "[e5]",
        "5",
        "'a'",
    ] {
        assert_eq!(parse(text, Dialect::Json5), None, "{text}");
    }
}

#[test]
fn half_a_character_becomes_the_one_for_what_is_missing() {
    assert_eq!(
        parse("[\"\\ud83d\", \"\\ud83dx\", \"\\ude00\", \"\\ud83d\\u0041\"]", Dialect::Json)
            .map(|v| v.to_string()),
        Some("[\"\u{fffd}\",\"\u{fffd}x\",\"\u{fffd}\",\"\u{fffd}A\"]".to_owned())
    );
}

#[test]
fn what_is_too_deep_is_nothing() {
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(parse(&deep(64), Dialect::Json).is_some());
    assert!(parse(&deep(65), Dialect::Json).is_none());
}
