//! What an agent can be given: what comes with the program, and what one wrote oneself. Never paged.

use crate::{app::App, caller::Caller, json::Json, lists::List, problem::Problem};
use axum::extract::{Path, State, rejection::PathRejection};
use capability::CapabilityView;

pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
) -> Result<Json<List<CapabilityView>>, Problem> {
    Ok(List::whole(app.engine.registry_for(caller.user_id).await?.list()))
}

pub(crate) async fn get(
    State(app): State<App>,
    caller: Caller,
    id: Result<Path<String>, PathRejection>,
) -> Result<Json<CapabilityView>, Problem> {
    let registry = app.engine.registry_for(caller.user_id).await?;
    let found = id.ok().and_then(|Path(id)| registry.get(&id));
    found.map(Json).ok_or_else(|| Problem::not_found("capability"))
}
