use super::path::PromptPath;
use crate::{app::App, caller::Caller, json::Json, problem::Problem, request::body::JsonBody};
use axum::extract::State;
use domain::Message;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PromptAnswer")]
pub(crate) struct PromptAnswerBody {
    /// In the form of the prompt: words, a number, one of its options.
    answer: PromptValue,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Answer")]
enum PromptValue {
    Text(String),
    Truth(bool),
    Number(serde_json::Number),
    Several(Vec<String>),
}

impl PromptValue {
    fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Truth(truth) => truth.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Several(several) => serde_json::Value::from(several).to_string(),
        }
    }
}

/// Answers a prompt, or answers it again; gives the message as it is shown then.
pub(crate) async fn answer(
    State(app): State<App>,
    caller: Caller,
    path: PromptPath,
    JsonBody(PromptAnswerBody { answer }): JsonBody<PromptAnswerBody>,
) -> Result<Json<Message>, Problem> {
    let PromptPath { session, message, prompt } = path;
    let answer = answer.into_text();
    Ok(Json(app.engine.answer_prompt(caller.user_id, session, message, prompt, answer).await?))
}
