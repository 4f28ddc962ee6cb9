//! Character references: decoded once in attribute values, encoded where an answer or a result is written into text.

/// Decodes once: `&amp;lt;` becomes `&lt;`. What is no reference stays as it is.
pub fn decode(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        decoded.push_str(before);
        match reference(after) {
            Some((character, length)) => {
                decoded.push(character);
                rest = after.get(length..).unwrap_or_default();
            }
            None => {
                decoded.push('&');
                rest = after;
            }
        }
    }
    decoded.push_str(rest);
    decoded
}

/// The character that the text after an ampersand names, and how many bytes that takes.
fn reference(after: &str) -> Option<(char, usize)> {
    /// `#x10FFFF` is the longest that can mean something.
    const LONGEST: usize = 8;
    let end = after.bytes().take(LONGEST + 1).position(|byte| byte == b';')?;
    let name = after.get(..end)?;
    let character = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => '\u{a0}',
        _ => number(name.strip_prefix('#')?)?,
    };
    Some((character, end + 1))
}

fn number(digits: &str) -> Option<char> {
    let (digits, radix) = match digits.strip_prefix(['x', 'X']) {
        Some(hexadecimal) => (hexadecimal, 16),
        None => (digits, 10),
    };
    // `from_str_radix` would take a leading plus.
    let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let code = u32::from_str_radix(digits, radix).ok().filter(|code| plain && *code != 0)?;
    char::from_u32(code)
}

/// For text that must not be read as markup: `& < > " '`.
pub fn encode(text: &str) -> String {
    encode_these(text, true)
}

/// As [`encode`], but quotes stay readable: for content, not for attribute values.
pub fn encode_content(text: &str) -> String {
    encode_these(text, false)
}

/// Everything but letters, digits and spaces: nothing in it can begin or end anything.
pub fn encode_all(text: &str) -> String {
    let encode = |character: char| match character {
        plain if plain.is_alphanumeric() || matches!(plain, ' ' | '\0') => plain.to_string(),
        other => format!("&#{};", u32::from(other)),
    };
    text.chars().map(encode).collect()
}

fn encode_these(text: &str, quotes: bool) -> String {
    let mut encoded = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => encoded.push_str("&amp;"),
            '<' => encoded.push_str("&lt;"),
            '>' => encoded.push_str("&gt;"),
            '"' if quotes => encoded.push_str("&quot;"),
            '\'' if quotes => encoded.push_str("&#39;"),
            other => encoded.push(other),
        }
    }
    encoded
}
