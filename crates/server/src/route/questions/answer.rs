use crate::{
    app::App,
    caller::Caller,
    json::Json,
    problem::Problem,
    request::{body::JsonBody, extract::Id},
};
use axum::extract::State;
use domain::{Question, QuestionId};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewAnswer")]
pub(crate) struct QuestionAnswerBody {
    /// One of the options, by its words or its number, or anything else.
    answer: String,
}

/// Answers a question; the turn that waits for it goes on.
pub(crate) async fn answer(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<QuestionId>,
    JsonBody(QuestionAnswerBody { answer }): JsonBody<QuestionAnswerBody>,
) -> Result<Json<Question>, Problem> {
    Ok(Json(app.engine.answer_question(caller.user_id, id, answer).await?))
}
