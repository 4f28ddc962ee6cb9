//! What there is to use.

use crate::{
    app::App,
    caller::Caller,
    json::Json,
    problem::Problem,
    request::extract::{Query, parameter},
};
use axum::extract::State;
use engine::{Help, HelpQuery};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HelpParameters {
    filter: Option<String>,
    category: Option<String>,
    detailed: Option<String>,
}

pub(crate) async fn show(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<HelpParameters>,
) -> Result<Json<Help>, Problem> {
    let detailed = parameter("detailed", query.detailed.as_deref(), "true or false")?.unwrap_or(false);
    let asked = HelpQuery { filter: query.filter, category: query.category, detailed };
    Ok(Json(app.engine.help(caller.user_id, &asked).await?))
}
