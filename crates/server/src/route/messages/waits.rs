//! What is answered while a turn waits for its person.

use crate::describe::{gives::Gives, shape::Shape};
use crate::json::Json;
use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use domain::{ApprovalId, QuestionId, TurnId};
use schemars::JsonSchema;
use serde::Serialize;

/// The turn waits for its person.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Waiting {
    pub(crate) turn_id: TurnId,
    pub(crate) outcome: InputRequired,
    pub(crate) waiting: Vec<WaitsFor>,
    /// What the agent has said so far; of the chat routes only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) response: Option<String>,
    /// Send the same message with this `Idempotency-Key` to get the answer later; for bridges only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) repeat_with: Option<String>,
}

#[derive(Clone, Copy, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum InputRequired {
    InputRequired,
}

#[derive(JsonSchema, Serialize)]
#[serde(untagged)]
pub(crate) enum WaitsFor {
    Question { question_id: QuestionId },
    Approval { approval_id: ApprovalId },
}

impl From<engine::WaitsFor> for WaitsFor {
    fn from(what: engine::WaitsFor) -> Self {
        match what {
            engine::WaitsFor::Question(question_id) => Self::Question { question_id },
            engine::WaitsFor::Approval(approval_id) => Self::Approval { approval_id },
        }
    }
}

/// The end of a turn, or what it waits for.
pub(crate) enum OrWaits<T> {
    Ended(Json<T>),
    Waits(Waiting),
}

impl<T: Serialize> IntoResponse for OrWaits<T> {
    fn into_response(self) -> Response {
        match self {
            Self::Ended(ended) => ended.into_response(),
            Self::Waits(waiting) => (StatusCode::ACCEPTED, Json(waiting)).into_response(),
        }
    }
}

impl<T: JsonSchema> Gives for OrWaits<T> {
    fn describe(shape: &mut Shape<'_>) {
        shape.answer::<T>(200, "application/json");
        shape.answer::<Waiting>(202, "application/json");
    }
}
