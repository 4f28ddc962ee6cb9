use super::*;

const KINDS: [Kind; 4] = [Kind::Int, Kind::Text, Kind::Bytes, Kind::Text];

fn row() -> Vec<Arg> {
    vec![
        Arg::Int(Some(-5)),
        Arg::Text(Some("γειά".to_owned())),
        Arg::Bytes(Some(vec![0, 255, 7])),
        Arg::Text(None),
    ]
}

#[test]
fn a_row_comes_back_as_it_was() {
    let mut buffer = Vec::new();
    encode(&mut buffer, &row()).unwrap();
    let (head, rest) = buffer.split_first_chunk::<4>().unwrap();
    assert_eq!(announced(*head), Some(rest.len()));
    assert_eq!(decode(rest, &KINDS), Some(row()));
}

#[test]
fn what_is_no_row_is_refused() {
    let mut buffer = Vec::new();
    encode(&mut buffer, &row()).unwrap();
    let whole = &buffer[4..];
    for length in 0..whole.len() {
        assert_eq!(decode(&whole[..length], &KINDS), None, "cut to {length}");
    }
    assert_eq!(decode(whole, &KINDS[..3]), None, "a value too many");
    assert_eq!(decode(whole, &[Kind::Bytes; 4]), None, "other kinds");
    assert_eq!(decode(&[2, 255, 255, 255, 255], &[Kind::Text]), None, "an absurd length");
    assert_eq!(decode(&[2, 1, 0, 0, 0, 255], &[Kind::Text]), None, "no text");
    assert_eq!(announced([255; 4]), None);
}
