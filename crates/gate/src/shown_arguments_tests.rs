use super::*;
use proptest::prelude::*;
use serde_json::json;

fn loose(words: &str) -> String {
    text(words, false, true)
}

#[test]
fn plain_words_of_any_language_stay_as_they_are() {
    for words in ["ls -l /notes", "Καλημέρα, κόσμε", "привет мир", "早上好", "naïve café", "a  b", "👍 ok"]
    {
        assert_eq!(loose(words), words);
    }
}

#[test]
fn what_cannot_be_seen_is_spelt_out() {
    for (hidden, shown) in [
        ("rm\u{202e}x", "rm⟨U+202E⟩x"),
        ("a\u{200b}b", "a⟨U+200B⟩b"),
        ("\u{1b}[2K\u{1b}[1A", "⟨U+001B⟩[2K⟨U+001B⟩[1A"),
        ("a\rb", "a⟨U+000D⟩b"),
        ("a\u{a0}b", "a⟨U+00A0⟩b"),
        ("a\u{feff}", "a⟨U+FEFF⟩"),
        ("\u{e0041}", "⟨U+E0041⟩"),
        ("a\u{fe0f}b", "a⟨U+FE0F⟩b"),
        ("\u{3164}", "⟨U+3164⟩"),
        ("nul\0", "nul⟨U+0000⟩"),
        ("\u{2028}", "⟨U+2028⟩"),
        ("\u{e000}", "⟨U+E000⟩"),
    ] {
        assert_eq!(loose(hidden), shown);
    }
}

fn code(words: &str) -> String {
    laid_out(words, true, Layout::Lines)
}

#[test]
fn a_program_keeps_its_lines_tabs_and_indentation() {
    for program in [
        "import os\n\n\ndef main():\n    for name in os.listdir():\n        if name:\n            print(name)\n",
        "all:\n\techo one\n\t\techo two\n",
        "echo one\ttwo\n",
        "cat <<EOF\n  a\n\n  b\nEOF",
    ] {
        assert_eq!(code(program), program);
        let shown = arguments(&[("code", ArgumentKind::Command)], &json!({ "code": program }), true);
        assert_eq!(shown[0].value, program);
        let shown = arguments(&[], &json!({ "content": program }), true);
        assert_eq!(shown[0].value, program);
    }
}

#[test]
fn what_has_one_line_shows_every_break_and_tab() {
    assert_eq!(loose("one\ntwo\tthree"), "one⟨U+000A⟩\ntwo⟨U+0009⟩three");
    let kinds = [("url", ArgumentKind::Url), ("path", ArgumentKind::Path), ("to", ArgumentKind::Recipient)];
    for (name, _) in kinds {
        let shown = arguments(&kinds, &json!({ name: "a\n\tb" }), true);
        assert_eq!(shown[0].value, "a⟨U+000A⟩\n⟨U+0009⟩b");
    }
}

#[test]
fn no_blanks_push_a_program_out_of_sight() {
    let spaces = " ".repeat(300);
    for (pushed, shown) in [
        (format!("ls{spaces}; rm -rf /"), "ls⟨U+0020×300⟩; rm -rf /"),
        (format!("ls\n{spaces}rm -rf /"), "ls\n⟨U+0020×300⟩rm -rf /"),
        (format!("{spaces}rm -rf /"), "⟨U+0020×300⟩rm -rf /"),
        ("         rm".to_owned(), "⟨U+0020×9⟩rm"),
        (format!("ls\n{}rm", "\t".repeat(7)), "ls\n⟨U+0009×7⟩rm"),
        (format!("ls {}rm", "\t".repeat(2)), "ls⟨U+0020⟩⟨U+0009×2⟩rm"),
        (format!("ls{}rm", "\n".repeat(4)), "ls⟨U+000A×4⟩\nrm"),
        (format!("ls{}    rm", "\n".repeat(400)), "ls⟨U+000A×400⟩\n    rm"),
        (format!("ls\n{}\nrm", "\n".repeat(2)), "ls⟨U+000A×4⟩\nrm"),
        // Lines that hold only blanks, or only what cannot be seen, are empty as well.
        ("ls\n \n\t\n \nrm".to_owned(), "ls⟨U+000A⟩⟨U+0020⟩⟨U+000A⟩⟨U+0009⟩⟨U+000A⟩⟨U+0020⟩⟨U+000A⟩\nrm"),
        (
            "ls\r\n\r\n\r\n\r\nrm".to_owned(),
            "ls⟨U+000D⟩⟨U+000A⟩⟨U+000D⟩⟨U+000A⟩⟨U+000D⟩⟨U+000A⟩⟨U+000D⟩⟨U+000A⟩\nrm",
        ),
        (
            "ls\n\u{200b}\n\u{3164}\n\u{a0}\nrm".to_owned(),
            "ls⟨U+000A⟩⟨U+200B⟩⟨U+000A⟩⟨U+3164⟩⟨U+000A⟩⟨U+00A0⟩⟨U+000A⟩\nrm",
        ),
        ("ls\u{b}\u{c}\u{85}rm".to_owned(), "ls⟨U+000B⟩⟨U+000C⟩⟨U+0085⟩rm"),
    ] {
        assert_eq!(code(&pushed), shown, "{pushed:?}");
    }
}

#[test]
fn the_frame_of_a_request_cannot_be_imitated() {
    assert_eq!(code("ls\n┗ [y] once"), "ls\n⟨U+2517⟩ [y] once");
    assert_eq!(code("┏┃┃"), "⟨U+250F⟩⟨U+2503×2⟩");
}

