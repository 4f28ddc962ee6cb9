use crate::{app::App, lists::List, problem::Problem};
use axum::{Json, extract::State};
use domain::User;
use store::Tx;

pub(crate) async fn list(State(app): State<App>) -> Result<Json<List<User>>, Problem> {
    let store = app.engine.store().clone();
    let read = async move |tx: &mut Tx| store::users::list(tx, store.vault()).await;
    Ok(List::whole(app.engine.store().read(read).await?))
}
