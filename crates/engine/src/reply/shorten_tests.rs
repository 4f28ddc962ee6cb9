use super::{cut, place};

#[test]
fn a_text_that_fits_stays_as_it_is() {
    assert_eq!(cut("ä".repeat(10), 10), "ä".repeat(10));
}

#[test]
fn a_text_that_is_too_long_keeps_its_head_and_its_tail() {
    let text = format!("{}{}{}", "ä".repeat(5), "x".repeat(90), "ö".repeat(5));
    assert_eq!(cut(text, 10), "äääää\n[… 90 characters left out …]\nööööö");
}

#[test]
fn a_place_of_a_text_is_found_again_in_what_is_left_of_it() {
    let text: String = ('a'..='z').collect();
    let kept = cut(text.clone(), 10);
    for at in 0..=26 {
        let (before, after) = (place(at, 26, 10), kept.chars().count());
        assert!(before <= after && (at == 0 || place(at - 1, 26, 10) <= before), "{at}");
        assert_eq!(place(at, 26, 26), at, "where nothing was cut, nothing moved");
    }
    assert_eq!((place(5, 26, 10), place(6, 26, 10), place(20, 26, 10)), (5, 5, 5));
    assert_eq!(kept.chars().skip(place(22, 26, 10)).collect::<String>(), "wxyz");
}
