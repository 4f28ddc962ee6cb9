use super::*;
use serde_json::json;

fn words<T: std::fmt::Debug>(result: Result<T, ToolError>) -> String {
    result.unwrap_err().message_for_model().to_owned()
}

#[test]
fn a_missing_number_is_never_zero() {
    assert_eq!(words(number(&json!({}), "a")), "the required parameter `a` is missing");
    assert_eq!(words(number(&json!({"a": "1"}), "a")), "parameter `a` must be of type number");
    assert_eq!(words(number(&Value::Null, "a")), "the required parameter `a` is missing");
    assert_eq!(number(&json!({"a": 1}), "a").unwrap(), &Number::from(1));
}

#[test]
fn text_is_trimmed_and_bounded_in_characters() {
    assert_eq!(text(&json!({"t": " Αθήνα "}), "t", 5).unwrap(), "Αθήνα");
    assert_eq!(words(text(&json!({"t": "Αθήνας"}), "t", 5)), "parameter `t` must have at most 5 characters");
    assert_eq!(words(text(&json!({"t": " \n"}), "t", 5)), "parameter `t` must not be empty");
    assert_eq!(words(text(&json!({"t": 1}), "t", 5)), "parameter `t` must be of type string");
    assert_eq!(words(text(&json!({"t": null}), "t", 5)), "the required parameter `t` is missing");
}

#[test]
fn a_choice_has_a_default_and_names_the_others() {
    assert_eq!(choice(&json!({}), "c", &["x", "y"]).unwrap(), "x");
    assert_eq!(choice(&json!({"c": "y"}), "c", &["x", "y"]).unwrap(), "y");
    assert_eq!(words(choice(&json!({"c": "z"}), "c", &["x", "y"])), "parameter `c` must be one of: x, y");
}

#[test]
fn a_whole_number_stays_within_its_range() {
    let read = |value: Value| whole_number(&json!({ "n": value }), "n", 3, 1..=7);
    assert_eq!(read(Value::Null), Ok(3));
    assert_eq!(read(json!(7)), Ok(7));
    assert_eq!(read(json!(2.0)), Ok(2));
    for bad in [json!(0), json!(8), json!(-1), json!(2.5), json!(1e300), json!("3"), json!(u64::MAX)] {
        assert_eq!(words(read(bad)), "parameter `n` must be a whole number from 1 to 7");
    }
}

#[test]
fn shortening_cuts_between_characters() {
    assert_eq!(shorten("Αθήνα", 5), "Αθήνα");
    assert_eq!(shorten("Αθήνα", 2), "Αθ…");
}
