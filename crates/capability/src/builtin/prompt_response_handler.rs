//! `prompt_response_handler`: reminds the agent that prompts of its own wait for an answer, so that one that comes in words
//! is recorded.

use crate::{Capability, CapabilityInfo, Condition, ConditionContext, ConditionError, ConditionWords};
use serde_json::{Value, json};
use std::sync::Arc;

/// So that an agent that asked a hundred things is not told all of them.
const TOLD: usize = 10;
const QUESTION_CHARS: usize = 300;
const GUIDANCE: &str = "Some prompts in your messages have no answer yet. If what the person says answers one of them, \
     record it with `@system(update_prompt, {message_id: \"…\", prompt_id: \"…\", answer: \"…\"})` before you go on. If it \
     is about something else, leave them open.";

pub struct PromptResponseHandler;

impl Capability for PromptResponseHandler {
    fn info(&self) -> CapabilityInfo {
        CapabilityInfo::builtin(
            "prompt_response_handler",
            "Prompt Answers",
            "Reminds the agent of its prompts that are not answered yet, so that an answer in a message is recorded.",
        )
        .shown_as("message-circle-question", "Conversation")
    }

    fn condition(&self) -> Option<Arc<dyn Condition>> {
        Some(Arc::new(Unanswered))
    }
}

struct Unanswered;

impl Condition for Unanswered {
    fn describe(&self) -> String {
        "prompts of the agent are not answered yet".to_owned()
    }

    fn holds(&self, context: &ConditionContext) -> Result<Option<ConditionWords>, ConditionError> {
        if context.unanswered.is_empty() {
            return Ok(None);
        }
        let told = context.unanswered.iter().take(TOLD);
        let prompts: Vec<Value> = told
            .map(|prompt| {
                let question = crate::arguments::shorten(&prompt.question, QUESTION_CHARS);
                json!({ "message_id": prompt.message_id, "prompt_id": prompt.prompt_id, "question": question })
            })
            .collect();
        Ok(Some(ConditionWords {
            message: GUIDANCE.to_owned(),
            details: json!({ "unanswered_prompts": prompts }),
        }))
    }
}

#[cfg(test)]
#[path = "prompt_response_handler_tests.rs"]
mod tests;
