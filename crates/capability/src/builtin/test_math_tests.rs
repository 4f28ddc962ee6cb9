use super::*;
use crate::fixture::{failure, run};
use proptest::prelude::*;

#[tokio::test]
async fn the_four_operations() {
    for (operation, a, b, result) in [
        (Operation::Add, json!(2), json!(3), json!(5)),
        (Operation::Subtract, json!(2), json!(3), json!(-1)),
        (Operation::Multiply, json!(4), json!(2.5), json!(10.0)),
        (Operation::Divide, json!(6), json!(3), json!(2)),
        (Operation::Divide, json!(1), json!(4), json!(0.25)),
        (Operation::Divide, json!(i64::MIN), json!(-1), json!(9_223_372_036_854_775_808_u64)),
        (Operation::Add, json!(9_007_199_254_740_993_i64), json!(0), json!(9_007_199_254_740_993_i64)),
    ] {
        let answer = run(&operation, json!({"a": a, "b": b})).await.unwrap();
        assert_eq!(answer, json!({"result": result, "operation": operation.name(), "a": a, "b": b}));
    }
}

#[tokio::test]
async fn whole_numbers_too_large_to_be_exact_become_fractions() {
    let answer = run(&Operation::Multiply, json!({"a": u64::MAX, "b": u64::MAX})).await.unwrap();
    assert!(answer["result"].as_f64().unwrap() > 3.4e38);
}

/// EVERRUNS-05
#[tokio::test]
async fn what_cannot_be_computed_is_said() {
    let add = failure(&Operation::Add, json!({"a": 1})).await;
    assert_eq!(add, "the required parameter `b` is missing");
    let text = failure(&Operation::Add, json!({"a": "1", "b": 2})).await;
    assert_eq!(text, "parameter `a` must be of type number");
    for zero in [json!(0), json!(0.0), json!(-0.0)] {
        let words = failure(&Operation::Divide, json!({"a": 1, "b": zero})).await;
        assert_eq!(words, "cannot divide by zero: parameter `b` must not be 0");
    }
    let overflow = failure(&Operation::Multiply, json!({"a": 1e300, "b": 1e300})).await;
    assert_eq!(overflow, "the result is too large to be a number");
}

fn any_number() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_map(|n| json!(n)),
        any::<u64>().prop_map(|n| json!(n)),
        any::<f64>().prop_map(|n| json!(n)),
        Just(Value::Null),
    ]
}

proptest! {
    #[test]
    fn any_two_numbers_give_a_number_or_words(a in any_number(), b in any_number()) {
        for operation in [Operation::Add, Operation::Subtract, Operation::Multiply, Operation::Divide] {
            let numbers = arguments::number(&json!({"a": a, "b": b}), "a").ok().cloned()
                .zip(arguments::number(&json!({"a": a, "b": b}), "b").ok().cloned());
            if let Some((a, b)) = numbers {
                match operation.compute(&a, &b) {
                    Ok(result) => prop_assert!(result.as_f64().is_some_and(f64::is_finite)),
                    Err(error) => prop_assert!(matches!(error, ToolError::Failed(_))),
                }
            }
        }
    }
}
