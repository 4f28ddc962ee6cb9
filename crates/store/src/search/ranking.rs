//! Which of many texts fit best to some words: BM25, in the one pass in which they are opened.
//!
//! Words are compared in lower case. One that only begins like a word that is looked for counts half. Of a text that fits no more is
//! kept than how often it has each word.

use super::needle::around;
use std::cmp::Ordering;

/// Words that are looked for; what comes after them is not.
const MOST_WORDS: usize = 32;
/// How soon more of the same word counts no more, and how much a long text has to have more of it: the usual values.
const SATURATION: f32 = 1.2;
const LENGTH: f32 = 0.75;
const BEGINS_LIKE: f32 = 0.5;

pub struct Ranking<T> {
    words: Vec<String>,
    /// Texts that have each word.
    having: Vec<u64>,
    texts: u64,
    /// Words of all texts together.
    length: u64,
    found: Vec<Fitting<T>>,
}

struct Fitting<T> {
    what: T,
    length: f32,
    counts: Box<[f32]>,
}

impl<T: Copy> Ranking<T> {
    /// `None` when there is no word in it.
    pub fn new(text: &str) -> Option<Self> {
        let mut words: Vec<String> = Vec::new();
        for word in split(&text.to_lowercase()) {
            if words.len() < MOST_WORDS && words.iter().all(|known| known != word) {
                words.push(word.to_owned());
            }
        }
        let having = vec![0; words.len()];
        (!words.is_empty()).then_some(Self { words, having, texts: 0, length: 0, found: Vec::new() })
    }

    /// Whether a text has any of the words; then it takes part, as `what`. One that does not fit counts all the same: a word is worth
    /// more the fewer have it.
    pub fn look_at(&mut self, what: T, texts: &[&str]) -> bool {
        let (mut counts, mut length) = (vec![0.0; self.words.len()], 0_u64);
        for text in texts {
            let folded = text.to_lowercase();
            for word in split(&folded) {
                length = length.saturating_add(1);
                for (wanted, count) in self.words.iter().zip(&mut counts) {
                    *count += worth(word, wanted);
                }
            }
        }
        self.texts = self.texts.saturating_add(1);
        self.length = self.length.saturating_add(length);
        for (having, count) in self.having.iter_mut().zip(&counts) {
            *having = having.saturating_add(u64::from(*count > 0.0));
        }
        let fits = counts.iter().any(|count| *count > 0.0);
        if fits {
            self.found.push(Fitting { what, length: length as f32, counts: counts.into() });
        }
        fits
    }

    /// Whether a text that takes no part has any of the words.
    pub fn would_fit(&self, texts: &[&str]) -> bool {
        texts.iter().any(|text| {
            let folded = text.to_lowercase();
            split(&folded).any(|word| self.words.iter().any(|wanted| word.starts_with(wanted)))
        })
    }

    /// Texts that fit.
    pub fn fitting(&self) -> usize {
        self.found.len()
    }

    /// Those that fit best, the best first; of two that fit as well, the one that was looked at later.
    pub fn best(&self, most: usize) -> Vec<T> {
        let usual = (self.length as f32 / (self.texts.max(1) as f32)).max(1.0);
        let worths: Vec<f32> = self.having.iter().map(|having| rarity(self.texts, *having)).collect();
        let scored =
            self.found.iter().enumerate().map(|(place, text)| (text.score(usual, &worths), place, text));
        let mut scored: Vec<(f32, usize, &Fitting<T>)> = scored.collect();
        let better = |one: &(f32, usize, &Fitting<T>), other: &(f32, usize, &Fitting<T>)| -> Ordering {
            other.0.total_cmp(&one.0).then(other.1.cmp(&one.1))
        };
        scored.sort_unstable_by(better);
        scored.into_iter().take(most).map(|(.., text)| text.what).collect()
    }

    /// One line of a text around the first of the words that is in it, or its beginning.
    pub fn snippet(&self, text: &str) -> String {
        let folded = text.to_lowercase();
        let first = split(&folded).find(|word| self.words.iter().any(|wanted| word.starts_with(wanted)));
        let place = first.map(|word| (word.as_ptr() as usize).saturating_sub(folded.as_ptr() as usize));
        // Folding keeps the number of characters almost always, and a snippet may be off by one.
        let before = place.and_then(|place| folded.get(..place));
        around(text, before.map_or(0, |before| before.chars().count()))
    }
}

impl<T> Fitting<T> {
    fn score(&self, usual: f32, worths: &[f32]) -> f32 {
        let damping = SATURATION * (1.0 - LENGTH + LENGTH * self.length / usual);
        let of_word = |(count, worth): (&f32, &f32)| worth * count * (SATURATION + 1.0) / (count + damping);
        self.counts.iter().zip(worths).map(of_word).sum()
    }
}

fn split(folded: &str) -> impl Iterator<Item = &str> {
    folded.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty())
}

fn worth(word: &str, wanted: &str) -> f32 {
    match word.strip_prefix(wanted) {
        Some("") => 1.0,
        Some(_) => BEGINS_LIKE,
        None => 0.0,
    }
}

/// How much a word tells that so many of the texts have.
fn rarity(texts: u64, having: u64) -> f32 {
    let without = texts.saturating_sub(having) as f32;
    (1.0 + (without + 0.5) / (having as f32 + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(words: &str, texts: &[&str]) -> Vec<usize> {
        let mut ranking = Ranking::new(words).unwrap();
        for (place, text) in texts.iter().enumerate() {
            ranking.look_at(place, &[text]);
        }
        assert!(ranking.fitting() >= ranking.best(20).len());
        ranking.best(20)
    }

    #[test]
    fn what_fits_best_comes_first() {
        let texts = [
            "the bins go out on Tuesday",
            "nothing of the kind",
            "the recipe for lentils",
            "lentils, lentils and the salt",
            "the the the the the the the the",
        ];
        // The rare word counts more than the one that all have, more of it more, and a longer text less.
        assert_eq!(best("lentils", &texts), [3, 2]);
        assert_eq!(best("the lentils", &texts)[..2], [3, 2]);
        // The whole word before one that begins like it; none where the word only ends or goes on inside.
        assert_eq!(best("tue", &["on Tuesday", "tue", "stueck"]), [1, 0]);
        // Equal: the later one.
        assert_eq!(best("x", &["x", "x"]), [1, 0]);
        // In any case, whatever signs stand around, in any order.
        assert_eq!(best("GRÜSSE, tante!", &["Tante: Grüsse", "niemand"]), [0]);
        assert_eq!(best("zzz", &texts), [0_usize; 0]);
        assert!(Ranking::<usize>::new(" …!? ").is_none());
    }

    #[test]
    fn a_long_query_is_cut_and_a_long_text_is_shown_in_part() {
        let many: Vec<String> = (0..1_000).map(|number| format!("w{number}")).collect();
        let ranking = Ranking::<usize>::new(&many.join(" ")).unwrap();
        assert_eq!(ranking.words.len(), MOST_WORDS);
        let text = format!("{}needle{}", "hay ".repeat(100), " hay".repeat(100));
        let ranking = Ranking::<usize>::new("need").unwrap();
        let shown = ranking.snippet(&text);
        assert!(shown.contains("needle") && shown.starts_with('…') && shown.ends_with('…'), "{shown}");
        assert!(shown.chars().count() < 200);
        assert_eq!(ranking.snippet("a\nb"), "a b");
    }
}
