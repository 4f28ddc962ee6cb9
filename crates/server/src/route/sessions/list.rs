use crate::{
    app::App,
    caller::Caller,
    json::Json,
    lists::{List, page},
    problem::Problem,
    request::extract::{Query, parameter},
};
use axum::extract::State;
use domain::{Session, SessionKind};
use engine::FoundSession;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::sessions::SessionFilter;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionQuery {
    /// `true` or `false`; with `search` also `any`.
    archived: Option<String>,
    #[schemars(with = "Option<domain::AgentId>")]
    agent_id: Option<String>,
    #[schemars(with = "Option<domain::SessionId>")]
    parent_id: Option<String>,
    #[schemars(with = "Option<domain::SessionKind>")]
    kind: Option<String>,
    #[schemars(with = "Option<domain::FolderId>")]
    folder_id: Option<String>,
    #[schemars(with = "Option<bool>")]
    pinned: Option<String>,
    #[schemars(with = "Option<u32>", range(min = 1, max = 100))]
    limit: Option<String>,
    cursor: Option<String>,
    search: Option<String>,
}

/// All sessions, or those that were found with what was found in them.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Listed {
    All(List<Session>),
    Found(List<FoundSession>),
}

/// Those that are not archived, unless it is asked for the archived ones; and those of people, unless it is asked for what
/// other agents do, or for something in it.
pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<SessionQuery>,
) -> Result<Json<Listed>, Problem> {
    // A search may look everywhere.
    let anywhere = query.search.is_some() && query.archived.as_deref() == Some("any");
    let archived = match anywhere {
        true => None,
        false => parameter("archived", query.archived.as_deref(), "true, false or (for a search) any")?,
    };
    let agent_id = parameter("agent_id", query.agent_id.as_deref(), "the id of an agent")?;
    let parent_id = parameter("parent_id", query.parent_id.as_deref(), "the id of a session")?;
    let kind = parameter("kind", query.kind.as_deref(), "own, colleague or subagent")?;
    let folder_id = parameter("folder_id", query.folder_id.as_deref(), "the id of a folder")?;
    let pinned = parameter("pinned", query.pinned.as_deref(), "true or false")?;
    let only_own = kind.is_none() && parent_id.is_none() && query.search.is_none();
    let kind = if only_own { Some(SessionKind::Own) } else { kind };
    let archived = if anywhere { None } else { Some(archived.unwrap_or(false)) };
    let filter = SessionFilter { archived, agent_id, parent_id, kind, folder_id, pinned };
    let page = page(query.limit.as_deref(), query.cursor)?;
    let (engine, user) = (&app.engine, caller.user_id);
    Ok(Json(match query.search {
        Some(text) => Listed::Found(engine.search(user, &text, filter, page).await?.into()),
        None => Listed::All(engine.sessions(user, filter, page).await?.into()),
    }))
}
