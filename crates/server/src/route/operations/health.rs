//! Is it there, and does it work?

use crate::{app::App, json::Json, problem::Problem};
use axum::extract::State;
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

/// Ready is: the database answers and takes changes, there is room in it, its keys are here, other nodes hear that this one is alive, and
/// new work is taken. Known at once, however the database is.
pub(crate) async fn ready(State(app): State<App>) -> Result<Json<Health>, Problem> {
    if app.stop.is_cancelled() || app.engine.is_draining() {
        return Err(engine::Error::ShuttingDown.into());
    }
    match app.engine.store().health().await {
        store::Health::Good if app.engine.is_cut_off() => return Err(away()),
        store::Health::Good => {}
        store::Health::Away => return Err(away()),
        store::Health::Full => {
            let detail =
                "The disk of the server is full, so nothing new can be saved. Free some space there.";
            return Err(Problem::unavailable("unavailable", detail));
        }
        store::Health::ReadOnly => {
            let detail = "The database can only be read at the moment, so nothing new can be saved.";
            return Err(Problem::unavailable("unavailable", detail));
        }
        store::Health::LacksKey => {
            let detail =
                "The master key was changed by another server. This one needs the new key and a restart.";
            return Err(Problem::unavailable("unavailable", detail));
        }
    }
    Ok(Json(Health { status: "ready" }))
}

fn away() -> Problem {
    Problem::unavailable("unavailable", "The database does not answer.")
}
