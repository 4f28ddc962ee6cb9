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

/// The plain way, where everything is there: every place where a secret stands is looked for.
fn by_hand(secrets: &[String], text: &str) -> String {
    let mut ranges: Vec<(usize, usize)> = secrets
        .iter()
        .flat_map(|secret| {
            let at = |at: &usize| text.as_bytes()[*at..].starts_with(secret.as_bytes());
            (0..text.len()).filter(at).map(|at| (at, at + secret.len())).collect::<Vec<_>>()
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
    proptest::collection::vec(prop_oneof![Just('a'), Just('b'), Just('ü'), Just('€')], least..=most)
        .prop_map(|letters| letters.into_iter().collect())
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
            prop_assert!(scrubber.held.len() < longest.max(1), "more waits than a secret could be");
            prop_assert_eq!(scrubber.held.len(), scrubber.ends.len());
        }
        told.push_str(&scrubber.finish());
        prop_assert!(!secrets.iter().any(|secret| told.contains(secret)));
        prop_assert_eq!(&told, &by_hand(&secrets, &text));
        prop_assert_eq!(&told, &whole(&secrets, &text));
    }
}
