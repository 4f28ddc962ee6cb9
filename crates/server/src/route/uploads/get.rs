use crate::{app::App, caller::Caller, extract::Id, problem::Problem};
use axum::{
    body::{Body, Bytes},
    extract::State,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use domain::UploadId;
use engine::Download;
use futures_util::stream::unfold;

/// THREAT[content-06]: whatever a file is, opened from here it is saved and not shown; and if something shows it all
/// the same, it has no scripts, no origin and no way out.
const POLICY: &str = "default-src 'none'; sandbox; frame-ancestors 'none'";

pub(crate) async fn get(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<UploadId>,
) -> Result<Response, Problem> {
    let download = app.engine.upload(caller.user_id, id).await?;
    let upload = download.upload().clone();
    let kind = HeaderValue::from_str(shown_type(&upload.mime_type)).map_err(|_| Problem::internal())?;
    let disposition = HeaderValue::from_str(&disposition(&upload.name)).map_err(|_| Problem::internal())?;
    let mut response = Body::from_stream(unfold(Some(download), next)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, kind);
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(upload.size));
    headers.insert(header::CONTENT_DISPOSITION, disposition);
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
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

/// Text is text: no browser is told that it might be a page or a script.
fn shown_type(mime_type: &str) -> &str {
    if mime_type.starts_with("text/") { "text/plain; charset=utf-8" } else { mime_type }
}

/// The name in plain letters for old clients, and as it is for the others.
fn disposition(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || "-_. ()".contains(c) { c } else { '_' })
        .collect();
    let mut encoded = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'-' | b'_' | b'.' => encoded.push(char::from(byte)),
            other => encoded.push_str(&format!("%{other:02X}")),
        }
    }
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}")
}
