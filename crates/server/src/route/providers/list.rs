use crate::{app::App, json::Json, lists::List, problem::Problem};
use axum::extract::State;
use provider::ProviderStatus;

pub(crate) async fn list(State(app): State<App>) -> Result<Json<List<ProviderStatus>>, Problem> {
    Ok(List::whole(app.engine.providers().await?))
}
