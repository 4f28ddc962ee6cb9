use crate::{app::App, caller::Caller, json::Json, lists::List, problem::Problem};
use axum::extract::State;
use domain::Login;
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
pub(crate) struct LoginView {
    #[serde(flatten)]
    login: Login,
    /// The one that this request came with.
    current: bool,
}

pub(crate) async fn list(State(app): State<App>, caller: Caller) -> Result<Json<List<LoginView>>, Problem> {
    let own = caller.principal.login_id();
    let logins = app.engine.people().logins(caller.user_id).await?;
    let view = |login: Login| LoginView { current: Some(login.id) == own, login };
    Ok(List::whole(logins.into_iter().map(view).collect()))
}
