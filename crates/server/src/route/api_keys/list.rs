use crate::{app::App, caller::Caller, lists::List, problem::Problem};
use axum::{Json, extract::State};
use domain::ApiKey;
use store::Tx;

pub(crate) async fn list(State(app): State<App>, caller: Caller) -> Result<Json<List<ApiKey>>, Problem> {
    let (store, user) = (app.engine.store(), caller.user_id);
    let key = store.data_key(user).await?;
    let read = async move |tx: &mut Tx| store::api_keys::list(tx, &key, user).await;
    Ok(List::whole(store.read(read).await?))
}
