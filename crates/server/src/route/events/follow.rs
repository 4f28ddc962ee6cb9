use crate::{
    app::App,
    caller::Caller,
    connection::pipeline::single,
    problem::Problem,
    request::extract::{Id, Query},
    sse::{self, EventStream, Stays},
};
use axum::{extract::State, http::HeaderMap};
use domain::{Cursor, CursorError, Envelope, SessionId};
use engine::Start;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FollowQuery {
    /// Absent: from now on.
    #[schemars(with = "Option<Cursor>")]
    after: Option<String>,
}

/// Everything that happens in a session, from a cursor or from now on.
pub(crate) async fn follow(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<SessionId>,
    Query(query): Query<FollowQuery>,
    headers: HeaderMap,
) -> Result<EventStream<Envelope>, Problem> {
    // A browser that reconnects repeats the URL it began with; its header is the newer of the two.
    let resumed = single(&headers, "last-event-id")?.filter(|cursor| !cursor.is_empty());
    let named = resumed.map(|text| ("Last-Event-ID", text));
    let start = match named.or(query.after.as_deref().map(|text| ("after", text))) {
        None => Start::Now,
        Some((name, text)) => Start::After(text.parse::<Cursor>().map_err(|error| bad_cursor(name, error))?),
    };
    app.check_stays()?;
    let reader = app.engine.follow(caller.user_id, id, start).await?;
    Ok(sse::answer(reader, &app, Stays::AsLongAsServing))
}

fn bad_cursor(name: &str, error: CursorError) -> Problem {
    Problem::bad_request("bad_cursor", format!("{name}: {error}"))
}
