use crate::{app::App, json::Json, lists::List};
use axum::extract::State;
use provider::ProviderStatus;

pub(crate) async fn list(State(app): State<App>) -> Json<List<ProviderStatus>> {
    List::whole(app.engine.providers())
}
