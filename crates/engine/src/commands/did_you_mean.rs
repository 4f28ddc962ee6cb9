//! What a person may have meant by a name that does not exist.

/// Longer words are no slips.
const LONGEST: usize = 32;
const FAR: usize = 2;
const MOST: usize = 3;

/// The names that are nearest to a word, the nearest first; none when all are far.
pub(super) fn nearest(word: &str, names: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    let word: Vec<char> = word.chars().take(LONGEST + 1).collect();
    if word.is_empty() || word.len() > LONGEST {
        return Vec::new();
    }
    let text: String = word.iter().collect();
    let rank = |name: &'static str| {
        let begins = name.starts_with(&text) || (name.len() > 2 && text.starts_with(name));
        let far = if begins { 0 } else { distance(&word, name) };
        // A short word is near to everything.
        (far <= FAR.min(word.len() / 2)).then_some((far, name))
    };
    let mut near: Vec<(usize, &str)> = names.filter_map(rank).collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().map(|(_, name)| name).take(MOST).collect()
}

/// How many characters have to be changed, added or left out.
fn distance(word: &[char], name: &str) -> usize {
    let mut before: Vec<usize> = (0..=word.len()).collect();
    for (row, letter) in name.chars().enumerate() {
        let mut now = vec![row + 1];
        for (column, other) in word.iter().enumerate() {
            let value = |line: &[usize], at: usize| line.get(at).copied().unwrap_or(usize::MAX / 2);
            let replaced = value(&before, column) + usize::from(*other != letter);
            now.push(replaced.min(value(&before, column + 1) + 1).min(value(&now, column) + 1));
        }
        before = now;
    }
    before.last().copied().unwrap_or_default()
}
