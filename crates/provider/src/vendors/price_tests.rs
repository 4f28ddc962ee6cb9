use super::*;

/// HERO-35
#[test]
fn cached_tokens_have_their_own_price() {
    let price = Price { input: 2_500_000, cached: Some(1_250_000), stored: None, output: 10_000_000 };
    let tokens = Tokens { input: 1_000, output: 100, cached: 400, stored: 0 };
    assert_eq!(price.cost(tokens), 1_500 + 500 + 1_000);
    assert_eq!(Price { cached: None, ..price }.cost(tokens), 2_500 + 1_000);
}

#[test]
fn tokens_that_are_stored_have_their_own_price() {
    let price =
        Price { input: 3_000_000, cached: Some(300_000), stored: Some(3_750_000), output: 15_000_000 };
    let tokens = Tokens { input: 10_000, output: 0, cached: 6_000, stored: 2_000 };
    assert_eq!(price.cost(tokens), 6_000 + 1_800 + 7_500);
    assert_eq!(Price { stored: None, ..price }.cost(tokens), 6_000 + 1_800 + 6_000);
}

#[test]
fn a_fraction_of_a_microdollar_counts_as_one() {
    let price = Price { input: 1, cached: None, stored: None, output: 1 };
    assert_eq!(price.cost(Tokens { input: 1, ..Tokens::default() }), 1);
    assert_eq!(price.cost(Tokens::default()), 0);
}

#[test]
fn absurd_numbers_do_not_overflow() {
    let price = Price { input: u64::MAX, cached: Some(u64::MAX), stored: Some(u64::MAX), output: u64::MAX };
    let tokens = Tokens { input: u64::MAX, output: u64::MAX, cached: u64::MAX, stored: u64::MAX };
    assert_eq!(price.cost(tokens), u64::MAX);
    assert_eq!(Price::FREE.cost(tokens), 0);
}

#[test]
fn an_estimate_is_a_quarter_of_ascii_and_half_of_the_rest() {
    assert_eq!(estimate(""), 0);
    assert_eq!(estimate("a"), 1);
    assert_eq!(estimate("abcdefgh"), 2);
    assert_eq!(estimate("日本"), 3);
}