/// What was meant by what is shown: a spelt break is followed by a break that only lays it out.
fn meant(shown: &str) -> Option<String> {
    let (mut text, mut rest) = (String::new(), shown);
    while let Some((before, after)) = rest.split_once('⟨') {
        text.push_str(before);
        let (code, behind) = after.split_once('⟩')?;
        let (code, times) = code.split_once('×').unwrap_or((code, "1"));
        let letter = char::from_u32(u32::from_str_radix(code.strip_prefix("U+")?, 16).ok()?)?;
        text.extend(std::iter::repeat_n(letter, times.parse().ok()?));
        rest = if letter == '\n' { behind.strip_prefix('\n').unwrap_or(behind) } else { behind };
    }
    text.push_str(rest);
    Some(text)
}

/// Why a reader of this could overlook something of it.
fn overlooked(shown: &str) -> Option<&'static str> {
    let columns = |blanks: &str| blanks.chars().map(|blank| if blank == '\t' { 8 } else { 1 }).sum::<usize>();
    if shown.chars().any(|character| {
        !matches!(character, '\n' | '\t' | '⟨' | '⟩') && (is_hidden(character) || character.is_control())
    }) {
        return Some("something invisible");
    }
    let mut empty = 0;
    for (number, line) in shown.split('\n').enumerate() {
        let visible = line.trim_matches([' ', '\t']);
        empty = if visible.is_empty() { empty + 1 } else { 0 };
        let indentation = line.len() - line.trim_start_matches([' ', '\t']).len();
        if columns(&line[..indentation]) > if number == 0 { 8 } else { 48 } {
            return Some("a long indentation");
        }
        // What is before the first break and behind the last one is no empty line between two.
        if empty > 4 {
            return Some("many empty lines");
        }
        if visible.split(|character| character != ' ' && character != '\t').any(|blanks| columns(blanks) > 8)
        {
            return Some("a long gap");
        }
    }
    None
}

fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just(" ".to_owned()),
        Just("\n".to_owned()),
        Just("\t".to_owned()),
        Just("\r\n".to_owned()),
        (1..70_usize).prop_map(|count| " ".repeat(count)),
        (1..9_usize).prop_map(|count| "\n".repeat(count)),
        (1..9_usize).prop_map(|count| "\t".repeat(count)),
        (1..9_usize).prop_map(|count| "\n ".repeat(count)),
        Just("⟨U+000A⟩".to_owned()),
        Just("⟨U+0020×9⟩".to_owned()),
        Just("┃ Where: On this server.".to_owned()),
        Just("rm -rf".to_owned()),
        Just("p\u{430}y".to_owned()),
        any::<char>().prop_map(String::from),
        "[\u{0}-\u{20}\u{80}-\u{a0}\u{2000}-\u{2070}\u{3164}\u{feff}]{1,6}",
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn whatever_is_asked_is_shown_whole_and_in_sight(text in hostile(), strict: bool) {
        for layout in [Layout::Lines, Layout::OneLine] {
            let shown = laid_out(&text, strict, layout);
            prop_assert_eq!(meant(&shown), Some(text.clone()), "{:?}", shown);
            prop_assert_eq!(overlooked(&shown), None, "{:?}", shown);
            if layout == Layout::OneLine {
                prop_assert!(!shown.contains('\t') && shown.split('\n').rev().skip(1).all(|line| line.ends_with('⟩')));
            }
        }
    }
}

#[test]
fn nothing_is_pushed_out_of_sight() {
    assert_eq!(loose(&format!("ls{}; rm -rf /", " ".repeat(5_000))), "ls⟨U+0020×5000⟩; rm -rf /");
    assert_eq!(loose(&format!("ls{}rm", "\n".repeat(900))), "ls⟨U+000A×900⟩\nrm");
    assert_eq!(loose("ls        rm"), "ls        rm");
}

#[test]
fn the_notation_cannot_be_imitated() {
    assert_eq!(loose("⟨U+202E⟩"), "⟨U+27E8⟩U+202E⟨U+27E9⟩");
}

#[test]
fn a_letter_that_looks_like_another_is_spelt_out_where_it_misleads() {
    assert_eq!(loose("p\u{0430}ypal"), "p⟨U+0430⟩ypal");
    assert_eq!(loose("\u{0441}\u{043e}\u{0440}"), "⟨U+0441⟩⟨U+043E⟩⟨U+0440⟩");
    assert_eq!(text("rm\u{2010}rf", true, true), "rm⟨U+2010⟩rf");
    let shown =
        arguments(&[("url", ArgumentKind::Url)], &json!({ "url": "https://\u{043f}р\u{0438}вет/" }), true);
    assert_eq!(
        shown[0].value,
        "https://⟨U+043F⟩⟨U+0440⟩\u{0438}⟨U+0432⟩\u{0435}\u{0442}/"
            .replace('\u{0435}', "⟨U+0435⟩")
            .replace('\u{0442}', "⟨U+0442⟩")
    );
}

#[test]
fn every_argument_is_there_whole_and_in_order() {
    let long = "x".repeat(100_000);
    let shown =
        arguments(&[], &json!({ "zeta": 1, "alpha": { "b": [1.0, 1], "a": null }, "text": long }), true);
    let names: Vec<&str> = shown.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["alpha", "text", "zeta"]);
    assert_eq!(shown[0].value, r#"{"a":null,"b":[1.0,1]}"#);
    assert_eq!(shown[1].value.len(), 100_000, "nothing is cut");
}

#[test]
fn two_texts_that_differ_are_shown_differently() {
    let pairs = [("a\u{200b}", "a"), ("\u{430}", "a"), (" ", "\u{a0}"), ("\n", " "), ("⟨", "<")];
    for (left, right) in pairs {
        assert_ne!(text(left, true, true), text(right, true, true));
    }
}
