//! Did you mean …?

/// The candidate nearest to a misspelt word, if one is near.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = candidates.into_iter().map(|candidate| {
        let is_part = word.len() > 2 && (word.starts_with(candidate) || candidate.starts_with(word));
        (if is_part { 1 } else { distance(word, candidate) }, candidate)
    });
    near.filter(|(distance, candidate)| *distance <= 1 + candidate.chars().count() / 4)
        .min()
        .map(|(_, name)| name)
}

/// How many letters must be added, dropped or changed to make one word of the other.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, letter) in left.chars().take(64).enumerate() {
        let mut diagonal = index;
        let mut before = index + 1;
        for (cell, other) in row.iter_mut().skip(1).zip(&right) {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = *cell;
            before = changed.min(before + 1).min(diagonal + 1);
            *cell = before;
        }
        if let Some(first) = row.first_mut() {
            *first = index + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
#[path = "spelling_tests.rs"]
mod tests;
