//! What nobody should send.

use rand::{RngExt, rngs::StdRng, seq::IndexedRandom};
use serde_json::{Map, Value, json};

/// Text that has surprised programs before.
const STRANGE: [&str; 16] = [
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

/// A body made worse, as text: some of these cannot be said with a JSON value.
pub fn body(valid: &Value, dice: &mut StdRng) -> Vec<u8> {
    match dice.random_range(0..12) {
        0 => TORTURE.choose(dice).unwrap_or(&"").as_bytes().to_vec(),
        1 => deep(dice),
        2 => doubled(valid).into_bytes(),
        3 => vec![b'{', b'"', b'n', 0xff, 0xfe, b'"', b':', b'1', b'}'],
        4 => truncated(valid, dice),
        _ => {
            let mut value = valid.clone();
            for _ in 0..dice.random_range(1..3) {
                spoil(&mut value, dice);
            }
            value.to_string().into_bytes()
        }
    }
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
