use super::*;
use chacha20poly1305::{
    KeyInit, XChaCha20Poly1305, XNonce,
    aead::{Aead, Payload},
};
use uuid::Uuid;

fn key(owner: u128, secret: u8) -> DataKey {
    let digests = Arc::new(Digests::new(&Secret::new([0; 32])).unwrap());
    DataKey::new(UserId::from_uuid(Uuid::from_u128(owner)), Secret::new([secret; 32]), digests)
}

#[test]
fn a_value_opens_in_its_place_and_nowhere_else() {
    let place = CellPlace::new("messages", "body", &"row");
    let sealed = key(1, 1).seal(place, b"words").unwrap();
    assert_eq!(key(1, 1).open(place, &sealed).unwrap(), b"words");
    for (table, column, row) in
        [("calls", "body", "row"), ("messages", "name", "row"), ("messages", "body", "other")]
    {
        let elsewhere = CellPlace::new(table, column, &row);
        assert_eq!(key(1, 1).open(elsewhere, &sealed), Err(elsewhere.refused()));
    }
    assert_eq!(key(2, 1).open(place, &sealed), Err(place.refused()), "another owner");
    assert_eq!(key(1, 2).open(place, &sealed), Err(place.refused()), "another key");
}

/// HERO-33
#[test]
fn the_same_words_are_sealed_differently_each_time() {
    let place = CellPlace::new("messages", "body", &"row");
    assert_ne!(key(1, 1).seal(place, b"words").unwrap(), key(1, 1).seal(place, b"words").unwrap());
}

#[test]
fn places_that_read_alike_are_told_apart() {
    let one = CellPlace::new("ab", "c", &"d").associated_data("e", 1);
    let two = CellPlace::new("a", "bc", &"d").associated_data("e", 1);
    let three = CellPlace::new("ab", "c", &"de").associated_data("", 1);
    assert!(one != two && one != three && two != three);
}

#[test]
fn a_key_does_not_show_itself() {
    let shown = format!("{:?}", key(1, 0x77));
    assert!(!shown.contains("77") && !shown.contains("119"), "{shown}");
}

#[test]
fn many_values_open_one_after_the_other_and_what_does_not_open_leaves_nothing() {
    let key = key(1, 1);
    let sealed: Vec<Vec<u8>> = (0_u64..3)
        .map(|row| {
            key.seal(CellPlace::new("events", "data", &row), format!("words {row}").as_bytes()).unwrap()
        })
        .collect();
    let mut opener = key.opener("events", "data");
    let mut plain = b"before ".to_vec();
    for (row, sealed) in sealed.iter().enumerate() {
        opener.open_into(&row, sealed, &mut plain).unwrap();
    }
    assert_eq!(plain, b"before words 0words 1words 2");
    let place = CellPlace::new("events", "data", &1);
    let mut spoiled = sealed[1].clone();
    *spoiled.last_mut().unwrap() ^= 1;
    for (row, sealed) in [(2, &sealed[1]), (1, &spoiled), (1, &sealed[1][..20].to_vec()), (1, &Vec::new())] {
        assert_eq!(opener.open_into(&row, sealed, &mut plain), Err(place.refused()));
    }
    assert_eq!(plain, b"before words 0words 1words 2");
    opener.open_into(&1, &sealed[1], &mut plain).unwrap();
    assert_eq!(plain, b"before words 0words 1words 2words 1");
}

/// Another implementation of the cipher, for what is in databases already.
fn other(secret: u8) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(&[secret; 32].into())
}

#[test]
fn what_one_implementation_seals_the_other_opens() {
    let key = key(1, 1);
    let place = CellPlace::new("messages", "body", &"row");
    let aad = place.associated_data(&key.0.owner_text, DataKey::VERSION);
    for length in [0, 1, 15, 16, 17, 63, 64, 65, 255, 256, 257, 1_000, 70_000] {
        let words: Vec<u8> = (0..length).map(|at: u32| at.to_le_bytes()[0]).collect();
        let ours = key.seal(place, &words).unwrap();
        let (header, sealed) = ours.split_at(HEADER);
        let nonce = XNonce::try_from(&header[5..]).unwrap();
        let payload = Payload { msg: sealed, aad: &aad };
        assert_eq!(other(1).decrypt(&nonce, payload).unwrap(), words, "{length} bytes of ours");

        let theirs = other(1).encrypt(&nonce, Payload { msg: &words, aad: &aad }).unwrap();
        assert_eq!([header, &theirs].concat(), ours, "{length} bytes of theirs");
    }
}

#[test]
fn numbered_values_open_where_they_are_and_nowhere_else() {
    let key = key(1, 1);
    let row = |number: u64| format!("session_1/{number}");
    let seal = |number| key.seal(CellPlace::new("events", "data", &row(number)), b"words").unwrap();
    let mut opener = key.numbered_opener("events", "data", "session_1");
    let mut plain = Vec::new();
    // Shorter numbers come behind longer ones, too.
    for number in [0, 9, 10, u64::MAX, 1_234_567, 7] {
        plain.clear();
        opener.open_into(number, &seal(number), &mut plain).unwrap();
        assert_eq!(plain, b"words", "{number}");
    }
    let refused = CellPlace::new("events", "data", &"").refused();
    assert_eq!(opener.open_into(71, &seal(7), &mut plain), Err(refused.clone()));
    let mut elsewhere = key.numbered_opener("events", "data", "session_");
    assert_eq!(elsewhere.open_into(7, &seal(7), &mut plain), Err(refused));
    assert_eq!(plain, b"words");
}
