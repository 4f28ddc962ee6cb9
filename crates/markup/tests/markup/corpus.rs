//! What each reply of the corpus becomes, to be read by people.

use crate::told::told_in_pieces;
use markup::Options;

/// One file of the corpus.
macro_rules! file {
    ($name:ident) => {
        include_bytes!(concat!("../../corpus/", stringify!($name), ".txt")).as_slice()
    };
}

macro_rules! replies {
    ($($name:ident),*) => {
        pub const REPLIES: &[(&str, &[u8])] = &[
            $((stringify!($name), file!($name)),)*
            ("essay", file!(essay)),
            ("storm", file!(storm)),
        ];

        $(#[test]
        fn $name() {
            let options = Options { assertions: true, ..Options::default() };
            insta::assert_snapshot!(told_in_pieces([file!($name)], options).join("\n"));
        })*
    };
}

replies!(trip, code, calls, prompts, broken, bytes, assertions);
