//! The caller themself.

use crate::{app::App, caller::Caller, problem::Problem};
use axum::{Json, extract::State};
use domain::{UserId, UserRole};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Me {
    id: UserId,
    name: String,
    role: UserRole,
    time_zone: String,
    language: String,
}

impl Me {
    pub(crate) async fn of(app: &App, caller: Caller) -> Result<Self, Problem> {
        let user = app.engine.user(caller.user_id).await?;
        let (time_zone, language) = (user.time_zone, user.language);
        Ok(Self { id: user.id, name: user.name, role: user.role, time_zone, language })
    }
}

pub(crate) async fn get(State(app): State<App>, caller: Caller) -> Result<Json<Me>, Problem> {
    Me::of(&app, caller).await.map(Json)
}
