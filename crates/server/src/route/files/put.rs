use super::FileAddress;
use crate::{
    app::App,
    caller::Caller,
    json::Json,
    problem::Problem,
    request::{
        body::{BodyRules, check_encoding},
        extract::{Query, parameter},
    },
};
use axum::{
    body::Bytes,
    extract::{FromRequest, Request, State},
    http::StatusCode,
};
use domain::FileInfo;
use schemars::JsonSchema;
use serde::Deserialize;

/// A large file may take this many times as long as the body of any other request.
const PATIENCE: u32 = 4;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PutQuery {
    /// Whether it can be neither changed nor deleted afterwards. A file that is read-only is replaced only with this.
    #[schemars(with = "Option<bool>")]
    read_only: Option<String>,
    /// `true` refuses to replace what is there already, with `file_exists`.
    #[schemars(with = "Option<bool>")]
    only_new: Option<String>,
}

/// The bytes of a file, whatever they are.
pub(crate) struct FileBody(Bytes);

impl FromRequest<App> for FileBody {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let rules = request.extensions().get::<BodyRules>().cloned().ok_or_else(Problem::internal)?;
        check_encoding(request.headers())?;
        let most = usize::try_from(app.engine.file_limit()).unwrap_or(usize::MAX);
        let rules = BodyRules { limit: rules.limit.min(most), time: rules.time * PATIENCE, ..rules };
        rules.check_announced(request.headers())?;
        rules.read(request.into_body()).await.map(Self)
    }
}

pub(crate) async fn put(
    State(app): State<App>,
    caller: Caller,
    FileAddress { session, path }: FileAddress,
    Query(query): Query<PutQuery>,
    FileBody(content): FileBody,
) -> Result<(StatusCode, Json<FileInfo>), Problem> {
    let read_only = parameter("read_only", query.read_only.as_deref(), "true or false")?;
    let only_new = parameter("only_new", query.only_new.as_deref(), "true or false")?.unwrap_or(false);
    let written = if only_new {
        app.engine.create_file(caller.user_id, session, path, &content, read_only).await?
    } else {
        app.engine.write_file(caller.user_id, session, path, &content, read_only).await?
    };
    let status = if written.created { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(written.info)))
}
