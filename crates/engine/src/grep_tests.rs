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
    let far = format!("{}needle", "x".repeat(LINE_BYTES));
    assert!(lines("needle", far.as_bytes()).matches.is_empty());
    assert_eq!(lines("a", b"a\0").skipped, 1);
    assert_eq!(lines("a", b"a\xff").matches.len(), 1, "not quite UTF-8 is still looked at");
}

/// EVERRUNS-25
#[test]
fn patterns_that_explode_are_refused() {
    for pattern in ["(a{1000}){1000}", "((a{100}){100}){100}", r"\w{1000}", "(x{1,1000}){1,1000}"] {
        assert!(refused(pattern).contains("too large"), "{pattern}");
    }
    assert!(refused(&"a".repeat(1_001)).contains("at most 1000"));
    assert!(refused(&"(".repeat(900)).contains("no regular expression"));
    assert!(refused("(").contains("no regular expression"));
    assert!(refused(r"(a)\1").contains("no regular expression"), "no backreferences");
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
