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
    format!("{head}{}{tail}", left_out(total - 2 * keep))
}

fn left_out(characters: usize) -> String {
    format!("\n[… {characters} characters left out …]\n")
}

/// Where the first `at` of `total` characters end in the text that [`cut`] makes of them.
pub(crate) fn place(at: usize, total: usize, most: usize) -> usize {
    let keep = most / 2;
    match total {
        total if total <= most || at <= keep => at,
        total if at < total - keep => keep,
        total => keep + left_out(total - 2 * keep).chars().count() + at - (total - keep),
    }
}

#[cfg(test)]
#[path = "shorten_tests.rs"]
mod tests;
