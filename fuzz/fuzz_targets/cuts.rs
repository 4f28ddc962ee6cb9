//! However a text is cut, also inside of a character, what is told is the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use markup::{Event, Options, Parser, Reading};

fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, options: Options) -> (Reading, usize) {
    let mut reading = Reading::default();
    let mut faults = 0;
    let mut note = |event: Event<'_>| {
        faults += usize::from(matches!(event, Event::ElementError { .. }));
        reading.note(event);
    };
    let mut parser = Parser::new(options);
    for piece in pieces {
        parser.push_bytes(piece, &mut note);
    }
    parser.finish(&mut note);
    (reading, faults)
}

fuzz_target!(|data: &[u8]| {
    let Some(([mode, size], text)) = data.split_first_chunk::<2>() else { return };
    let mut options = if mode & 1 == 0 { Options::default() } else { Options::display() };
    if mode & 2 != 0 {
        // Small limits are reached by small texts.
        options.limits = markup::Limits { tag: 24, call: 48, content: 16, depth: 3 };
    }
    let whole = read([text], options);
    let size = usize::from(*size).max(1);
    assert_eq!(read(text.chunks(size), options), whole);
    assert_eq!(read(text.chunks(1), options), whole);
    let cut = size % (text.len() + 1);
    assert_eq!(read([&text[..cut], &text[cut..]], options), whole);
});
