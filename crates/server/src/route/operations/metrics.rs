//! Numbers for an operator.

use crate::{app::App, measure, problem::Problem};
use axum::{
    extract::State,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};

const PROMETHEUS: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

pub(crate) async fn get(State(app): State<App>) -> Result<Response, Problem> {
    let text = measure::render(&app).await;
    let text = text.ok_or_else(|| {
        Problem::unavailable("unavailable", "The measurements are taken by another program in this process.")
    })?;
    Ok(([(header::CONTENT_TYPE, PROMETHEUS)], text).into_response())
}
