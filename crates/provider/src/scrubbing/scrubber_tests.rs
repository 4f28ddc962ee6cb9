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

fn most_blanks(secrets: &[String]) -> usize {
    secrets.iter().map(|secret| blanks_inside(secret)).fold(USUAL_BLANKS, usize::max)
}

/// The plain way, where everything is there: every place where a secret stands is looked for.
fn by_hand(secrets: &[String], text: &str) -> String {
    let most = most_blanks(secrets);
    let places: Vec<usize> = (0..text.len()).filter(|at| !is_blank(text.as_bytes()[*at])).collect();
    let solid: Vec<u8> = places.iter().map(|at| text.as_bytes()[*at]).collect();
    let mut ranges: Vec<(usize, usize)> = secrets
        .iter()
        .map(|secret| secret.bytes().filter(|byte| !is_blank(*byte)).collect::<Vec<u8>>())
        .filter(|secret| !secret.is_empty())
        .flat_map(|secret| {
            // How much of it stands there, in whole characters.
            let stands = |at: usize| {
                let near = |next: &usize| *next == 0 || places[at + next] - places[at + next - 1] - 1 <= most;
                let same = |next: &usize| solid.get(at + next) == secret.get(*next) && near(next);
                let mut much = (0..secret.len()).take_while(same).count();
                while secret.get(much).is_some_and(|byte| byte & 0xc0 == 0x80) {
                    much -= 1;
                }
                much
            };
            let found = (0..solid.len()).map(|at| (at, stands(at)));
            let found = found.filter(|(_, much)| *much >= secret.len().min(PART));
            found.map(|(at, much)| (places[at], places[at + much - 1] + 1)).collect::<Vec<_>>()
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

/// What is left of a text without the places that are said to be secret.
fn by_places(secrets: &[String], text: &str) -> String {
    let (mut left, mut end) = (String::new(), 0);
    for place in Scrubber::new(secrets.iter().map(String::as_str)).places(text.as_bytes()) {
        left.push_str(&text[end..place.start]);
        left.push_str("[secret]");
        end = place.end;
    }
    left + &text[end..]
}

#[test]
fn a_secret_may_have_many_blanks_itself() {
    let secrets = owned(["correct       horse"]);
    assert_eq!(whole(&secrets, "-correct       horse-"), "-[secret]-");
    assert_eq!(whole(&secrets, "-correcthorse-"), "-[secret]-");
    assert_eq!(whole(&secrets, "-correct        horse-"), "-correct        horse-");
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
        secrets in proptest::collection::vec(prop_oneof![letters(2, 9), letters(12, 24)], 0..4),
        words in proptest::collection::vec((letters(0, 6), any::<prop::sample::Index>(), 0_usize..40), 0..12),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..20),
    ) {
        // Whole or cut off.
        let planted = |(word, which, much): &(String, prop::sample::Index, usize)| match secrets.is_empty() {
            true => word.clone(),
            false => format!("{word}{}", which.get(&secrets).chars().take(*much).collect::<String>()),
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
            let most = (longest + 1) * (most_blanks(&secrets) + 1);
            prop_assert!(scrubber.held.len() <= most, "more waits than a secret could be");
            prop_assert!(scrubber.plain.places.len() <= longest);
            prop_assert_eq!(scrubber.held.len(), scrubber.ends.len());
        }
        told.push_str(&scrubber.finish());
        let has_letters = |secret: &&String| !secret.trim().is_empty();
        prop_assert!(!secrets.iter().filter(has_letters).any(|secret| told.contains(secret.trim())));
        prop_assert_eq!(&told, &by_hand(&secrets, &text));
        prop_assert_eq!(&told, &whole(&secrets, &text));
        prop_assert_eq!(&told, &by_places(&secrets, &text));
    }

    /// ATTACK: any of the characters of a secret are escaped as in an address or in a page, in any case, and that once more as in
    /// an address that stands in another one, or in a page that shows one; and lines are broken anywhere.
    #[test]
    fn however_it_is_escaped_no_secret_is_told(
        secret in "[a-c%&2ü€-]{8,30}",
        escaped in proptest::collection::vec(any::<(bool, bool)>(), 30),
        pages in any::<[bool; ESCAPED]>(),
        breaks in proptest::collection::vec(0_usize..USUAL_BLANKS * 8, 90),
        size in 1_usize..9,
        times in 1..=ESCAPED,
    ) {
        let mut text = secret.clone();
        for is_page in pages.into_iter().take(times) {
            let plain = std::mem::take(&mut text);
            for (c, (escape, upper)) in plain.chars().zip(escaped.iter().cycle()) {
                let code = u32::from(c);
                match (*escape || c == '%' || c == '&', upper, is_page) {
                    (true, true, false) => c.to_string().bytes().for_each(|byte| text.push_str(&format!("%{byte:02X}"))),
                    (true, false, false) => c.to_string().bytes().for_each(|byte| text.push_str(&format!("%{byte:02x}"))),
                    (true, true, true) => text.push_str(&format!("&#X{code:04X};")),
                    (true, false, true) if c == '&' => text.push_str("&amp;"),
                    (true, false, true) => text.push_str(&format!("&#{code};")),
                    (false, ..) => text.push(c),
                }
            }
        }
        let last = text.chars().count() - 1;
        let blanks = |at: usize| breaks.get(at).filter(|many| at < last && **many <= USUAL_BLANKS).map_or(0, |many| *many);
        let text: String = text.chars().enumerate().map(|(at, c)| format!("{c}{}", "\n".repeat(blanks(at)))).collect();
        let text: Vec<char> = format!("<{text}>").chars().collect();
        let pieces = text.chunks(size).map(|piece| piece.iter().collect::<String>());
        prop_assert_eq!(in_pieces(std::slice::from_ref(&secret), pieces).concat(), "<[secret]>");
    }
}

#[test]
fn the_beginning_of_a_secret_goes_where_it_was_cut_off() {
    let secrets = owned(["sk-0123456789abcdefghij", "sk-012345678901ü345678"]);
    assert_eq!(whole(&secrets, "a sk-0123456789abc… b"), "a [secret]… b");
    assert_eq!(whole(&secrets, "a sk-0123456789abc"), "a [secret]");
    assert_eq!(whole(&secrets, "a sk-0123456789abc      d"), "a [secret]      d");
    assert_eq!(whole(&secrets, "a sk-012345678901é"), "a sk-012345678901é", "half a character is none");
    assert_eq!(
        whole(&secrets, "a sk-0123456789ab…"),
        "a sk-0123456789ab…",
        "what many keys begin with stays"
    );
}

/// ATTACK: a page that shows the text of a page, an address in an address in an address, and one in the other.
#[test]
fn a_secret_goes_from_what_was_escaped_twice_and_three_times() {
    let secrets = owned(["sk-0123456789"]);
    let numbers: String = "sk-0123456789".bytes().map(|byte| format!("&#{byte};")).collect();
    let hexes: String = "sk-0123456789".bytes().map(|byte| format!("&#x00{byte:x};")).collect();
    let percents: String = "sk-0123456789".bytes().map(|byte| format!("%{byte:02x}")).collect();
    for text in [
        numbers.clone(),
        numbers.replace('&', "&amp;"),
        numbers.replace('&', "&amp;amp;"),
        numbers.replace(';', ""),
        hexes.replace('&', "&amp;"),
        percents.replace('%', "%25"),
        percents.replace('%', "%2525"),
        percents.replace('%', "&#37;"),
        numbers.replace('&', "%26").replace(';', "%3b"),
        numbers.replace('&', "&amp;").replace('&', "%26"),
        "sk&#45;0123&amp;#52;56%37&#x38;9".to_owned(),
    ] {
        assert_eq!(whole(&secrets, &format!("<{text}>")), "<[secret]>", "{text}");
    }
    // More often than that is no mistake any more; and it ends.
    let often = numbers.replace('&', "&amp;amp;amp;");
    assert_eq!(whole(&secrets, &often), often);
}

#[test]
fn what_is_no_escape_stays_and_does_not_wait() {
    let secrets = owned(["sk-0123456789"]);
    let text = "100% of %zz, 5 %4, %%41, %2 %\n%";
    assert_eq!(whole(&secrets, text), text);
    assert_eq!(whole(&secrets, "%%73k-0123456789 %4sk-0123456789"), "%[secret] %4[secret]");
    let page = "Ben & Jerry, a&b; &#; &#x; &#xzz; &ampere; &am &#1114112; &amp;lt; R&D &";
    assert_eq!(whole(&secrets, page), page);
    assert_eq!(whole(&secrets, "&am&#115;k-0123456789 &&#115k-0123456789"), "&am[secret] &[secret]");
    let told = in_pieces(&secrets, owned(["a & b &am", "p c &#0000000000000000000000", "1"]));
    assert_eq!(told.concat(), "a & b &amp c &#00000000000000000000001");
    let many = in_pieces(&secrets, ["%".to_owned(), " ".repeat(100_000), "x".to_owned()]);
    assert_eq!(many.iter().map(String::len).collect::<Vec<_>>(), [0, 100_001, 1, 0]);
}

/// ATTACK: a text in JSON stands in a text in JSON, which stands in another one.
#[test]
fn a_secret_goes_from_json_that_stands_in_json() {
    let secret = r#"sk-"01\2345-6789/x"#;
    let spelt: Vec<String> = crate::spellings(secret)
        .iter()
        .map(|text| secrecy::ExposeSecret::expose_secret(text).to_owned())
        .collect();
    let unicode: String = secret.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
    for mut text in [secret.to_owned(), unicode] {
        for depth in 0..=3 {
            assert_eq!(whole(&spelt, &format!("<{text}>")), "<[secret]>", "{depth}: {text}");
            let quoted = serde_json::Value::from(text).to_string();
            text = quoted[1..quoted.len() - 1].to_owned();
        }
    }
    // What is no secret stays as it is, and does not wait.
    let text = r"\\server\share \\\\\\\\\\\\x41 C:\new";
    assert_eq!(whole(&spelt, text), text);
    let many = in_pieces(&spelt, ["\\u0073".to_owned(), "\\".repeat(100_000), "x".to_owned()]);
    let told: Vec<usize> = many.iter().map(String::len).collect();
    assert_eq!((told[1], told.iter().sum::<usize>()), (100_006, 100_007), "{told:?}");
}
