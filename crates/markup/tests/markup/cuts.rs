//! However a text is cut, what is told is the same.

use crate::{corpus::REPLIES, told::told_in_pieces};
use markup::Options;
use proptest::prelude::*;

const SIZES: [usize; 9] = [1, 2, 3, 4, 5, 7, 8, 64, 4096];

fn all_options() -> [Options; 3] {
    [Options::default(), Options::display(), Options { assertions: true, ..Options::default() }]
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
        which in 0..3_usize,
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
        prop_assert_eq!(told_in_pieces(pieces, options), whole.clone());
        prop_assert_eq!(told_in_pieces(text.chunks(1), options), whole);
    }
}
