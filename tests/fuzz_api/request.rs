//! One request, from what the description asks for to what is sent.

use crate::{
    document::{Document, Operation},
    generate, hostile,
    house::Pool,
};
use rand::{RngExt, rngs::StdRng, seq::IndexedRandom};
use serde_json::Value;

const METHODS: [&str; 11] =
    ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "get", "X-ODD"];
const KINDS: [&str; 8] = [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "multipart/form-data; boundary=x",
    "application/json; charset=utf-16",
    "application/json, text/plain",
    "application/xml",
    "",
];

#[derive(Clone)]
pub struct Request {
    pub method: String,
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// The method or path was changed so that it is no longer the operation that it began as.
    pub is_elsewhere: bool,
}

impl Request {
    pub fn new(document: &Document, operation: &Operation, pool: &Pool, dice: &mut StdRng) -> Self {
        let mut request = Self {
            method: operation.method.clone(),
            target: target(document, operation, pool, dice),
            headers: Vec::new(),
            body: Vec::new(),
            is_elsewhere: false,
        };
        pool.authorize(&mut request, dice);
        let mut valid = None;
        if let Some(schema) = operation.body_schema() {
            let value = generate::value(document, schema, pool, dice);
            request.body = value.to_string().into_bytes();
            request.set("Content-Type", "application/json");
            valid = Some(value);
        }
        if operation.takes_form() {
            request.form(dice);
        }
        if dice.random_bool(0.65) {
            request.spoil(valid.as_ref(), dice);
        }
        request
    }

    pub fn set(&mut self, name: &str, value: &str) {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.headers.push((name.to_owned(), value.to_owned()));
    }

    fn form(&mut self, dice: &mut StdRng) {
        let name = if dice.random_bool(0.5) { "note.txt".to_owned() } else { hostile::text(dice) };
        let safe: String = name.chars().filter(|c| !c.is_control() && *c != '"').take(200).collect();
        self.set("Content-Type", "multipart/form-data; boundary=edge");
        let head = format!(
            "--edge\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{safe}\"\r\n\
             Content-Type: text/plain\r\n\r\n"
        );
        self.body = [head.as_bytes(), b"some words in a file", b"\r\n--edge--\r\n"].concat();
    }

    /// One way to do it wrong, sometimes two.
    fn spoil(&mut self, valid: Option<&Value>, dice: &mut StdRng) {
        for _ in 0..dice.random_range(1..=2) {
            match (dice.random_range(0..16), valid) {
                (0..=6, Some(valid)) => self.body = hostile::body(valid, dice),
                (0..=2, None) => self.body = hostile::text(dice).into_bytes(),
                (3 | 4 | 7, _) => self.spoil_query(dice),
                (8, _) => {
                    self.method = METHODS.choose(dice).unwrap_or(&"GET").to_string();
                    self.is_elsewhere = true;
                }
                (9, _) => self.set("Content-Type", KINDS.choose(dice).unwrap_or(&"")),
                (10, _) => self.spoil_path(dice),
                (11, _) => self.spoil_authorization(dice),
                (12, _) => {
                    let coding = ["gzip", "br", "deflate, gzip", "identity", "x"].choose(dice);
                    self.set("Content-Encoding", coding.unwrap_or(&"gzip"));
                }
                (13, _) => {
                    let keys = ["same", "same", "", "schlüssel"].map(str::to_owned);
                    let key = keys.choose(dice).cloned().unwrap_or_default();
                    self.set("Idempotency-Key", &if dice.random_bool(0.2) { "k".repeat(400) } else { key });
                }
                (14, _) => {
                    let cursors = ["x", "-1", "1.2.3", "99999999999999999999", "5.5", ""];
                    self.set("Last-Event-ID", cursors.choose(dice).unwrap_or(&"x"));
                }
                _ => {
                    let names = ["evil.example", "localhost:1", "[::1", "", "127.0.0.1:99999"];
                    let name = names.choose(dice).unwrap_or(&"");
                    if dice.random_bool(0.5) {
                        self.set("Host", name)
                    } else {
                        self.set("Origin", name)
                    }
                    self.is_elsewhere = true;
                }
            }
        }
    }

