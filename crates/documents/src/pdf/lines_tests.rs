use super::*;

fn at(x: f64, y: f64) -> Matrix {
    [10.0, 0.0, 0.0, 10.0, x, y]
}

/// Words at places, each letter half as wide as it is high.
fn shown(words: &[(&str, f64, f64)]) -> String {
    let mut lines = Lines::default();
    for (word, x, y) in words {
        for (index, letter) in word.chars().enumerate() {
            lines.show(&letter.to_string(), &at(x + 5.0 * index as f64, *y), 0.5);
        }
    }
    lines.finish()
}

#[test]
fn gaps_are_spaces_and_steps_are_lines() {
    assert_eq!(shown(&[("one", 0.0, 100.0), ("two", 18.0, 100.0)]), "one two");
    assert_eq!(shown(&[("ker", 0.0, 100.0), ("ning", 15.5, 100.0)]), "kerning");
    assert_eq!(shown(&[("one", 0.0, 100.0), ("two", 0.0, 88.0)]), "one\ntwo");
    assert_eq!(shown(&[("one", 0.0, 100.0), ("two", 0.0, 70.0)]), "one\n\ntwo");
    assert_eq!(shown(&[("x", 0.0, 100.0), ("2", 5.0, 103.0)]), "x2", "what is raised is no line");
    assert_eq!(shown(&[("b", 50.0, 100.0), ("a", 0.0, 100.0)]), "b a");
}

#[test]
fn divided_words_are_one_and_ligatures_their_letters() {
    assert_eq!(shown(&[("Umwälz-", 0.0, 100.0), ("pumpe", 0.0, 88.0)]), "Umwälzpumpe");
    assert_eq!(shown(&[("Müller-", 0.0, 100.0), ("Lüdenscheidt", 0.0, 88.0)]), "Müller-\nLüdenscheidt");
    assert_eq!(shown(&[("oﬃce", 0.0, 100.0)]), "office");
}

#[test]
fn other_words_stand_in_for_a_piece() {
    let mut lines = Lines::default();
    lines.show("a", &at(0.0, 0.0), 0.5);
    lines.mark();
    lines.pass(&at(20.0, 0.0), 0.5);
    lines.pass(&at(25.0, 0.0), 0.5);
    lines.stand_in("said");
    lines.show("b", &at(30.0, 0.0), 0.5);
    lines.show("c", &[f64::NAN; 6], 0.5);
    assert_eq!(lines.finish(), "a saidb");
}
