use crate::{
    app::App,
    caller::Caller,
    json::Json,
    lists::{List, limit},
    problem::Problem,
    request::extract::{Id, Query, parameter},
};
use axum::extract::State;
use domain::{Cursor, EventBody, SessionId};
use engine::Frame;
use schemars::JsonSchema;
use serde::Deserialize;
use store::log::EventFilter;

const DEFAULT_LIMIT: u32 = 100;
const MAXIMUM: u32 = 1_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EventQuery {
    #[schemars(with = "Option<Cursor>")]
    after: Option<String>,
    #[schemars(with = "Option<u32>", range(min = 1, max = 1_000))]
    limit: Option<String>,
    /// Names of event types, separated by commas.
    types: Option<String>,
    #[schemars(with = "Option<domain::TurnId>")]
    turn_id: Option<String>,
}

/// The durable events after a cursor. `total` is the length of the log; `next_cursor` is the `after` of the next piece,
/// which may come before `limit`: a piece ends at about a megabyte.
pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<SessionId>,
    Query(query): Query<EventQuery>,
) -> Result<Json<List<Frame>>, Problem> {
    let after: Cursor = parameter("after", query.after.as_deref(), "a cursor, for instance 41 or 41.1380")?
        .unwrap_or_default();
    let limit = limit(query.limit.as_deref(), DEFAULT_LIMIT, MAXIMUM)?;
    let turn_id = parameter("turn_id", query.turn_id.as_deref(), "the id of a turn")?;
    let filter = EventFilter { types: types(query.types.as_deref())?, turn_id };
    let total = app.engine.newest_seq(caller.user_id, id).await?;
    let (items, more) = app.engine.events(caller.user_id, id, (after.seq, limit), filter).await?;
    let next_cursor = items.last().filter(|_| more).map(|frame| frame.seq().to_string());
    Ok(Json(List { items, total, total_is_more: false, next_cursor }))
}

fn types(text: Option<&str>) -> Result<Vec<String>, Problem> {
    let names =
        text.into_iter().flat_map(|text| text.split(',')).map(str::trim).filter(|name| !name.is_empty());
    let known = |name: &str| match EventBody::TYPES.contains(&name) {
        true => Ok(name.to_owned()),
        false => {
            let known = EventBody::TYPES.join(", ");
            Err(Problem::bad_request(
                "bad_query",
                format!("types: `{}` is not known. Known types are {known}.", shorten(name)),
            ))
        }
    };
    names.map(known).collect()
}

fn shorten(text: &str) -> String {
    text.chars().take(40).collect()
}
