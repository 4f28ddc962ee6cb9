//! Puts the lines of our own crates into the ring. Only ours: we know of them that they hold ids and no contents.

use capability::{Clock as _, SystemClock};
use serde::Serialize;
use serde_json::value::RawValue;
use server::{Level, LogLine, LogRing};
use std::fmt;
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    filter::{FilterFn, LevelFilter, filter_fn},
    layer::{Context, Layer},
};

const OURS: [&str; 6] = ["capability", "engine", "majordomo", "provider", "server", "store"];
/// Longer values are cut.
const VALUE_CHARACTERS: usize = 300;
const FIELDS: usize = 20;

pub struct RingLayer {
    ring: LogRing,
}

impl RingLayer {
    pub fn new(ring: LogRing) -> Self {
        Self { ring }
    }
}

/// Is this one of our own crates?
pub fn is_ours(target: &str) -> bool {
    OURS.contains(&target.split("::").next().unwrap_or_default())
}

pub fn filter() -> FilterFn<impl Fn(&Metadata<'_>) -> bool> {
    filter_fn(|metadata| {
        metadata.is_event() && *metadata.level() <= tracing::Level::INFO && is_ours(metadata.target())
    })
    .with_max_level_hint(LevelFilter::INFO)
}

impl<S: Subscriber> Layer<S> for RingLayer {
    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        let level = match *event.metadata().level() {
            tracing::Level::ERROR => Level::Error,
            tracing::Level::WARN => Level::Warn,
            _ => Level::Info,
        };
        let mut fields = Fields::default();
        event.record(&mut fields);
        let Fields { message, written, .. } = fields;
        // What was written below is JSON.
        let Ok(fields) = RawValue::from_string(format!("{{{written}}}")) else { return };
        self.ring.push(LogLine {
            number: 0,
            at: SystemClock.now(),
            level,
            target: event.metadata().target(),
            message: message.into(),
            fields,
        });
    }
}

#[derive(Default)]
struct Fields {
    message: String,
    /// The others, as the members of a JSON object.
    written: String,
    count: usize,
}

impl Fields {
    fn put(&mut self, field: &Field, value: impl Serialize) {
        let (Ok(name), Ok(value)) = (serde_json::to_string(field.name()), serde_json::to_string(&value))
        else {
            return;
        };
        if self.count < FIELDS {
            let comma = if self.count > 0 { "," } else { "" };
            self.written.extend([comma, &name, ":", &value]);
            self.count += 1;
        }
    }
}

fn cut(text: &str) -> String {
    text.chars().take(VALUE_CHARACTERS).collect()
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let text = cut(&format!("{value:?}"));
        if field.name() == "message" {
            self.message = text;
        } else {
            self.put(field, text);
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, cut(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value);
    }
}

#[cfg(test)]
#[path = "ring_tests.rs"]
mod tests;
