use super::*;

fn names(body: &str) -> Option<Vec<String>> {
    model_list(body.as_bytes()).map(|models| models.into_iter().map(|model| model.name).collect())
}

#[test]
fn only_a_model_list_is_a_model_list() {
    assert_eq!(
        names(r#"{"object":"list","data":[{"id":"a"},{"id":"b/c","x":1}]}"#),
        Some(vec!["a".into(), "b/c".into()])
    );
    assert_eq!(names(r#"{"data":[{"id":"a"}]}"#), Some(vec!["a".into()]));
    assert_eq!(names(r#"{"object":"list","data":null}"#), Some(vec![]));
    for other in [
        "",
        "<html>",
        "[]",
        "{}",
        "null",
        r#"{"data":null}"#,
        r#"{"data":{"id":"a"}}"#,
        r#"{"data":[{"name":"a"}]}"#,
        r#"{"data":["a"]}"#,
        r#"{"object":"page","data":[{"id":"a"}]}"#,
        r#"{"data":[{"id":""}]}"#,
        r#"{"data":[{"id":7}]}"#,
    ] {
        assert_eq!(names(other), None, "{other}");
    }
}

#[test]
fn windows_and_prices_are_taken_from_who_gives_them() {
    let body = r#"{"data":[
        {"id":"v","max_model_len":32768},
        {"id":"l","meta":{"n_ctx_train":131072}},
        {"id":"o","context_length":200000,"pricing":{"prompt":"0.000003","completion":"0.000015","input_cache_read":"0.0000003"}},
        {"id":"d","context_length":0,"pricing":{"prompt":"-1","completion":"-1"}},
        {"id":"f","context_length":-5,"pricing":{"prompt":"0","completion":"0"}}]}"#;
    let models = model_list(body.as_bytes()).unwrap();
    let windows: Vec<_> = models.iter().map(|model| model.window).collect();
    assert_eq!(windows, [Some(32_768), Some(131_072), Some(200_000), None, None]);
    let prices: Vec<_> = models.iter().map(|model| model.price).collect();
    let paid = Price { input: 3_000_000, cached: Some(300_000), stored: None, output: 15_000_000 };
    let free = Price { input: 0, cached: None, stored: None, output: 0 };
    assert_eq!(prices, [None, None, Some(paid), None, Some(free)]);
}
