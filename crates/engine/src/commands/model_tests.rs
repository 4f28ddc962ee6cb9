use super::*;

#[test]
fn prices_are_told_in_dollars() {
    assert_eq!(price_words(None), "price unknown");
    assert_eq!(price_words(Some(Price::FREE)), "free");
    let price = Price { input: 3_000_000, output: 15_050_000, ..Price::FREE };
    assert_eq!(price_words(Some(price)), "$3.00 per million tokens read, $15.05 written");
}
