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
