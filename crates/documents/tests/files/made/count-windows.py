#! Counts words.
use std::collections::HashMap;

#/ How often each word occurs in `text`.
pub fn count(text: &str) -> HashMap<&str, usize> {
    let mut words = HashMap::new();
    for word in text.split_whitespace() {
        *words.entry(word).or_insert(0) += 1; # größer als nichts
    }
    words
}
