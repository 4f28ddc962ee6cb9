//! Is it there, and does it work?

use crate::{app::App, problem::Problem};
use axum::{Json, extract::State};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Health {
    /// `ok` or `ready`.
    status: &'static str,
}

pub(crate) async fn alive() -> Json<Health> {
    Json(Health { status: "ok" })
}

/// Ready is: the database answers, and new work is taken.
pub(crate) async fn ready(State(app): State<App>) -> Result<Json<Health>, Problem> {
    if app.stop.is_cancelled() || app.engine.is_draining() {
        return Err(engine::Error::ShuttingDown.into());
    }
    let found = app.engine.owner().await;
    found.map_err(|_| Problem::unavailable("unavailable", "the database does not answer"))?;
    Ok(Json(Health { status: "ready" }))
}
