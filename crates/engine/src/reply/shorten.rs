//! Shortens texts that are too long for a model or a person.

/// Keeps head and tail of a text that is too long, and says what is missing.
pub(crate) fn cut(text: String, most: usize) -> String {
    let total = text.chars().count();
    if total <= most {
        return text;
    }
    let keep = most / 2;
    let head: String = text.chars().take(keep).collect();
    let tail: String = text.chars().skip(total - keep).collect();
    format!("{head}\n[… {} characters left out …]\n{tail}", total - 2 * keep)
}

#[cfg(test)]
#[path = "shorten_tests.rs"]
mod tests;
