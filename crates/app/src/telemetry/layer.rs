//! Watches our own spans from their beginning to their end.

use super::{EndedSpan, Value};
use capability::{Clock as _, SystemClock};
use metrics::counter;
use std::{fmt, time::Instant};
use tokio::sync::mpsc::Sender;
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{
    filter::{FilterFn, LevelFilter, filter_fn},
    layer::{Context, Layer},
    registry::LookupSpan,
};

/// The spans that are sent, and the crates they are of.
const SPANS: [(&str, &str); 4] =
    [("server", "request"), ("engine", "turn"), ("engine", "model_call"), ("engine", "tool_call")];

/// The fields that are sent, of these spans and of the lines in them: ids, codes, numbers, and names out of the settings.
const FIELDS: [&str; 19] = [
    "active_ms",
    "attempt",
    "call",
    "code",
    "cost_microusd",
    "id",
    "input_tokens",
    "method",
    "model",
    "object",
    "outcome",
    "output_tokens",
    "path",
    "provider",
    "session",
    "status",
    "tool",
    "turn",
    "user",
];
/// No id, code or name is longer.
const VALUE_CHARACTERS: usize = 200;

pub struct SpanLayer {
    sender: Sender<EndedSpan>,
    random: fn() -> u128,
}

impl SpanLayer {
    pub(super) fn new(sender: Sender<EndedSpan>, random: fn() -> u128) -> Self {
        Self { sender, random }
    }

    /// What concerns this layer: our own spans, and the lines of our own crates.
    pub fn filter() -> FilterFn<impl Fn(&Metadata<'_>) -> bool> {
        filter_fn(|metadata| {
            let part = metadata.target().split("::").next().unwrap_or_default();
            let ours = *metadata.level() <= tracing::Level::INFO;
            match metadata.is_span() {
                true => ours && SPANS.contains(&(part, metadata.name())),
                false => ours && SPANS.iter().any(|(known, _)| *known == part),
            }
        })
        .with_max_level_hint(LevelFilter::INFO)
    }
}

/// A span that goes on.
struct OpenSpan {
    ended: EndedSpan,
    begun: Instant,
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for SpanLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let above = span.parent().and_then(|parent| {
            let extensions = parent.extensions();
            extensions.get::<OpenSpan>().map(|open| (open.ended.trace, open.ended.span))
        });
        let bytes = (self.random)();
        let start = u64::try_from(SystemClock.now().as_millis()).unwrap_or(0).saturating_mul(1_000_000);
        let mut ended = EndedSpan {
            trace: above.map_or_else(self.random, |(trace, _)| trace),
            // The half of it that holds nothing but chance.
            span: u64::try_from(bytes & u128::from(u64::MAX)).unwrap_or(1),
            parent: above.map(|(_, span)| span),
            name: span.name(),
            start,
            end: start,
            attributes: Vec::new(),
        };
        attributes.record(&mut Fields(&mut ended.attributes));
        span.extensions_mut().replace(OpenSpan { ended, begun: Instant::now() });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(open) = span.extensions_mut().get_mut::<OpenSpan>() {
            values.record(&mut Fields(&mut open.ended.attributes));
        }
    }

    /// The lines of a span complete it: how a request was answered, how a turn ended.
    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let Some(span) = context.event_span(event) else { return };
        if let Some(open) = span.extensions_mut().get_mut::<OpenSpan>() {
            event.record(&mut Fields(&mut open.ended.attributes));
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let Some(OpenSpan { mut ended, begun }) = span.extensions_mut().remove::<OpenSpan>() else { return };
        let took = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        ended.end = ended.start.saturating_add(took);
        if self.sender.try_send(ended).is_err() {
            counter!("majordomo_telemetry_spans_total", "outcome" => "dropped").increment(1);
        }
    }
}

struct Fields<'a>(&'a mut Vec<(&'static str, Value)>);

impl Fields<'_> {
    fn put(&mut self, field: &Field, value: Value) {
        let Some(name) = FIELDS.iter().find(|name| **name == field.name()) else { return };
        self.0.retain(|(known, _)| known != name);
        self.0.push((name, value));
    }

    fn number(&mut self, field: &Field, number: impl TryInto<i64>) {
        self.put(field, Value::Number(number.try_into().unwrap_or(i64::MAX)));
    }

    fn text(&mut self, field: &Field, text: &str) {
        self.put(field, Value::Text(text.chars().take(VALUE_CHARACTERS).collect()));
    }
}

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if FIELDS.contains(&field.name()) {
            self.text(field, &format!("{value:?}"));
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.text(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.number(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.number(field, value);
    }
}

#[cfg(test)]
#[path = "layer_tests.rs"]
mod tests;
