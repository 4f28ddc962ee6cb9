//! What must hold of every answer.

use crate::{
    document::{Document, Operation},
    request::Request,
    wire::Answer,
};
use jsonschema::Validator;
use serde_json::Value;
use std::collections::HashMap;

/// These are written below us, before there is a request that could be answered in our own words.
const BELOW: [u16; 2] = [400, 431];

pub struct Checker<'a> {
    document: &'a Document,
    validators: HashMap<String, Validator>,
}

type Verdict = Result<(), String>;

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(what()) }
}

impl<'a> Checker<'a> {
    pub fn new(document: &'a Document) -> Self {
        Self { document, validators: HashMap::new() }
    }

    /// Says what is wrong with an answer, if something is.
    pub fn check(&mut self, operation: &Operation, request: &Request, answer: &Answer) -> Verdict {
        let status = answer.status;
        ensure(status < 500, || format!("answered {status} {}", code(answer)))?;
        if BELOW.contains(&status) && answer.body.is_empty() && answer.header("x-request-id").is_none() {
            return Ok(());
        }
        self.check_headers(answer)?;
        if request.method == "HEAD" {
            return ensure(answer.body.is_empty(), || "HEAD answered with a body".to_owned());
        }
        if status >= 400 {
            self.check_problem(answer)?;
        }
        if request.is_elsewhere {
            return Ok(());
        }
        let response = &operation.value["responses"][status.to_string()];
        ensure(!response.is_null(), || format!("answered {status} {}, not described", code(answer)))?;
        let Some(content) = response["content"].as_object() else {
            return ensure(answer.body.is_empty() || status == 101, || {
                format!("answered {status} with a body")
            });
        };
        let kind = &answer.kind;
        let known = content.contains_key(kind) || content.contains_key("*/*");
        ensure(known, || format!("answered {status} as {kind}"))?;
        if answer.kind.ends_with("json") {
            let body = serde_json::from_slice(&answer.body)
                .map_err(|error| format!("answered {status} with no JSON: {error}"))?;
            self.check_value(operation, answer, &body)?;
        }
        if answer.kind == "text/event-stream" {
            self.check_events(operation, answer)?;
        }
        Ok(())
    }

    fn check_headers(&self, answer: &Answer) -> Verdict {
        let status = answer.status;
        for name in ["x-request-id", "x-content-type-options", "content-security-policy", "cache-control"] {
            ensure(answer.header(name).is_some() || status == 101, || format!("{status} without {name}"))?;
        }
        ensure(answer.header("x-injected").is_none(), || "a header was injected".to_owned())?;
        let needed = match status {
            401 => "www-authenticate",
            405 => "allow",
            429 | 503 | 507 => "retry-after",
            _ => return Ok(()),
        };
        ensure(answer.header(needed).is_some(), || format!("{status} without {needed}"))
    }

    fn check_problem(&self, answer: &Answer) -> Verdict {
        let status = answer.status;
        ensure(answer.kind == "application/problem+json", || {
            format!("{status} is no problem: {}", answer.kind)
        })?;
        let code = code(answer);
        ensure(self.document.is_problem(&code, status), || format!("{status} {code} is not declared"))?;
        let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let detail = body["detail"].as_str().unwrap_or_default();
        ensure(detail.len() > 10, || format!("{status} {code} does not say what to do: {detail:?}"))
    }

    fn check_events(&mut self, operation: &Operation, answer: &Answer) -> Verdict {
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        // The last one may be cut: a stream is read for a moment only.
        let Some((whole, _)) = text.rsplit_once("\n\n") else { return Ok(()) };
        for line in whole.lines().filter_map(|line| line.strip_prefix("data:")) {
            let event =
                serde_json::from_str(line.trim()).map_err(|error| format!("an event is no JSON: {error}"))?;
            self.check_value(operation, answer, &event)?;
        }
        Ok(())
    }

    fn check_value(&mut self, operation: &Operation, answer: &Answer, value: &Value) -> Verdict {
        let key = format!("{} {}", operation.name, answer.status);
        let document = self.document;
        let validator = self.validators.entry(key).or_insert_with(|| {
            let content = &operation.value["responses"][answer.status.to_string()]["content"];
            let mut schema = content[&answer.kind]["schema"].clone();
            schema["components"] = document.whole["components"].clone();
            jsonschema::draft202012::new(&schema).unwrap()
        });
        let wrong: Vec<String> = validator
            .iter_errors(value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .map(|error| error.chars().take(300).collect())
            .collect();
        ensure(wrong.is_empty(), || {
            let code = value["code"].as_str().unwrap_or_default();
            format!("answered {} {code} not as described: {wrong:#?}", answer.status)
        })
    }
}

pub fn code(answer: &Answer) -> String {
    let value: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    value["code"].as_str().unwrap_or_default().to_owned()
}
