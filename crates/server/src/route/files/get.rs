use super::FileAddress;
use crate::{app::App, attachment, caller::Caller, problem::Problem};
use axum::{
    body::Body,
    extract::State,
    response::{IntoResponse, Response},
};

pub(crate) async fn get(
    State(app): State<App>,
    caller: Caller,
    FileAddress { session, path }: FileAddress,
) -> Result<Response, Problem> {
    let found = app.engine.file(caller.user_id, session, path).await?;
    let mime_type = engine::media_type(&found.content);
    let mut response = Body::from(found.content).into_response();
    attachment::describe(response.headers_mut(), &found.info.name, &mime_type, found.info.size_bytes)?;
    Ok(response)
}
