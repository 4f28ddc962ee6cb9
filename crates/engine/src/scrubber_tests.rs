use super::*;
use proptest::prelude::*;

fn whole(secrets: &[String], text: &str) -> String {
    in_pieces(secrets, [text.to_owned()]).concat()
}

/// What is told after each piece, and at the end.
fn in_pieces(secrets: &[String], pieces: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut scrubber = Scrubber::new(secrets.iter().map(String::as_str));
    let mut told: Vec<String> = pieces.into_iter().map(|piece| scrubber.push(piece)).collect();
    told.push(scrubber.finish());
    told
}

fn owned<const N: usize>(texts: [&str; N]) -> [String; N] {
    texts.map(str::to_owned)
}

#[test]
fn only_what_may_become_a_secret_waits() {
    let secrets = owned(["sk-0123456789"]);
    let told = in_pieces(&secrets, owned(["a sk-01", "2345", "6789 b s", "ix sk-01", "23"]));
    assert_eq!(told, ["a ", "", "[secret] b ", "six ", "", "sk-0123"]);
    let none = in_pieces(&[], owned(["sk-", "0123456789"]));
    assert_eq!(none, ["sk-", "0123456789", ""], "where nothing is secret nothing waits");
}

#[test]
fn secrets_that_overlap_are_one_and_neighbours_are_two() {
    let secrets = owned(["abcdefgh", "efghijkl", "cdef"]);
    assert_eq!(whole(&secrets, "-abcdefghijkl-"), "-[secret]-");
    assert_eq!(whole(&secrets, "-abcdefghabcdefgh-cdefcdef"), "-[secret][secret]-[secret][secret]");
    assert_eq!(whole(&owned(["aaaaaaaa"]), &"a".repeat(100_000)), "[secret]");
}

#[test]
fn blanks_inside_of_a_secret_count_for_nothing_and_many_of_them_end_it() {
    let secrets = owned(["abcdefgh"]);
    assert_eq!(whole(&secrets, "-abc\r\n  def gh-"), "-[secret]-");
    assert_eq!(whole(&secrets, "-abc     defgh-"), "-abc     defgh-");
    let told = in_pieces(&secrets, owned(["x ab\n", "\ncd", "     e"]));
    assert_eq!(told, ["x ", "", "ab\n\ncd     e", ""], "what cannot become one any more is told");
    let many = in_pieces(&secrets, ["ab".to_owned(), " ".repeat(100_000), "x".to_owned()]);
    assert_eq!(many.iter().map(String::len).collect::<Vec<_>>(), [0, 100_002, 1, 0]);
}

/// The plain way, where everything is there: every place where a secret stands is looked for.
fn by_hand(secrets: &[String], text: &str) -> String {
    let places: Vec<usize> = (0..text.len()).filter(|at| !is_blank(text.as_bytes()[*at])).collect();
    let solid: Vec<u8> = places.iter().map(|at| text.as_bytes()[*at]).collect();
    let mut ranges: Vec<(usize, usize)> = secrets
        .iter()
        .map(|secret| secret.bytes().filter(|byte| !is_blank(*byte)).collect::<Vec<u8>>())
        .filter(|secret| !secret.is_empty())
        .flat_map(|secret| {
            let stands = |at: &usize| {
                let near = |pair: &[usize]| pair[1] - pair[0] - 1 <= MOST_BLANKS;
                solid[*at..].starts_with(&secret) && places[*at..*at + secret.len()].windows(2).all(near)
            };
            let found = (0..solid.len()).filter(stands);
            found.map(|at| (places[at], places[at + secret.len() - 1] + 1)).collect::<Vec<_>>()
        })
        .collect();
    ranges.sort_unstable();
    let (mut left, mut end) = (String::new(), 0);
    for (from, to) in ranges {
        if from >= end {
            left.push_str(&text[end..from]);
            left.push_str("[secret]");
        }
        end = end.max(to);
    }
    left + &text[end..]
}

/// Few letters, so that beginnings, ends and repetitions of secrets are everywhere.
fn letters(least: usize, most: usize) -> impl Strategy<Value = String> {
    let letter = prop_oneof![4 => Just('a'), 4 => Just('b'), 2 => Just('ü'), 2 => Just('€'), 1 => Just(' '), 1 => Just('\n')];
    proptest::collection::vec(letter, least..=most).prop_map(|letters| letters.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn however_it_is_cut_no_secret_is_told_and_nothing_else_is_lost(
        secrets in proptest::collection::vec(letters(2, 9), 0..4),
        words in proptest::collection::vec((letters(0, 6), any::<prop::sample::Index>()), 0..12),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..20),
    ) {
        let planted = |(word, which): &(String, prop::sample::Index)| match secrets.is_empty() {
            true => word.clone(),
            false => format!("{word}{}", which.get(&secrets)),
        };
        let text: String = words.iter().map(planted).collect();
        let chars: Vec<char> = text.chars().collect();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(chars.len() + 1)).collect();
        cuts.extend([0, chars.len()]);
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|ends| chars[ends[0]..ends[1]].iter().collect::<String>());
        let mut scrubber = Scrubber::new(secrets.iter().map(String::as_str));
        let longest = secrets.iter().map(String::len).max().unwrap_or(0);
        let mut told = String::new();
        for piece in pieces {
            told.push_str(&scrubber.push(piece));
            let most = longest * (MOST_BLANKS + 1) + MOST_BLANKS;
            prop_assert!(scrubber.held.len() <= most, "more waits than a secret could be");
            prop_assert!(scrubber.places.len() <= longest);
            prop_assert_eq!(scrubber.held.len(), scrubber.ends.len());
        }
        told.push_str(&scrubber.finish());
        let has_letters = |secret: &&String| !secret.trim().is_empty();
        prop_assert!(!secrets.iter().filter(has_letters).any(|secret| told.contains(secret.trim())));
        prop_assert_eq!(&told, &by_hand(&secrets, &text));
        prop_assert_eq!(&told, &whole(&secrets, &text));
    }
}
