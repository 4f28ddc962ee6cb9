use crate::{app::App, json::Json, problem::Problem};
use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
pub(crate) struct SetupState {
    /// There is no owner account yet. The terminal of the server shows the link that creates one.
    needed: bool,
}

/// A client that has no set-up link is told where to find it.
pub(crate) async fn get(State(app): State<App>) -> Result<Json<SetupState>, Problem> {
    Ok(Json(SetupState { needed: app.engine.people().owner().await?.is_none() }))
}
