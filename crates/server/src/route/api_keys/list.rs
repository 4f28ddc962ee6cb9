use crate::{app::App, caller::Caller, json::Json, lists::List, problem::Problem};
use axum::extract::State;
use domain::ApiKey;

pub(crate) async fn list(State(app): State<App>, caller: Caller) -> Result<Json<List<ApiKey>>, Problem> {
    Ok(List::whole(app.engine.people().api_keys(caller.user_id).await?))
}
