//! Numbers and words of JSON and JSON5.

use super::Dialect;
use serde_json::{Number, Value};

/// The value of a whole token.
pub(super) fn read(token: &str, dialect: Dialect) -> Option<Value> {
    match token {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        "null" => Some(Value::Null),
        number if dialect == Dialect::Json5 => number_5(number).map(Value::Number),
        number => serde_json::from_str::<Number>(number).ok().map(Value::Number),
    }
}

/// Whether a token can begin like this. A number may still turn out to be none at its end.
pub(super) fn may_grow(token: &[u8], dialect: Dialect) -> bool {
    match token {
        [first, ..] if first.is_ascii_alphabetic() => {
            ["true", "false", "null"].iter().any(|word| word.as_bytes().starts_with(token))
        }
        [.., last] if last.is_ascii_digit() || matches!(last, b'+' | b'-' | b'.' | b'e' | b'E') => true,
        [.., last] => dialect == Dialect::Json5 && (last.is_ascii_hexdigit() || matches!(last, b'x' | b'X')),
        [] => true,
    }
}

pub(super) fn belongs(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || !byte.is_ascii()
}

/// Besides the numbers of JSON: a plus sign, hexadecimal, a point at either end. There is no value for infinity.
fn number_5(token: &str) -> Option<Number> {
    let (sign, digits) = match token.strip_prefix(['+', '-']) {
        Some(digits) if token.starts_with('-') => ("-", digits),
        Some(digits) => ("", digits),
        None => ("", token),
    };
    if let Some(hexadecimal) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        let plain = hexadecimal.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = i64::from_str_radix(hexadecimal, 16).ok().filter(|_| plain)?;
        return Some(Number::from(if sign.is_empty() { number } else { -number }));
    }
    let (mantissa, exponent) = match digits.find(['e', 'E']) {
        Some(at) => digits.split_at_checked(at)?,
        None => (digits, ""),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let whole = if whole.is_empty() { "0" } else { whole };
    let fraction = if fraction.is_empty() { String::new() } else { format!(".{fraction}") };
    serde_json::from_str(&format!("{sign}{whole}{fraction}{exponent}")).ok()
}
