//! What must hold of every answer.

use crate::{
    document::{Document, Operation},
    request::Request,
    wire::Answer,
};
use jsonschema::Validator;
use serde_json::Value;
use std::collections::HashMap;

/// What any address may answer, described or not.
const ANYWHERE: [&str; 7] = [
    "unknown_route",
    "method_not_allowed",
    "misdirected",
    "foreign_origin",
    "too_large",
    "unauthorized",
    "not_found",
];

pub struct Checker<'a> {
    document: &'a Document,
    validators: HashMap<String, Validator>,
}

impl<'a> Checker<'a> {
    pub fn new(document: &'a Document) -> Self {
        Self { document, validators: HashMap::new() }
    }

    pub fn check(&mut self, name: &str, operation: &Operation, request: &Request, answer: &Answer) {
        let body = String::from_utf8_lossy(&answer.body[..answer.body.len().min(600)]).into_owned();
        assert!(answer.status < 500, "{name}\nanswered {}: {body}", answer.status);
        assert!(answer.header("x-request-id").is_some() || answer.status == 431, "{name}: no request id");
        if answer.status >= 400 && answer.status != 431 && request.method != "HEAD" {
            self.check_problem(name, answer);
        }
        if request.is_elsewhere {
            return;
        }
        let response = &operation.value["responses"][answer.status.to_string()];
        if response.is_null() {
            let code = code(answer);
            assert!(
                ANYWHERE.contains(&code.as_str()),
                "{name}\nanswered {}, not described: {body}",
                answer.status
            );
            return;
        }
        let Some(content) = response["content"].as_object() else {
            assert!(answer.body.is_empty(), "{name}\nanswered {} with a body: {body}", answer.status);
            return;
        };
        let known = content.contains_key(&answer.kind) || content.contains_key("*/*");
        assert!(known, "{name}\nanswered {} as {}", answer.status, answer.kind);
        if answer.kind.ends_with("json") {
            self.check_body(name, operation, answer);
        }
    }

    fn check_problem(&self, name: &str, answer: &Answer) {
        assert_eq!(answer.kind, "application/problem+json", "{name}\nanswered {}", answer.status);
        let code = code(answer);
        assert!(
            self.document.is_problem(&code, answer.status),
            "{name}\nanswered {} {code}, not declared",
            answer.status
        );
    }

    fn check_body(&mut self, name: &str, operation: &Operation, answer: &Answer) {
        let value: Value = serde_json::from_slice(&answer.body)
            .unwrap_or_else(|error| panic!("{name}\nanswered {} with no JSON: {error}", answer.status));
        if ANYWHERE.contains(&value["code"].as_str().unwrap_or_default()) {
            return;
        }
        let key = format!("{} {}", operation.name, answer.status);
        let document = self.document;
        let validator = self.validators.entry(key).or_insert_with(|| {
            let content = &operation.value["responses"][answer.status.to_string()]["content"];
            let mut schema = content[&answer.kind]["schema"].clone();
            schema["components"] = document.whole["components"].clone();
            jsonschema::draft202012::new(&schema).unwrap()
        });
        let wrong: Vec<String> = validator
            .iter_errors(&value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(wrong.is_empty(), "{name}\nanswered {} not as described: {wrong:#?}\n{value}", answer.status);
    }
}

fn code(answer: &Answer) -> String {
    let value: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    value["code"].as_str().unwrap_or_default().to_owned()
}
