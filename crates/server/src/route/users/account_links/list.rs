use crate::{app::App, json::Json, lists::List, problem::Problem};
use axum::extract::State;
use domain::AccountLink;

pub(crate) async fn list(State(app): State<App>) -> Result<Json<List<AccountLink>>, Problem> {
    Ok(List::whole(app.engine.people().account_links().await?))
}
