use crate::{app::App, lists::List};
use axum::{Json, extract::State};
use provider::ProviderStatus;

pub(crate) async fn list(State(app): State<App>) -> Json<List<ProviderStatus>> {
    List::whole(app.engine.providers())
}
