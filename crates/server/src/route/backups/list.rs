use crate::{app::App, json::Json, lists::List, problem::Problem};
use axum::extract::State;
use engine::Backup;

/// Never paged: they are thinned out. The one that is being made comes first, with how far it is.
pub(crate) async fn list(State(app): State<App>) -> Result<Json<List<Backup>>, Problem> {
    Ok(List::whole(app.engine.backups().await?))
}
