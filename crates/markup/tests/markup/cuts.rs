//! However a text is cut, what is told is the same.

use crate::{corpus::REPLIES, told::told_in_pieces};
use markup::{Limits, Options, Parser, Reading};
use proptest::prelude::*;

const SIZES: [usize; 9] = [1, 2, 3, 4, 5, 7, 8, 64, 4096];

fn all_options() -> [Options; 4] {
    let small = Limits { tag: 24, call: 48, content: 16, depth: 3 };
    [
        Options::default(),
        Options::display(),
        Options { assertions: true, ..Options::default() },
        Options { limits: small, ..Options::default() },
    ]
}

/// Everything a text in pieces holds, with attributes and places.
fn reading_in_pieces<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, options: Options) -> Reading {
    let mut reading = Reading::default();
    let mut parser = Parser::new(options);
    for piece in pieces {
        parser.push_bytes(piece, |event| reading.note(event));
    }
    parser.finish(|event| reading.note(event));
    reading
}

#[test]
fn every_reply_of_the_corpus_cut_at_every_byte_says_the_same() {
    for (name, text) in REPLIES {
        assert!(text.len() <= 8192);
        let whole = told_in_pieces([*text], Options::default());
        for cut in 0..=text.len() {
            let pieces = [&text[..cut], &text[cut..]];
            assert_eq!(told_in_pieces(pieces, Options::default()), whole, "{name} cut at {cut}");
        }
    }
}

#[test]
fn every_reply_of_the_corpus_in_equal_pieces_says_the_same() {
    for (name, text) in REPLIES {
        for options in all_options() {
            let whole = told_in_pieces([*text], options);
            for size in SIZES {
                let pieces = told_in_pieces(text.chunks(size), options);
                assert_eq!(pieces, whole, "{name} in pieces of {size} with {options:?}");
            }
        }
    }
}

#[test]
fn a_choice_that_is_too_long_is_so_however_it_is_cut() {
    let options = Options { limits: Limits { content: 4, ..Limits::default() }, ..Options::default() };
    let offered = |choice: &str| format!("<hml-prompt>Q?<option>{choice}</option></hml-prompt>");
    for (choice, error) in [
        ("abcd", None),
        (
            "abcde",
            Some(
                "Element <hml-prompt> is longer than 4 bytes and is not used; write less, or write it to a file",
            ),
        ),
    ] {
        let text = offered(choice);
        let whole = reading_in_pieces([text.as_bytes()], options);
        assert_eq!(whole.elements[0].error.as_deref(), error);
        let choices = whole.elements[0].attributes.get("options");
        assert_eq!(choices.is_some_and(|choices| choices.contains(choice)), error.is_none());
        for cut in 0..=text.len() {
            let (head, tail) = text.as_bytes().split_at(cut);
            assert_eq!(reading_in_pieces([head, tail], options), whole, "{choice} cut at {cut}");
        }
    }
}

/// Pieces of syntax, whole and broken, so that random texts are not only text.
#[rustfmt::skip]
const FRAGMENTS: &[&str] = &[
    "<bash>", "</bash>", "<BASH", "</bash ", "<todo>", "</todo>", "<item status='x'>", "</item>", "<copy/>", "<",
    "</", ">", "/>", "`", "``", "```", "~~~", "\n", "\n\n", "    ", "  ", "\t", "\r\n", "> ", "- ", "1. ", "# ",
    "---", "@system(", "@user(ask", "help", ")", ",", "{", "}", "[", "]", "{a:1}", "'", "\"", "\\", ":", "=",
    "<interaction>", "</interaction>", "<interaction type=a>", "{\"interaction_id\":\"a\",",
    "\"target_id\":\"@system\",", "\"target_property\":\"help\"}", "<tool_use name=\"x\">", "</tool_use>",
    "<function_call name=y>", "</function_call>", "<parallel_tool_calls>", "</parallel_tool_calls>",
    "<hml-prompt id=p>", "</hml-prompt>", "<option>", "</option>", "<data>", "[1]", "</data>", "<thinking a=\"",
    "&amp;", "é", "日本", "😀", "\0", "```json\n", "text", " ",
];

fn fragment() -> impl Strategy<Value = String> {
    let syntax = prop::sample::select(FRAGMENTS);
    prop_oneof![4 => syntax.prop_map(str::to_owned), 1 => "\\PC{0,6}"]
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    let syntax = prop::collection::vec(fragment(), 0..40).prop_map(|parts| parts.concat().into_bytes());
    let bytes = prop::collection::vec(any::<u8>(), 0..80);
    prop_oneof![6 => syntax, 1 => bytes]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_text_cut_anywhere_says_the_same(
        text in text(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        which in 0..4_usize,
    ) {
        let options = all_options()[which];
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        cuts.sort_unstable();
        let mut pieces = Vec::new();
        let mut from = 0;
        for cut in cuts {
            pieces.push(&text[from..cut]);
            from = cut;
        }
        pieces.push(&text[from..]);
        let whole = told_in_pieces([text.as_slice()], options);
        prop_assert_eq!(told_in_pieces(pieces.iter().copied(), options), whole.clone());
        prop_assert_eq!(
            reading_in_pieces(pieces, options),
            reading_in_pieces([text.as_slice()], options)
        );
        prop_assert_eq!(told_in_pieces(text.chunks(1), options), whole);
    }
}
