use crate::{app::App, attachment, caller::Caller, problem::Problem, request::extract::Id};
use axum::{
    body::{Body, Bytes},
    extract::State,
    response::{IntoResponse, Response},
};
use domain::UploadId;
use engine::Download;
use futures_util::stream::unfold;

pub(crate) async fn get(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<UploadId>,
) -> Result<Response, Problem> {
    let download = app.engine.upload(caller.user_id, id).await?;
    let upload = download.upload().clone();
    let mut response = Body::from_stream(unfold(Some(download), next)).into_response();
    attachment::describe(response.headers_mut(), &upload.name, &upload.mime_type, upload.size)?;
    Ok(response)
}

async fn next(download: Option<Download>) -> Option<(Result<Bytes, engine::Error>, Option<Download>)> {
    let mut download = download?;
    match download.next().await {
        Ok(piece) => piece.map(|piece| (Ok(piece.into()), Some(download))),
        Err(error) => {
            tracing::error!(%error, upload = %download.upload().id, "a file could not be read");
            Some((Err(error), None))
        }
    }
}
