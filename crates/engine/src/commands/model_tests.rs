use super::*;

#[test]
fn prices_are_told_in_dollars() {
    assert_eq!(price_words(None), "price unknown");
    assert_eq!(price_words(Some(Price::FREE)), "free");
    let price = Price { input: 3_000_000, output: 15_050_000, ..Price::FREE };
    assert_eq!(price_words(Some(price)), "$3.00 per million tokens read and $15.05 written");
}

#[test]
fn a_model_is_told_with_what_it_costs_and_can_do() {
    let model = ModelInfo {
        id: "home/eyes".to_owned(),
        provider: "home".to_owned(),
        window: 32_768,
        max_output: None,
        price: Some(Price::FREE),
        abilities: vec!["tools".to_owned(), "images".to_owned(), "reasoning".to_owned()],
        default: true,
    };
    let told = listed(std::slice::from_ref(&model), "home/eyes");
    let line =
        "- `home/eyes`: free, sees pictures, thinks first, reads 32k tokens, default model (answers here)";
    assert!(told.ends_with(line), "{told}");
    let blind = ModelInfo { abilities: Vec::new(), price: None, window: 1_047_576, default: false, ..model };
    assert_eq!(about(&blind), "price unknown, reads 1m tokens");
}
