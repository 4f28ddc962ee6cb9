//! The form of OTLP in JSON: ids in hex, 64-bit numbers as text.

use super::{EndedSpan, Value};
use serde_json::{Value as Json, json};

/// How a turn, a request or a call ends when it did not end well.
const FAILURES: [&str; 3] = ["failed", "error", "unknown"];
const INTERNAL: u8 = 1;
const SERVER: u8 = 2;
const CLIENT: u8 = 3;
const STATUS_ERROR: u8 = 2;

pub(super) fn traces(spans: &[EndedSpan]) -> Json {
    let spans: Vec<Json> = spans.iter().map(span).collect();
    let attributes = [
        attribute("service.name", &Value::Text("majordomo".to_owned())),
        attribute("service.version", &Value::Text(env!("CARGO_PKG_VERSION").to_owned())),
    ];
    json!({ "resourceSpans": [{
        "resource": { "attributes": attributes },
        "scopeSpans": [{ "scope": { "name": "majordomo" }, "spans": spans }],
    }] })
}

fn span(span: &EndedSpan) -> Json {
    let kind = match span.name {
        "request" => SERVER,
        "model_call" => CLIENT,
        _ => INTERNAL,
    };
    let attributes: Vec<Json> = span.attributes.iter().map(|(name, value)| attribute(name, value)).collect();
    let mut json = json!({
        "traceId": format!("{:032x}", span.trace),
        "spanId": format!("{:016x}", span.span),
        "name": span.name,
        "kind": kind,
        "startTimeUnixNano": span.start.to_string(),
        "endTimeUnixNano": span.end.to_string(),
        "attributes": attributes,
        "status": if failed(span) { json!({ "code": STATUS_ERROR }) } else { json!({}) },
    });
    if let (Some(parent), Some(fields)) = (span.parent, json.as_object_mut()) {
        fields.insert("parentSpanId".to_owned(), format!("{parent:016x}").into());
    }
    json
}

fn attribute(name: &str, value: &Value) -> Json {
    let value = match value {
        Value::Text(text) => json!({ "stringValue": text }),
        Value::Number(number) => json!({ "intValue": number.to_string() }),
    };
    json!({ "key": name, "value": value })
}

fn failed(span: &EndedSpan) -> bool {
    span.attributes.iter().any(|(name, value)| match (*name, value) {
        ("outcome" | "status", Value::Text(text)) => {
            FAILURES.contains(&text.as_str()) || text.starts_with("provider_")
        }
        ("status", Value::Number(status)) => *status >= 500,
        _ => false,
    })
}

#[cfg(test)]
#[path = "encode_tests.rs"]
mod tests;
