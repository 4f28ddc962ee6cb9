use crate::{
    app::App,
    json::Json,
    lists::usual_limit,
    problem::Problem,
    request::extract::{Query, number},
};
use axum::extract::{Path, State, rejection::PathRejection};
use engine::SharedConversation;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SharedQuery {
    #[schemars(with = "Option<u32>", range(min = 1, max = 100))]
    limit: Option<String>,
    #[schemars(with = "Option<u64>")]
    after_seq: Option<String>,
}

/// Any person of the server who has the link; what it shows is looked up anew each time.
pub(crate) async fn show(
    State(app): State<App>,
    path: Result<Path<String>, PathRejection>,
    Query(query): Query<SharedQuery>,
) -> Result<Json<SharedConversation>, Problem> {
    let Ok(Path(secret)) = path else { return Err(Problem::not_found("shared conversation")) };
    let after = number("after_seq", query.after_seq.as_deref())?.unwrap_or(0);
    let limit = usual_limit(query.limit.as_deref())?;
    Ok(Json(app.engine.shared_session(&secret, after, limit).await?))
}
