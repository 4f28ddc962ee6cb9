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

/// Where `KEY` stands.
fn keys(bytes: &[u8]) -> Vec<Range<usize>> {
    let starts = bytes.windows(KEY.len()).enumerate().filter(|(_, window)| *window == KEY.as_bytes());
    starts.map(|(at, _)| at..at + KEY.len()).collect()
}

const KEY: &str = "<secret>";

#[test]
fn no_half_is_kept_of_what_a_cut_goes_through() {
    // The cuts are behind the first ten bytes and before the last ten, and go through the key at every place of it.
    for (before, behind) in (0..=10).flat_map(|before| (0..=10).map(move |behind| (before, behind))) {
        for middle in ["", "-", &"-".repeat(40_000)] {
            let said = format!("{:.>before$}{KEY}{middle}{KEY}{:.>behind$}", "", "");
            for piece in [7, said.len()] {
                let mut captured = Captured::new(20);
                said.as_bytes().chunks(piece).for_each(|bytes| captured.push(bytes));
                let cut = captured.text();
                captured.drop_halves(keys);
                let text = captured.text();
                if said.len() <= 20 {
                    assert_eq!(text, said);
                    continue;
                }
                let (head, rest) = text.split_once("\n[…").unwrap();
                let tail = rest.split_once("…]\n").unwrap().1;
                let half = |end: &str| end.replace(KEY, "").contains(['<', '>', 's']);
                assert!(!half(head) && !half(tail), "{before} {behind}: {text}");
                assert_eq!(captured.left_out(), (said.len() - head.len() - tail.len()) as u64);
                let (most, least) = (before.min(10), behind.min(10));
                assert!(head.len() >= most && tail.len() >= least, "no more than the key goes: {text}");
                if (3..10).contains(&before) {
                    assert!(cut.starts_with(&format!("{:.>before$}<", "")), "the control: {cut}");
                }
                captured.drop_halves(keys);
                assert_eq!(captured.text(), text, "once is enough");
            }
        }
    }
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
