//! For the tests of this crate: a clock that stands still and a context.

use crate::{Clock, Ports, Tool, ToolContext, ToolError, Values};
use domain::{CallId, SessionId, Timestamp, TurnId, UserId};
use serde_json::Value;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Sunday, November 15, 2026, eight in the morning in UTC.
pub const NOW: Timestamp = Timestamp::from_millis(1_794_729_600_123);

struct Still(Timestamp);

impl Clock for Still {
    fn now(&self) -> Timestamp {
        self.0
    }
}

pub fn context_at(now: Timestamp, time_zone: &str) -> ToolContext {
    let id = Uuid::from_u128(1);
    ToolContext {
        session_id: SessionId::from_uuid(id),
        turn_id: TurnId::from_uuid(id),
        call_id: CallId::from_uuid(id),
        user_id: UserId::from_uuid(id),
        time_zone: time_zone.to_owned(),
        idempotency_key: "key".to_owned(),
        clock: Arc::new(Still(now)),
        cancelled: CancellationToken::new(),
        settings: Arc::default(),
        values: Values::default(),
        ports: Ports::default(),
    }
}

pub fn context() -> ToolContext {
    context_at(NOW, "UTC")
}

/// What a tool that awaits nothing outside answers.
pub async fn run(tool: &dyn Tool, arguments: Value) -> Result<Value, ToolError> {
    tool.run(&context(), arguments).await
}

/// The words of a failure that the model is told.
pub async fn failure(tool: &dyn Tool, arguments: Value) -> String {
    match run(tool, arguments.clone()).await {
        Err(ToolError::Failed(words)) => words,
        other => panic!("{arguments} should fail in words for the model, but gave {other:?}"),
    }
}