    fn spoil_query(&mut self, dice: &mut StdRng) {
        let names =
            ["limit", "cursor", "after", "archived", "types", "before_seq", "agent_id", "unknown", "token"];
        let values =
            ["", "0", "-1", "1e3", "x", "%00", "%ff%fe", "true", "99999999999999999999", "1&limit=2", "%"];
        let name = names.choose(dice).unwrap_or(&"limit");
        let value = if dice.random_bool(0.1) {
            "x".repeat(9_000)
        } else {
            values.choose(dice).unwrap_or(&"").to_string()
        };
        let joint = if self.target.contains('?') { '&' } else { '?' };
        self.target.push_str(&format!("{joint}{name}={value}"));
    }

    fn spoil_path(&mut self, dice: &mut StdRng) {
        let pieces = ["%00", "..%2f..", "%ff", "x%20y", "%F0%9F%98%80", "%", "AGENT_1", "//", "null", "*"];
        let piece = pieces.choose(dice).unwrap_or(&"%00");
        let path = self.target.split('?').next().unwrap_or_default().to_owned();
        let mut segments: Vec<&str> = path.split('/').collect();
        let long = "z".repeat(5_000);
        if let Some(last) = segments.last_mut() {
            *last = if dice.random_bool(0.1) { &long } else { piece };
        }
        self.target = segments.join("/");
        self.is_elsewhere = true;
    }

    fn spoil_authorization(&mut self, dice: &mut StdRng) {
        let values =
            ["", "Bearer", "Bearer ", "Bearer x", "Basic Og==", "Basic !!!", "Digest x", "bearer \u{fc}"];
        match dice.random_range(0..4) {
            0 => self.headers.retain(|(name, _)| name != "Authorization" && name != "Cookie"),
            1 => self.headers.push(("Authorization".to_owned(), "Bearer x".to_owned())),
            _ => self.set("Authorization", values.choose(dice).unwrap_or(&"")),
        }
    }

    /// As it goes over the wire.
    pub fn bytes(&self, host: &str) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\nConnection: close\r\n", self.method, self.target);
        if !self.headers.iter().any(|(name, _)| name == "Host") {
            head.push_str(&format!("Host: {host}\r\n"));
        }
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !self.body.is_empty() || self.method != "GET" {
            head.push_str(&format!("Content-Length: {}\r\n", self.body.len()));
        }
        head.push_str("\r\n");
        [head.as_bytes(), &self.body].concat()
    }

    /// For a person who looks for what went wrong.
    pub fn shown(&self) -> String {
        let body = String::from_utf8_lossy(&self.body[..self.body.len().min(400)]).into_owned();
        let headers: Vec<String> = self
            .headers
            .iter()
            .filter(|(name, _)| name != "Authorization" && name != "Cookie")
            .map(|(name, value)| format!("{name}: {}", value.chars().take(80).collect::<String>()))
            .collect();
        let target: String = self.target.chars().take(300).collect();
        format!("{} {target} {headers:?} {body} ({} bytes)", self.method, self.body.len())
    }
}

fn target(document: &Document, operation: &Operation, pool: &Pool, dice: &mut StdRng) -> String {
    let mut path = operation.path.clone();
    for parameter in operation.parameters("path") {
        let value = generate::value(document, &parameter["schema"], pool, dice);
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let name = parameter["name"].as_str().unwrap();
        path = path.replace(&format!("{{{name}}}"), &encoded(&text));
    }
    let mut query = Vec::new();
    for parameter in operation.parameters("query") {
        if parameter["required"] == true || dice.random_bool(0.3) {
            let value = generate::value(document, &parameter["schema"], pool, dice);
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            query.push(format!("{}={}", parameter["name"].as_str().unwrap(), encoded(&text)));
        }
    }
    if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) }
}

fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
