use super::*;

#[test]
fn what_would_move_the_terminal_is_shown_instead() {
    assert_eq!(neutral("\u{1b}[2J\u{1b}]0;title\u{7}"), "␛[2J␛]0;title␇");
    assert_eq!(neutral("a\rb\u{8}c\u{7f}"), "a␍b␈c␡");
    assert_eq!(neutral("\0"), "␀");
    // The eight-bit forms of the same sequences.
    assert_eq!(neutral("\u{9b}31m\u{9d}"), "<009B>31m<009D>");
    // Text that reads in another direction than it runs.
    assert_eq!(neutral("\u{202e}gnp.exe\u{2066}"), "<202E>gnp.exe<2066>");
}

#[test]
fn no_control_character_but_line_feed_and_tab_ever_comes_out() {
    let everything: String = (0..0x3000).filter_map(char::from_u32).collect();
    let shown = neutral(&everything);
    let passed: Vec<char> = shown.chars().filter(|letter| letter.is_control()).collect();
    assert_eq!(passed, ['\t', '\n']);
}

#[test]
fn ordinary_text_is_untouched_and_not_copied() {
    let text = "Größe, 日本語, مرحبا, 👩‍👩‍👧\n\tindented";
    assert!(matches!(neutral(text), Cow::Borrowed(same) if same == text));
}

#[test]
fn one_line_is_flat_and_short() {
    assert_eq!(one_line(" a\n\tb  c ", 10), "a b c");
    assert_eq!(one_line("äöüß", 3), "äöü…");
    assert_eq!(one_line("\u{1b}[31mred", 20), "␛[31mred");
}

#[test]
fn the_tail_is_the_end_on_one_line_in_so_many_columns() {
    assert_eq!(tail("one two\nthree", 9), "two three");
    assert_eq!(tail("one two\nthree", 80), "one two three");
    assert_eq!(tail("家家家家", 5), "家家", "wide letters are two columns");
    assert_eq!(tail("\u{1b}[2J", 80), "␛[2J");
    assert_eq!(tail("ä", 0), "");
}
