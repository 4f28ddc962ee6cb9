use super::*;
use uuid::Uuid;

fn key(owner: u128, secret: u8) -> DataKey {
    let digests = Arc::new(Digests::new(&Secret::new([0; 32])).unwrap());
    DataKey::new(UserId::from_uuid(Uuid::from_u128(owner)), Secret::new([secret; 32]), digests)
}

#[test]
fn a_value_opens_in_its_place_and_nowhere_else() {
    let place = Place::new("messages", "body", &"row");
    let sealed = key(1, 1).seal(place, b"words").unwrap();
    assert_eq!(key(1, 1).open(place, &sealed).unwrap(), b"words");
    for (table, column, row) in
        [("calls", "body", "row"), ("messages", "name", "row"), ("messages", "body", "other")]
    {
        let elsewhere = Place::new(table, column, &row);
        assert_eq!(key(1, 1).open(elsewhere, &sealed), Err(elsewhere.refused()));
    }
    assert_eq!(key(2, 1).open(place, &sealed), Err(place.refused()), "another owner");
    assert_eq!(key(1, 2).open(place, &sealed), Err(place.refused()), "another key");
}

/// HERO-33
#[test]
fn the_same_words_are_sealed_differently_each_time() {
    let place = Place::new("messages", "body", &"row");
    assert_ne!(key(1, 1).seal(place, b"words").unwrap(), key(1, 1).seal(place, b"words").unwrap());
}

#[test]
fn places_that_read_alike_are_told_apart() {
    let one = Place::new("ab", "c", &"d").associated_data("e", 1);
    let two = Place::new("a", "bc", &"d").associated_data("e", 1);
    let three = Place::new("ab", "c", &"de").associated_data("", 1);
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
        .map(|row| key.seal(Place::new("events", "data", &row), format!("words {row}").as_bytes()).unwrap())
        .collect();
    let mut opener = key.opener("events", "data");
    let mut plain = b"before ".to_vec();
    for (row, sealed) in sealed.iter().enumerate() {
        opener.open_into(&row, sealed, &mut plain).unwrap();
    }
    assert_eq!(plain, b"before words 0words 1words 2");
    let place = Place::new("events", "data", &1);
    let mut spoiled = sealed[1].clone();
    *spoiled.last_mut().unwrap() ^= 1;
    for (row, sealed) in [(2, &sealed[1]), (1, &spoiled), (1, &sealed[1][..20].to_vec()), (1, &Vec::new())] {
        assert_eq!(opener.open_into(&row, sealed, &mut plain), Err(place.refused()));
    }
    assert_eq!(plain, b"before words 0words 1words 2");
    opener.open_into(&1, &sealed[1], &mut plain).unwrap();
    assert_eq!(plain, b"before words 0words 1words 2words 1");
}
