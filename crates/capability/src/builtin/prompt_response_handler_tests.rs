use super::*;
use crate::{OpenPrompt, Values};
use domain::{MessageId, Source};

fn context(unanswered: Vec<OpenPrompt>) -> ConditionContext {
    ConditionContext {
        message: "<interaction> is only a word here".to_owned(),
        source: Source::Web,
        recent_tools: Vec::new(),
        unanswered,
        step: 1,
        at: crate::fixture::NOW,
        time_zone: "UTC".to_owned(),
        settings: Default::default(),
        messages: Arc::default(),
        values: Values::default(),
    }
}

/// HERO-81
#[test]
fn it_holds_while_prompts_wait_and_names_at_most_ten() {
    let prompt = |number: u128| OpenPrompt {
        message_id: MessageId::from_uuid(uuid::Uuid::from_u128(number)),
        prompt_id: format!("p{number}"),
        question: "Which? ".repeat(200),
    };
    assert_eq!(Unanswered.holds(&context(Vec::new())).unwrap(), None);
    let held = Unanswered.holds(&context((1..=30).map(prompt).collect())).unwrap().unwrap();
    let prompts = held.details["unanswered_prompts"].as_array().unwrap();
    assert_eq!(prompts.len(), TOLD);
    assert_eq!(prompts[0]["prompt_id"], "p1");
    assert!(prompts[0]["question"].as_str().unwrap().chars().count() <= QUESTION_CHARS + 1);
    assert!(held.message.contains("update_prompt"));
}
