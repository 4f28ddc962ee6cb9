use super::*;

fn grepper(pattern: &str, path_pattern: Option<&str>) -> Result<Grepper, FileError> {
    let path_pattern = path_pattern.map(str::to_owned);
    Grepper::new(&Grep { pattern: pattern.to_owned(), path_pattern, most: 3 })
}

fn path(text: &str) -> FilePath {
    text.parse().unwrap()
}

fn lines(pattern: &str, content: &[u8]) -> Matches {
    let mut grepper = grepper(pattern, None).unwrap();
    grepper.look(&path("/x"), content, &|| false);
    grepper.found
}

fn refused(pattern: &str) -> String {
    match grepper(pattern, None) {
        Err(FileError::Pattern(words)) => words,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("{pattern:?} was taken"),
    }
}

#[test]
fn lines_are_counted_from_one() {
    let found = lines("^b+$", b"a\nbb\r\nc\nb");
    let places: Vec<_> = found.matches.iter().map(|m| (m.line_number, m.line.as_str())).collect();
    assert_eq!(places, [(2, "bb"), (4, "b")]);
    assert!(!found.truncated);
}

#[test]
fn there_is_an_end_to_matches_and_to_time() {
    let found = lines("x", b"x\nx\nx\nx\n");
    assert_eq!((found.matches.len(), found.truncated), (3, true));
    assert!(!lines("x", b"x\nx\nx\n").truncated, "the control");
    let mut grepper = grepper("x", None).unwrap();
    assert!(!grepper.look(&path("/x"), b"x\n", &|| true));
    assert_eq!((grepper.found.matches.len(), grepper.found.truncated), (0, true));
}

#[test]
fn long_lines_are_cut_and_binary_files_are_left_out() {
    let long = "é".repeat(100_000);
    let found = lines("é", long.as_bytes());
    assert_eq!(found.matches[0].line.chars().count(), SHOWN_CHARS);
    assert_eq!(lines("a", b"a\0").skipped, 1);
    assert_eq!(lines("a", b"a\xff").matches.len(), 1, "not quite UTF-8 is still looked at");
}

/// EVERRUNS-33
#[test]
fn a_line_is_looked_at_to_its_end_however_long_it_is() {
    for distance in [8 << 10, PIECE_BYTES - 3, PIECE_BYTES, PIECE_BYTES + OVERLAP_BYTES - 3, 3 << 20] {
        let far = format!("{}needle and more", "é".repeat(distance / 2));
        let found = lines("needle", far.as_bytes());
        assert_eq!(found.matches.len(), 1, "{distance} bytes before it");
        let shown = &found.matches[0].line;
        assert!(shown.starts_with('…') && shown.contains("needle and more"), "{shown}");
        assert!(shown.chars().count() <= SHOWN_CHARS);
    }
    let wide = format!("{}from{}to", "x".repeat(100_000), "-".repeat(OVERLAP_BYTES - 16));
    assert_eq!(lines("from-+to", wide.as_bytes()).matches.len(), 1);
}

/// Pieces have ends of their own, which are not those of the line.
#[test]
fn the_ends_of_a_piece_are_not_those_of_its_line() {
    let long = "a".repeat(200_000);
    assert!(lines("^a{3}b|ba$", long.as_bytes()).matches.is_empty());
    for pattern in ["^a", "a$", r"^a+$"] {
        let expected = usize::from(pattern != "^a+$");
        assert_eq!(lines(pattern, long.as_bytes()).matches.len(), expected, "{pattern}");
    }
    let ended = format!("{long}\n{long}b");
    let found = lines("a$", ended.as_bytes());
    assert_eq!(found.matches.iter().map(|found| found.line_number).collect::<Vec<_>>(), [1]);
    let begun = format!("b{long}");
    assert!(lines("^a", begun.as_bytes()).matches.is_empty());
    assert!(lines(r"\ba", begun.as_bytes()).matches.is_empty());
}

/// THREAT[files-03] The clock is looked at within a line, too.
#[test]
fn a_long_line_does_not_outlast_its_time() {
    let looks = std::cell::Cell::new(0);
    let late = || {
        looks.set(looks.get() + 1);
        looks.get() > 3
    };
    let mut grepper = grepper("needle", None).unwrap();
    let content = format!("{}needle", "x".repeat(1 << 20));
    assert!(!grepper.look(&path("/x"), content.as_bytes(), &late));
    assert!(grepper.found.truncated && grepper.found.matches.is_empty());
    assert_eq!(looks.get(), 4);
}

/// EVERRUNS-25
#[test]
fn patterns_that_explode_are_refused() {
    for pattern in ["(a{1000}){1000}", "((a{100}){100}){100}", r"\w{1000}", "(x{1,1000}){1,1000}"] {
        assert!(refused(pattern).contains("too large"), "{pattern}");
    }
    assert!(refused(&"a".repeat(1_001)).contains("at most 1000"));
    assert!(refused(&"(".repeat(900)).contains("not a regular expression"));
    assert!(refused("(").contains("not a regular expression"));
    assert!(refused(r"(a)\1").contains("not a regular expression"), "no backreferences");
    assert!(refused("").contains("not be empty"));
    assert!(grepper(r"\w{1,20}", None).is_ok(), "the control");
}

/// The pattern that makes backtracking engines double their work with each letter.
#[test]
fn a_catastrophic_pattern_takes_linear_time() {
    let content = "a".repeat(8_000) + "b";
    assert!(lines("^(a+)+$", content.as_bytes()).matches.is_empty());
    assert!(lines("(a|a)*c", content.as_bytes()).matches.is_empty());
}

#[test]
fn paths_are_chosen_by_simple_patterns() {
    let fits = |pattern: &str, text: &str| grepper("x", Some(pattern)).unwrap().wants(&path(text));
    assert!(fits("*.md", "/notes/today.md") && fits("*.md", "/today.md"));
    assert!(!fits("*.md", "/today.mdx") && !fits("*.md", "/md"));
    assert!(fits("/notes/*", "/notes/a") && !fits("/notes/*", "/notes/a/b"));
    assert!(fits("/notes/**", "/notes/a/b") && !fits("/notes/**", "/other/notes/a"));
    assert!(fits("notes/?.md", "/x/notes/a.md") && !fits("notes/?.md", "/x/notes/ab.md"));
    assert!(!fits("a.c", "/abc"), "a dot is a dot");
    assert!(grepper("x", Some("")).is_err());
    assert!(grepper("x", Some("a\0b")).is_err());
    assert!(grepper("x", Some(&"*".repeat(1_001))).is_err());
}
