use super::find;

/// Every position in every length around the borders between the ways of looking.
#[test]
fn the_first_of_the_wanted_bytes_is_found_wherever_it_is() {
    for length in 0..100 {
        let mut text = vec![b'a'; length];
        assert_eq!(find([b'<', b'`', b'\n'], &text), None);
        for at in 0..length {
            for (wanted, decoy) in [(b'<', b'`'), (b'`', b'\n'), (b'\n', b'<')] {
                text[at] = wanted;
                if let Some(later) = text.get_mut(at + 1) {
                    *later = decoy;
                }
                assert_eq!(find([b'<', b'`', b'\n'], &text), Some(at), "{length} {at}");
                text.fill(b'a');
            }
        }
    }
}

/// Bytes that differ from a wanted one only in their highest or lowest bit, next to each other.
#[test]
fn nothing_else_is_found() {
    let text: Vec<u8> = (0..=255_u8).filter(|byte| !matches!(byte, b'<' | b'`' | b'\n')).collect();
    for window in text.windows(8).chain(text.windows(60)) {
        assert_eq!(find([b'<', b'`', b'\n'], window), None, "{window:?}");
        assert_eq!(find([b'<'], window), None);
    }
}
