//! What is done next with something that an answer has told of.

use crate::{actor::Actor, document::Document, request::NOTES, wire::Answer};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// One call that is known to fit: the operation, by whom, what stands in its path and in its body.
#[derive(Clone, Debug)]
pub struct Step {
    pub place: usize,
    pub actor: usize,
    pub names: BTreeMap<&'static str, String>,
    pub fields: Map<String, Value>,
}

impl Step {
    pub fn new(place: usize, actor: usize) -> Self {
        Self { place, actor, names: BTreeMap::new(), fields: Map::new() }
    }

    pub fn named(mut self, name: &'static str, value: &str) -> Self {
        self.names.insert(name, value.to_owned());
        self
    }
}

/// Reads an answer for what can be done with it.
pub struct Pupil<'a> {
    pub document: &'a Document,
    pub actors: &'a [Actor],
    pub actor: usize,
    steps: Vec<Step>,
}

impl<'a> Pupil<'a> {
    pub fn new(document: &'a Document, actors: &'a [Actor], actor: usize) -> Self {
        Self { document, actors, actor, steps: Vec::new() }
    }

    /// What follows from the answer to this operation; what comes first is done first. What is soon gone is left to these
    /// steps: later the session, the link or the question may not be there any more.
    pub fn read(mut self, place: usize, target: &str, answer: &Answer) -> Vec<Step> {
        let operation = &self.document.operations[place];
        if answer.status >= 300 || answer.kind == "application/problem+json" {
            return self.steps;
        }
        let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let owner = operation.value_in_path("id", target).unwrap_or_default();
        match operation.name.as_str() {
            "POST /v1/sessions/{id}/messages" | "POST /v1/sessions/{id}/messages/stream" => {
                if ["failed", "limit"].iter().any(|outcome| body["outcome"] == *outcome) {
                    self.then("POST /v1/sessions/{id}/retry", &[("id", &owner)], &[]);
                }
                self.then("GET /v1/sessions/{id}/messages", &[("id", &owner)], &[]);
                self.then("GET /v1/sessions/{id}/queue", &[("id", &owner)], &[]);
                self.then("GET /v1/approvals", &[], &[]);
                self.then("GET /v1/questions", &[], &[]);
            }
            "PUT /v1/sessions/{id}/files/{path}" => {
                let stat = [("id", owner.as_str()), ("path", "/notes.txt")];
                self.then("GET /v1/sessions/{id}/files:stat", &stat, &[]);
                for name in ["GET /v1/sessions/{id}/files/{path}", "DELETE /v1/sessions/{id}/files/{path}"] {
                    self.then(name, &[("id", &owner), ("path", NOTES)], &[]);
                }
            }
            "PUT /v1/providers/{name}" => {
                let name = operation.value_in_path("name", target).unwrap_or_default();
                for next in ["PATCH /v1/providers/{name}", "DELETE /v1/providers/{name}"] {
                    self.then(next, &[("name", &name)], &[]);
                }
            }
            "POST /v1/login" => self.then("GET /v1/logins", &[], &[]),
            "POST /v1/folders/{id}/files" => self.file_of_folder(&owner, &body),
            _ => {}
        }
        let whole = [body.clone()];
        for item in body["items"].as_array().unwrap_or(&whole.into()) {
            self.item(&operation.name, &owner, item);
        }
        self.steps
    }

    fn item(&mut self, asked: &str, owner: &str, item: &Value) {
        let text = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
        let id = text("id");
        match (id.split('_').next().unwrap_or_default(), asked) {
            ("link", _) => {
                self.then("GET /v1/shared/{name}", &[("name", &text("secret"))], &[]);
                self.then("DELETE /v1/links/{id}", &[("id", &id)], &[]);
            }
            ("invitation", _) if item["token"].is_string() => {
                for name in ["POST /v1/join/look", "POST /v1/join"] {
                    self.then(name, &[], &[("token", &item["token"])]);
                }
            }
            ("approval", _) if item["status"] == "pending" => {
                self.then("POST /v1/approvals/{id}", &[("id", &id)], &[("digest", &item["digest"])]);
            }
            ("question", _) if item["status"] == "pending" => {
                self.then("POST /v1/questions/{id}/answer", &[("id", &id)], &[]);
            }
            ("upload", "GET /v1/folders/{id}/files") => self.file_of_folder(owner, item),
            ("login", _) if item["current"] == false => {
                self.then("DELETE /v1/logins/{id}", &[("id", &id)], &[]);
            }
            ("message", "GET /v1/sessions/{id}/messages") => self.message(owner, &id, item),
            ("agent", _) => self.shared_agent(&id, item),
            (_, "GET /v1/sessions/{id}/queue") => {
                let names = [("id", owner), ("turn_id", &text("turn_id"))];
                self.then("DELETE /v1/sessions/{id}/queue/{turn_id}", &names, &[]);
            }
            _ => {}
        }
    }

    fn message(&mut self, session: &str, id: &str, message: &Value) {
        let seq = [("seq", &message["seq"])];
        if message["role"] == "user" {
            self.then("POST /v1/sessions/{id}/versions", &[("id", session)], &seq);
        }
        // What the demo shows has this prompt in it.
        let prompt = "demo-colour";
        if message["content"].as_str().is_some_and(|content| content.contains(prompt)) {
            let names = [("id", session), ("message_id", id), ("prompt_id", prompt)];
            self.then("POST /v1/sessions/{id}/prompts/{message_id}/{prompt_id}", &names, &[]);
        }
        self.then("POST /v1/sessions/{id}/trust", &[("id", session)], &seq);
    }

    fn file_of_folder(&mut self, folder: &str, file: &Value) {
        let upload = file["id"].as_str().unwrap_or_default();
        self.then("DELETE /v1/folders/{id}/files/{upload_id}", &[("id", folder), ("upload_id", upload)], &[]);
    }

    /// Another person has it offered, and takes it.
    fn shared_agent(&mut self, id: &str, agent: &Value) {
        let shared: Vec<&str> =
            agent["shared_with"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let takes = |actor: &Actor| actor.user.as_ref().is_some_and(|user| shared.contains(&user.as_str()));
        let everybody = shared.contains(&"*");
        let mut others = (1..self.actors.len()).rev().filter(|actor| *actor != self.actor);
        let taker = others.find(|actor| everybody || takes(&self.actors[*actor]));
        let Some(taker) = taker else { return };
        for name in ["PUT /v1/agents/{id}/acceptance", "DELETE /v1/agents/{id}/acceptance"] {
            self.then(name, &[("id", id)], &[]);
            self.steps.last_mut().into_iter().for_each(|step| step.actor = taker);
        }
    }

    /// Each operation once: a list may be long.
    fn then(&mut self, operation: &str, names: &[(&'static str, &str)], fields: &[(&str, &Value)]) {
        let place = self.document.place(operation);
        if self.steps.iter().any(|step| step.place == place) {
            return;
        }
        let step =
            names.iter().fold(Step::new(place, self.actor), |step, (name, value)| step.named(name, value));
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        self.steps.push(Step { fields, ..step });
    }
}
