use crate::{
    app::App,
    caller::Caller,
    json::Json,
    lists::{List, usual_limit},
    problem::Problem,
    request::extract::{Id, Query, number},
};
use axum::extract::State;
use domain::{Message, SessionId};
use schemars::JsonSchema;
use serde::Deserialize;
use store::messages::MessagePage;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MessageQuery {
    #[schemars(with = "Option<u32>", range(min = 1, max = 100))]
    limit: Option<String>,
    #[schemars(with = "Option<u64>")]
    before_seq: Option<String>,
    #[schemars(with = "Option<u64>")]
    after_seq: Option<String>,
}

/// The newest messages, oldest first; `next_cursor` is the `before_seq` (or `after_seq`) of the next piece, which may
/// come before `limit`: a piece ends at about a megabyte.
pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<SessionId>,
    Query(query): Query<MessageQuery>,
) -> Result<Json<List<Message>>, Problem> {
    let page = MessagePage {
        before_seq: number("before_seq", query.before_seq.as_deref())?,
        after_seq: number("after_seq", query.after_seq.as_deref())?,
        limit: usual_limit(query.limit.as_deref())?,
    };
    if page.before_seq.is_some() && page.after_seq.is_some() {
        return Err(Problem::bad_request("bad_query", "Use before_seq or after_seq, not both."));
    }
    Ok(Json(app.engine.messages(caller.user_id, id, page).await?.into()))
}
