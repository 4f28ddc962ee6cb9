use crate::{
    app::App,
    caller::MaybeCaller,
    connection::detached::detached,
    json::Json,
    problem::Problem,
    request::{body::JsonBody, extract::Once},
};
use axum::{extract::State, http::StatusCode};
use domain::{User, UserRole};
use engine::NewPerson;
use schemars::JsonSchema;
use serde::Deserialize;

// Without `Debug`: it holds a password.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewUser {
    name: String,
    role: UserRole,
    password: Option<String>,
    time_zone: Option<String>,
}

/// At the terminal of a house without an owner there is no person yet who could ask.
pub(crate) async fn create(
    State(app): State<App>,
    _once: Once,
    MaybeCaller(caller): MaybeCaller,
    JsonBody(new): JsonBody<NewUser>,
) -> Result<(StatusCode, Json<User>), Problem> {
    let NewUser { name, role, password, time_zone } = new;
    let person = NewPerson { name, role, password, time_zone };
    let user = detached(async move {
        match caller {
            Some(caller) => app.engine.people().add_user(&caller.principal, person).await,
            None => app.engine.people().create_person(person).await,
        }
    });
    Ok((StatusCode::CREATED, Json(user.await?)))
}
