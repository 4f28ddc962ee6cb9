//! Numbers for an operator, in the text form that Prometheus reads.
//!
//! THREAT[metrics-01] Labels come from fixed lists (routes of the table, methods, statuses, outcomes) and from the names
//! of providers in the settings. No id and no word of a person is a label, so their number is bounded.

mod process;

use crate::app::App;
use axum::http::Method;
use metrics::{counter, gauge, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use std::{
    sync::LazyLock,
    time::{Duration, Instant},
};

/// Seconds; the last are for turns that think.
const BUCKETS: [f64; 14] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0, 600.0];
/// How often what was measured is added up, when no client asks.
pub(crate) const UPKEEP: Duration = Duration::from_secs(5);

/// The one recorder of the process. `None` when a program that embeds this one has its own.
static RECORDER: LazyLock<Option<PrometheusHandle>> = LazyLock::new(|| {
    let builder =
        PrometheusBuilder::new().set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &BUCKETS);
    builder.ok()?.install_recorder().ok()
});

/// Begins to measure.
pub(crate) fn start() {
    LazyLock::force(&RECORDER);
}

/// Adds up what was measured since the last time. Until then single measurements are kept.
pub(crate) fn upkeep() {
    if let Some(recorder) = &*RECORDER {
        recorder.run_upkeep();
    }
}

pub(crate) fn answered(method: &Method, path: &'static str, status: u16, begun: Instant) {
    let method = known(method);
    let status = status.to_string();
    counter!("majordomo_http_requests_total", "method" => method, "route" => path, "status" => status)
        .increment(1);
    histogram!("majordomo_http_request_seconds", "route" => path).record(begun.elapsed().as_secs_f64());
}

/// A client can invent methods; a label cannot.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

/// A stream that is open, for as long as it is held.
pub(crate) struct OpenStream(&'static str);

impl OpenStream {
    pub(crate) fn new(kind: &'static str) -> Self {
        gauge!("majordomo_streams_open", "kind" => kind).increment(1.0);
        Self(kind)
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        gauge!("majordomo_streams_open", "kind" => self.0).decrement(1.0);
    }
}

/// Everything, as text. `None` when something else in this process measures.
pub(crate) async fn render(app: &App) -> Option<String> {
    let recorder = RECORDER.as_ref()?;
    let engine = &app.engine;
    gauge!("majordomo_turns_running").set(engine.running_turns() as f64);
    // While the database does not answer, the rest is still worth knowing.
    if let Ok(queued) = engine.queued_turns().await {
        gauge!("majordomo_turns_queued").set(queued as f64);
    }
    let counts = engine.store().counts();
    counter!("majordomo_store_statements_total").absolute(counts.statements);
    counter!("majordomo_store_commits_total").absolute(counts.commits);
    gauge!("majordomo_store_writes_waiting").set(engine.store().waiting() as f64);
    process::measure();
    Some(recorder.render())
}

#[cfg(test)]
#[path = "measure_tests.rs"]
mod tests;
