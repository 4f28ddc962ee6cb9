//! Spans for a collector of OpenTelemetry, when the settings name one; otherwise nothing here runs.
//!
//! `layer` watches the spans of our own crates, `encode` writes them in the form of OTLP, `export` sends them.
//!
//! THREAT[log-02]: what is sent leaves the house. So spans and their fields are named one by one in `layer`, and
//! everything else stays behind, whichever crate adds it.

mod encode;
mod export;
mod layer;

pub use self::{export::Exporter, layer::SpanLayer};

use tokio::sync::mpsc;

/// Spans that wait to be sent; more are counted and dropped, so that a collector that is away costs nothing.
const WAITING: usize = 4_096;

/// What watches, and what sends.
pub fn open(endpoint: &str) -> (SpanLayer, Exporter) {
    let (sender, receiver) = mpsc::channel(WAITING);
    (SpanLayer::new(sender, random), Exporter::new(endpoint, receiver))
}

fn random() -> u128 {
    uuid::Uuid::now_v7().as_u128()
}

/// A span that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct EndedSpan {
    trace: u128,
    span: u64,
    parent: Option<u64>,
    name: &'static str,
    /// Nanoseconds since 1970.
    start: u64,
    end: u64,
    attributes: Vec<(&'static str, Value)>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Text(String),
    Number(i64),
}
