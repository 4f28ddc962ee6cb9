use crate::{
    app::App,
    caller::Caller,
    json::Json,
    problem::Problem,
    request::{
        body::{BodyRules, check_encoding},
        extract::IdempotencyKey,
        multipart::{Multipart, Piece},
    },
};
use axum::{
    Extension,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
};
use domain::{Upload, size_words};
use engine::Receiving;
use http_body_util::BodyExt;
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};

/// The form around a file.
const FORM_BYTES: u64 = 16 << 10;
/// A large file may take this many times as long as the body of any other request, as long as something comes.
const PATIENCE: u32 = 20;

/// Takes one file as it comes; nothing but one piece of it is held in memory.
pub(crate) async fn create(
    State(app): State<App>,
    caller: Caller,
    Extension(rules): Extension<BodyRules>,
    key: IdempotencyKey,
    request: Request,
) -> Result<(StatusCode, Json<Upload>), Problem> {
    let form = Multipart::new(request.headers())?;
    check_encoding(request.headers())?;
    let most = app.engine.upload_limit().saturating_add(FORM_BYTES);
    check_announced(request.headers(), most)?;
    let mut incoming = Incoming {
        body: request.into_body(),
        most,
        taken: 0,
        pause: rules.time,
        deadline: Instant::now() + rules.time * PATIENCE,
    };
    let upload = take(&app, caller, key, form, &mut incoming).await?;
    Ok((StatusCode::CREATED, Json(upload)))
}

async fn take(
    app: &App,
    caller: Caller,
    IdempotencyKey(key): IdempotencyKey,
    mut form: Multipart,
    incoming: &mut Incoming,
) -> Result<Upload, Problem> {
    let mut receiving: Option<Receiving> = None;
    while let Some(bytes) = incoming.next().await? {
        for piece in form.push(&bytes)? {
            match (piece, &mut receiving) {
                (Piece::File(named), _) => {
                    let file = app.engine.receive(caller.user_id, (*named).into()).await?;
                    receiving = Some(file.keyed(key.clone())?);
                }
                (Piece::Bytes(bytes), Some(file)) => file.push(&bytes).await?,
                (Piece::Bytes(_), None) | (Piece::End, _) => {}
            }
        }
    }
    form.finish()?;
    match receiving {
        Some(file) => Ok(file.finish().await?),
        None => Err(Problem::internal()),
    }
}

fn check_announced(headers: &HeaderMap, most: u64) -> Result<(), Problem> {
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    match announced {
        Some(length) if length > most => Err(too_large(most, Some(length))),
        _ => Ok(()),
    }
}

/// `announced` is what the request said of itself; without it only the limit is known.
fn too_large(most: u64, announced: Option<u64>) -> Problem {
    let limit = size_words(most.saturating_sub(FORM_BYTES));
    Problem::too_large(match announced {
        Some(length) => format!("This file is too large ({}; the limit is {limit}).", size_words(length)),
        None => format!("This file is too large. The limit is {limit}."),
    })
}

/// The body, bounded in size and in time.
struct Incoming {
    body: Body,
    most: u64,
    taken: u64,
    /// How long nothing may come.
    pause: Duration,
    deadline: Instant,
}

impl Incoming {
    async fn next(&mut self) -> Result<Option<axum::body::Bytes>, Problem> {
        loop {
            let frame = timeout_at(self.deadline, timeout(self.pause, self.body.frame()));
            let Ok(Ok(frame)) = frame.await else {
                let detail = "The file took too long to arrive. Send it again.";
                return Err(Problem::new(StatusCode::REQUEST_TIMEOUT, "body_timeout", detail));
            };
            let broken = |_| {
                Problem::bad_request("bad_body", "The upload broke off before its end. Send the file again.")
            };
            let Some(frame) = frame.transpose().map_err(broken)? else { return Ok(None) };
            let Ok(bytes) = frame.into_data() else { continue };
            // THREAT[content-02]: what stands around the file counts as well.
            self.taken = self.taken.saturating_add(bytes.len() as u64);
            if self.taken > self.most {
                return Err(too_large(self.most, None));
            }
            return Ok(Some(bytes));
        }
    }
}
