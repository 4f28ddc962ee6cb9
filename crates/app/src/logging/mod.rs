//! The log: to stderr, quiet unless asked; its last lines also in memory. Never with contents.

mod ring;

use crate::{config::LogFormat, telemetry::SpanLayer};
use server::LogRing;
use std::io::IsTerminal as _;
use tracing::{Level, Metadata};
use tracing_subscriber::{
    Layer as _,
    filter::{FilterExt as _, FilterFn, Targets, filter_fn},
    layer::SubscriberExt as _,
    registry,
};

/// `MAJORDOMO_LOG` is a filter such as `info,engine=debug`; it wins over `-v`.
pub fn start(verbose: u8, format: LogFormat, spans: Option<SpanLayer>) -> LogRing {
    let level = match verbose {
        0 => Level::WARN,
        1 => Level::INFO,
        _ => Level::DEBUG,
    };
    let wanted = std::env::var("MAJORDOMO_LOG").ok().filter(|filter| !filter.trim().is_empty());
    let filter = match &wanted {
        Some(filter) => filter.parse().unwrap_or_else(|error| {
            eprintln!("majordomo: MAJORDOMO_LOG cannot be read as a log filter: {error}. It is ignored.");
            Targets::new().with_default(level)
        }),
        None => Targets::new().with_default(level),
    };
    let coloured =
        std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let lines = match format {
        LogFormat::Text => lines.with_ansi(coloured).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    let ring = LogRing::default();
    // Invariant: the `log` crate is not bridged. A library that only asks there whether it should write leaves the filters of
    // the layers in a state in which the next line of ours is lost (sqlx asks so before each statement).
    let layers = registry()
        .with(lines.with_filter(filter.and(discreet())))
        .with(ring::RingLayer::new(ring.clone()).with_filter(ring::filter()))
        .with(spans.map(|spans| spans.with_filter(SpanLayer::filter())));
    // A program that embeds this one may have a log of its own; then that one stays.
    drop(tracing::subscriber::set_global_default(layers));
    ring
}

/// THREAT[log-03]: of the libraries below us some write whatever passes through them when they are asked for details: a
/// WebSocket its frames, a database its values. So only our own crates are ever asked.
fn discreet() -> FilterFn<impl Fn(&Metadata<'_>) -> bool> {
    filter_fn(|metadata| *metadata.level() <= Level::INFO || ring::is_ours(metadata.target()))
}

#[cfg(test)]
#[path = "logging_tests.rs"]
mod tests;
