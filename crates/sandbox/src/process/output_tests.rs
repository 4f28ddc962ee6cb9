use super::*;

#[test]
fn both_ends_are_kept_however_it_comes() {
    let said: Vec<u8> = (0..1000_u32).flat_map(|number| format!("{number:03}\n").into_bytes()).collect();
    for piece in [1, 7, 100, 4000] {
        let mut captured = Captured::new(40);
        said.chunks(piece).for_each(|bytes| captured.push(bytes));
        assert_eq!(
            captured.text(),
            "000\n001\n002\n003\n004\n\n[… 3960 bytes left out …]\n995\n996\n997\n998\n999\n"
        );
        assert_eq!((captured.total(), captured.left_out()), (4000, 3960));
    }
}

#[test]
fn what_fits_is_kept_whole() {
    let mut captured = Captured::new(10);
    captured.push(b"0123456789");
    assert_eq!((captured.text().as_str(), captured.left_out()), ("0123456789", 0));
}

#[test]
fn a_place_is_found_again_in_what_was_kept() {
    let mut captured = Captured::new(100);
    captured.push("aü".as_bytes());
    captured.push(b"\xff\xe2\x82");
    captured.push(b"\xacz");
    assert_eq!(captured.text(), "aü\u{fffd}€z");
    // A character belongs to the piece in which it begins.
    assert_eq!(captured.places(&[0, 1, 2, 3, 4, 5, 6, 7, 8]), [0, 1, 2, 2, 3, 4, 4, 4, 5]);
    let mut captured = Captured::new(4);
    captured.push(b"abcdefgh");
    assert_eq!(captured.text(), "ab\n[… 4 bytes left out …]\ngh");
    let places = captured.places(&[1, 2, 3, 5, 6, 7, 8]);
    assert_eq!(places, [1, 2, 2, 2, 26, 27, 28], "what was left out is before the line that says so");
}

#[test]
fn the_order_of_both_streams_is_kept_from_both_ends() {
    let (out, err) = (Stream::Output, Stream::Errors);
    let mut order = Order::default();
    for (stream, said) in [(out, 1), (out, 5), (err, 2), (out, 6)] {
        order.note(stream, said);
    }
    assert_eq!(order.iter().collect::<Vec<_>>(), [(out, 5), (err, 2), (out, 6)]);
    for said in 7..100_000 {
        order.note(err, said);
        order.note(out, said);
    }
    let kept: Vec<_> = order.iter().collect();
    assert_eq!(kept.len(), 2 * CHANGES, "it does not grow without end");
    assert_eq!((kept.first(), kept.last()), (Some(&(out, 5)), Some(&(out, 99_999))));
}
