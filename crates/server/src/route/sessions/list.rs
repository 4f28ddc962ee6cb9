use crate::{
    app::App,
    caller::Caller,
    extract::{Query, parameter},
    lists::{List, page},
    problem::Problem,
};
use axum::{Json, extract::State};
use domain::Session;
use schemars::JsonSchema;
use serde::Deserialize;
use store::sessions::SessionFilter;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionQuery {
    #[schemars(with = "Option<bool>")]
    archived: Option<String>,
    #[schemars(with = "Option<domain::AgentId>")]
    agent_id: Option<String>,
    #[schemars(with = "Option<u32>", range(min = 1, max = 100))]
    limit: Option<String>,
    cursor: Option<String>,
}

/// Those that are not archived, unless it is asked for the archived ones.
pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<SessionQuery>,
) -> Result<Json<List<Session>>, Problem> {
    let archived = parameter("archived", query.archived.as_deref(), "true or false")?;
    let agent_id = parameter("agent_id", query.agent_id.as_deref(), "the id of an agent")?;
    let filter = SessionFilter { archived: Some(archived.unwrap_or(false)), agent_id };
    let page = page(query.limit.as_deref(), query.cursor)?;
    Ok(Json(app.engine.sessions(caller.user_id, filter, page).await?.into()))
}
