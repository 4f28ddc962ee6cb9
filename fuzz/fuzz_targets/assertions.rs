//! A reply is a block of assertions or text; never both, however it is cut.
#![no_main]

use libfuzzer_sys::fuzz_target;
use markup::{Options, Parser, Reading, read};

fuzz_target!(|body: &str| {
    let options = Options { assertions: true, ..Options::default() };
    for text in [body.to_owned(), format!("```json\n{body}\n```")] {
        let whole = read(&text, options);
        let mut pieces = Reading::default();
        let mut parser = Parser::new(options);
        for piece in text.as_bytes().chunks(3) {
            parser.push_bytes(piece, |event| pieces.note(event));
        }
        parser.finish(|event| pieces.note(event));
        assert_eq!(pieces, whole);
        let asserted = whole.calls.iter().any(|call| call.origin == domain::Origin::Assertion);
        assert!(!asserted || (whole.text.is_empty() && whole.elements.is_empty()));
        if !asserted {
            assert_eq!(whole, read(&text, Options::default()), "otherwise nothing is different");
        }
    }
});
