//! Hostile values for every field of a request.

use rand::{RngExt, rngs::StdRng, seq::IndexedRandom};
use serde_json::{Map, Value, json};

/// Text that has surprised programs before.
const STRANGE: [&str; 20] = [
    "",
    " ",
    "\u{0}",
    "a\u{0}b",
    "\u{202e}gnirts",
    "\u{2066}x\u{2069}",
    "\u{feff}",
    "\u{1b}[31mred\u{7}",
    "\r\nX-Injected: 1",
    "../../etc/passwd",
    "'; DROP TABLE users; --",
    "{{7*7}}${7*7}",
    "<script>alert(1)</script>",
    "😀\u{200d}😀",
    "NaN",
    "-0",
    "\u{ffff}",
    "\u{e000}",
    "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
    "%s%n%x",
];

/// Bodies that are hard to read, as they are.
const TORTURE: [&str; 34] = [
    "",
    " ",
    "null",
    "true",
    "[]",
    "\"\"",
    "0",
    "{",
    "}",
    "{]",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "{,}",
    "{\"a\":1 \"b\":2}",
    "{'a':1}",
    "{a:1}",
    "{\"name\":\"\\ud800\"}",
    "{\"name\":\"\\udc00\\ud800\"}",
    "{\"content\":\"\\ud83d\"}",
    "{\"name\":\"\\u0000\"}",
    "{\"name\":\"\\x\"}",
    "{\"name\":\"a\nb\"}",
    "{\"name\":1e999}",
    "{\"name\":-1e999}",
    "{\"name\":1e-999}",
    "{\"name\":01}",
    "{\"name\":+1}",
    "{\"name\":.5}",
    "{\"name\":0x1}",
    "{\"name\":Infinity}",
    "{\"name\":123456789012345678901234567890}",
    "{\"name\":\"x\"} {\"name\":\"y\"}",
    "\u{feff}{\"name\":\"x\"}",
];

pub fn text(dice: &mut StdRng) -> String {
    match dice.random_range(0..10) {
        0 => "x".repeat(300),
        1 => "й".repeat(70_000),
        _ => STRANGE.choose(dice).unwrap_or(&"").to_string(),
    }
}

/// A body made worse, as bytes: some of these cannot be said with a JSON value. With what was done to it.
pub fn body(valid: &Value, dice: &mut StdRng) -> (&'static str, Vec<u8>) {
    match dice.random_range(0..16) {
        0 | 1 => ("torture", TORTURE.choose(dice).unwrap_or(&"").as_bytes().to_vec()),
        2 => ("too deep", deep(dice)),
        3 => ("duplicate members", doubled(valid).into_bytes()),
        4 => ("not UTF-8", NOT_UTF8.choose(dice).map(|bytes| bytes.to_vec()).unwrap_or_default()),
        5 => ("cut JSON", truncated(valid, dice)),
        6 => ("another encoding", encoded(valid, dice)),
        7 => ("lone surrogate", surrogate(valid).into_bytes()),
        8 => ("huge number", number(valid, dice).into_bytes()),
        _ => {
            let mut value = valid.clone();
            for _ in 0..dice.random_range(1..3) {
                spoil(&mut value, dice);
            }
            ("member", value.to_string().into_bytes())
        }
    }
}

const NOT_UTF8: [&[u8]; 5] = [
    b"{\"n\xff\xfe\":1}",
    b"{\"name\":\"\xc3\x28\"}",
    b"{\"name\":\"\xed\xa0\x80\"}",
    b"{\"name\":\"\xf4\x90\x80\x80\"}",
    b"{\"content\":\"\xc0\x80\"}",
];

/// With a mark of the order of its bytes, or in UTF-16.
fn encoded(valid: &Value, dice: &mut StdRng) -> Vec<u8> {
    let text = valid.to_string();
    match dice.random_range(0..3) {
        0 => [&b"\xef\xbb\xbf"[..], text.as_bytes()].concat(),
        1 => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        _ => [0xfe_u8, 0xff].into_iter().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect(),
    }
}

/// Half a character in the first text there is.
fn surrogate(valid: &Value) -> String {
    valid.to_string().replacen(":\"", ":\"\\ud83d", 1)
}

/// In place of the first value there is.
fn number(valid: &Value, dice: &mut StdRng) -> String {
    let numbers =
        ["1e400", "-1e400", "1e-400", "18446744073709551616", "-9223372036854775809", "0.1e1", "-0", "1E+2"];
    let number = numbers.choose(dice).unwrap_or(&"1e400");
    let text = valid.to_string();
    let Some((before, after)) = text.split_once(':') else { return format!("{{\"name\":{number}}}") };
    let rest = after.split_once(',').map_or("}", |(_, rest)| rest);
    let joint = if rest == "}" { "" } else { "," };
    format!("{before}:{number}{joint}{rest}")
}

fn deep(dice: &mut StdRng) -> Vec<u8> {
    let depth = *[100, 127, 129, 5_000, 30_000].choose(dice).unwrap_or(&129);
    let (open, close) = *[("[", "]"), ("{\"a\":", "}")].choose(dice).unwrap_or(&("[", "]"));
    format!("{{\"name\":{}1{}}}", open.repeat(depth), close.repeat(depth)).into_bytes()
}

/// Every field twice.
fn doubled(valid: &Value) -> String {
    let fields: Vec<String> = match valid {
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| format!("{}:{value}", json!(name))).collect()
        }
        _ => vec!["\"name\":\"x\"".to_owned()],
    };
    format!("{{{0},{0}}}", fields.join(","))
}

fn truncated(valid: &Value, dice: &mut StdRng) -> Vec<u8> {
    let mut bytes = valid.to_string().into_bytes();
    bytes.truncate(dice.random_range(0..=bytes.len()));
    bytes
}

/// Changes one place of a value.
fn spoil(value: &mut Value, dice: &mut StdRng) {
    match value {
        Value::Object(fields) if !fields.is_empty() && dice.random_bool(0.85) => spoil_field(fields, dice),
        Value::Object(fields) => drop(fields.insert(text(dice), json!("unknown"))),
        Value::Array(items) if !items.is_empty() => {
            let place = dice.random_range(0..items.len());
            match dice.random_range(0..3) {
                0 => {
                    let copy = items[place].clone();
                    items.extend(std::iter::repeat_n(copy, 300));
                }
                _ => spoil(&mut items[place], dice),
            }
        }
        other => *other = replacement(dice),
    }
}

fn spoil_field(fields: &mut Map<String, Value>, dice: &mut StdRng) {
    let names: Vec<String> = fields.keys().cloned().collect();
    let Some(name) = names.choose(dice) else { return };
    match dice.random_range(0..8) {
        0 => drop(fields.remove(name)),
        1 => drop(fields.insert(name.clone(), Value::Null)),
        2 => drop(fields.insert("unknown_field".to_owned(), json!(1))),
        3 => drop(fields.insert(name.clone(), json!(text(dice)))),
        4 => fields.get_mut(name).into_iter().for_each(|value| spoil(value, dice)),
        _ => drop(fields.insert(name.clone(), replacement(dice))),
    }
}

fn replacement(dice: &mut StdRng) -> Value {
    match dice.random_range(0..14) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(-1),
        3 => json!(u64::MAX),
        4 => json!(i64::MIN),
        5 => json!(1.5),
        6 => json!(1e308),
        7 => json!([]),
        8 => json!({}),
        9 => json!([[[["deep"]]]]),
        10 => json!({ "id": { "id": 1 } }),
        _ => json!(text(dice)),
    }
}
