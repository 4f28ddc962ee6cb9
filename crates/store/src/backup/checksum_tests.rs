use super::*;

fn sum(rows: &[&str]) -> RowSum {
    let mut sum = RowSum::default();
    rows.iter().for_each(|row| sum.add(row.as_bytes()));
    sum
}

#[test]
fn the_order_of_rows_does_not_count_but_everything_else_does() {
    assert_eq!(sum(&["a", "b", "c"]), sum(&["c", "a", "b"]));
    assert_ne!(sum(&["a", "b"]), sum(&["a", "c"]));
    assert_ne!(sum(&["a", "a"]), sum(&[]), "twice the same is not nothing");
    assert_ne!(sum(&["a", "a"]), sum(&["a"]));
    assert_ne!(checksum(&[1], [("t", 1, "x")].into_iter()), checksum(&[1, 2], [("t", 1, "x")].into_iter()));
    assert_ne!(checksum(&[1], [("t", 1, "x")].into_iter()), checksum(&[1], [("u", 1, "x")].into_iter()));
}

#[test]
fn the_sum_carries() {
    // 512 rows overflow the lowest byte whatever they are.
    let many: Vec<String> = (0..512).map(|number| number.to_string()).collect();
    let mut forth = RowSum::default();
    many.iter().for_each(|row| forth.add(row.as_bytes()));
    let mut back = RowSum::default();
    many.iter().rev().for_each(|row| back.add(row.as_bytes()));
    assert_eq!((forth, forth.rows), (back, 512));
}

#[test]
fn digests_are_written_in_hexadecimal() {
    assert_eq!(hex(&[0, 255, 16]), "00ff10");
}
