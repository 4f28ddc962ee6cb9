use crate::{app::App, json::Json, lists::List, problem::Problem};
use axum::extract::State;
use domain::User;

pub(crate) async fn list(State(app): State<App>) -> Result<Json<List<User>>, Problem> {
    Ok(List::whole(app.engine.people().users().await?))
}
