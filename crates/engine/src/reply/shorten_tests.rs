use super::cut;

#[test]
fn a_text_that_fits_stays_as_it_is() {
    assert_eq!(cut("ä".repeat(10), 10), "ä".repeat(10));
}

#[test]
fn a_text_that_is_too_long_keeps_its_head_and_its_tail() {
    let text = format!("{}{}{}", "ä".repeat(5), "x".repeat(90), "ö".repeat(5));
    assert_eq!(cut(text, 10), "äääää\n[… 90 characters left out …]\nööööö");
}
