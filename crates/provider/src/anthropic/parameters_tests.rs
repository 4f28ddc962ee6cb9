use super::*;

fn written(parameters: Parameters, accepts: &Accepts, may_think: bool) -> Value {
    let mut body = Map::new();
    write(&mut body, &parameters, accepts, may_think);
    Value::Object(body)
}

fn with(thinking: Thinking) -> Accepts {
    Accepts { thinking, max_output: Some(64_000), ..Accepts::default() }
}

fn reasoning(reasoning: Reasoning) -> Parameters {
    Parameters { reasoning: Some(reasoning), temperature: Some(0.3), ..Parameters::default() }
}

#[test]
fn each_form_of_thinking_has_its_words() {
    let always = Thinking::Adaptive { always: true };
    let never = Thinking::Adaptive { always: false };
    for (thinking, wanted, expected) in [
        (
            Thinking::Budget,
            Reasoning::Low,
            json!({"max_tokens": 18_432, "thinking": {"type": "enabled", "budget_tokens": 2_048}}),
        ),
        (
            Thinking::Budget,
            Reasoning::Off,
            json!({"max_tokens": 16_384, "temperature": 0.3, "thinking": {"type": "disabled"}}),
        ),
        (
            never.clone(),
            Reasoning::High,
            json!({"max_tokens": 16_384, "thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}}),
        ),
        (
            never,
            Reasoning::Off,
            json!({"max_tokens": 16_384, "temperature": 0.3, "thinking": {"type": "disabled"}}),
        ),
        (
            always,
            Reasoning::Off,
            json!({"max_tokens": 16_384, "temperature": 0.3, "output_config": {"effort": "low"}}),
        ),
        (Thinking::Fixed, Reasoning::High, json!({"max_tokens": 16_384, "temperature": 0.3})),
        (Thinking::Unknown, Reasoning::High, json!({"max_tokens": 16_384, "temperature": 0.3})),
    ] {
        assert_eq!(
            written(reasoning(wanted), &with(thinking.clone()), true),
            expected,
            "{thinking:?} {wanted:?}"
        );
    }
}

#[test]
fn thinking_that_does_not_fit_is_left_out() {
    let parameters = |max_tokens| Parameters { max_tokens: Some(max_tokens), ..reasoning(Reasoning::High) };
    let budget =
        |max_tokens| written(parameters(max_tokens), &with(Thinking::Budget), true)["thinking"].clone();
    assert_eq!(budget(2_047), Value::Null);
    assert_eq!(budget(2_048), json!({"type": "enabled", "budget_tokens": 1_024}));
    assert_eq!(budget(100_000), json!({"type": "enabled", "budget_tokens": 24_576}));
    assert_eq!(written(reasoning(Reasoning::High), &with(Thinking::Budget), false)["thinking"], Value::Null);
}

#[test]
fn the_limit_is_what_was_asked_for_within_what_the_model_can() {
    let limit = |max_tokens, accepts: &Accepts| {
        reply_tokens(&Parameters { max_tokens, ..Parameters::default() }, accepts)
    };
    let small = Accepts { max_output: Some(4_096), ..Accepts::default() };
    let unknown = Accepts::default();
    assert_eq!((limit(None, &small), limit(Some(9_000), &small), limit(Some(9), &small)), (4_096, 4_096, 9));
    assert_eq!((limit(None, &unknown), limit(Some(9_000), &unknown)), (4_096, 9_000));
}

#[test]
fn models_that_take_no_temperature_get_none() {
    let accepts = Accepts { sampling: false, ..Accepts::default() };
    let parameters = Parameters { temperature: Some(0.5), top_p: Some(0.5), ..Parameters::default() };
    assert_eq!(written(parameters, &accepts, true), json!({"max_tokens": 4_096}));
}
