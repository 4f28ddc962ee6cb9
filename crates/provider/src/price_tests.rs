use super::*;

#[test]
fn cached_tokens_have_their_own_price() {
    let price = Price { input: 2_500_000, cached: Some(1_250_000), output: 10_000_000 };
    let tokens = Tokens { input: 1_000, output: 100, cached: 400 };
    assert_eq!(price.cost(tokens), 1_500 + 500 + 1_000);
    assert_eq!(Price { cached: None, ..price }.cost(tokens), 2_500 + 1_000);
}

#[test]
fn a_fraction_of_a_microdollar_counts_as_one() {
    let price = Price { input: 1, cached: None, output: 1 };
    assert_eq!(price.cost(Tokens { input: 1, output: 0, cached: 0 }), 1);
    assert_eq!(price.cost(Tokens::default()), 0);
}

#[test]
fn absurd_numbers_do_not_overflow() {
    let price = Price { input: u64::MAX, cached: Some(u64::MAX), output: u64::MAX };
    let tokens = Tokens { input: u64::MAX, output: u64::MAX, cached: u64::MAX };
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
