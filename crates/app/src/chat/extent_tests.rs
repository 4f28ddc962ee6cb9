use super::*;

const MARKS: Marks<'_> = Marks { first: "you> ", further: "...> " };

fn rows(before_cursor: &str) -> u16 {
    rows_above_cursor(MARKS, before_cursor, 20)
}

#[test]
fn a_line_that_fits_is_one_row() {
    assert_eq!(rows(""), 0);
    assert_eq!(rows("short"), 0);
    assert_eq!(rows(&"x".repeat(14)), 0);
}

#[test]
fn a_long_line_goes_on_below() {
    assert_eq!(rows(&"x".repeat(15)), 1, "the row is full, and the cursor on the next one");
    assert_eq!(rows(&"x".repeat(16)), 1);
    assert_eq!(rows(&"x".repeat(34)), 1);
    assert_eq!(rows(&"x".repeat(36)), 2);
}

#[test]
fn letters_are_counted_as_they_are_seen_and_not_by_their_bytes() {
    assert_eq!(rows(&"ж".repeat(14)), 0);
    assert_eq!(rows(&"e\u{301}".repeat(14)), 0);
    assert_eq!(rows(&"家".repeat(7)), 0);
    assert_eq!(rows(&"家".repeat(8)), 1, "fifteen columns have room for seven wide letters");
}

#[test]
fn each_line_of_several_begins_a_row() {
    assert_eq!(rows("one\ntwo"), 1);
    assert_eq!(rows(&format!("{}\ntwo", "x".repeat(16))), 2);
    assert_eq!(rows("one\n\n"), 2);
}

#[test]
fn a_terminal_without_a_width_is_no_trouble() {
    assert!(rows_above_cursor(MARKS, "words", 0) > 0);
}

#[test]
fn what_is_erased_begins_at_the_row_of_the_prompt() {
    assert_eq!(erasing(0), "\r\u{1b}[J");
    assert_eq!(erasing(2), "\u{1b}[2A\r\u{1b}[J");
}
