//! What an agent can be given. Never paged.

use crate::{app::App, lists::List, problem::Problem};
use axum::{
    Json,
    extract::{Path, State, rejection::PathRejection},
};
use capability::CapabilityView;

pub(crate) async fn list(State(app): State<App>) -> Json<List<CapabilityView>> {
    List::whole(app.engine.registry().list())
}

pub(crate) async fn get(
    State(app): State<App>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Json<CapabilityView>, Problem> {
    let found = id.ok().and_then(|Path(id)| app.engine.registry().get(&id));
    found.map(Json).ok_or_else(|| Problem::not_found("capability"))
}
