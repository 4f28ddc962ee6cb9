//! One request, from what the description asks for to the bytes that are sent.

use crate::{
    actor::Actor,
    document::{Document, Operation},
    fit,
    generate::{self, Known},
    hostile,
    step::Step,
};
use rand::{RngExt, rngs::StdRng};
use serde_json::Value;

/// The one file that a session may have.
pub const NOTES: &str = "notes.txt";

/// How the body is put on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    Length,
    /// In pieces of so many bytes.
    Chunks(usize),
    /// It says that it is longer than it is by so much, and ends.
    Cut(usize),
}

#[derive(Clone)]
pub struct Request {
    pub method: String,
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    pub framing: Framing,
    /// The method, path or host was changed so that it is no longer the operation that it began as.
    pub is_elsewhere: bool,
    /// What was done to it.
    pub tricks: Vec<&'static str>,
}

/// Who asks, and what they can name.
pub struct Wish<'a> {
    pub ids: Vec<String>,
    pub models: &'a [String],
    pub actor: &'a Actor,
    /// A file of the page.
    pub asset: &'a str,
    pub origin: String,
    /// Nothing is done wrong with it.
    pub is_right: bool,
}

impl Wish<'_> {
    fn known(&self) -> Known<'_> {
        Known { ids: &self.ids, models: self.models }
    }
}

impl Request {
    pub fn plain(method: &str, target: &str) -> Self {
        Self {
            method: method.to_owned(),
            target: target.to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
            framing: Framing::Length,
            is_elsewhere: false,
            tricks: Vec::new(),
        }
    }

    pub fn json(method: &str, target: &str, body: &Value) -> Self {
        let mut request = Self::plain(method, target);
        request.body = body.to_string().into_bytes();
        request.set("Content-Type", "application/json");
        request
    }

    /// As the description asks for it, and, where something is known of it, with that; or spoiled, where it need not be right.
    pub fn new(
        document: &Document,
        operation: &Operation,
        wish: &Wish<'_>,
        step: Option<&Step>,
        dice: &mut StdRng,
    ) -> Self {
        let mut request = Self::plain(&operation.method, &target(document, operation, wish, step, dice));
        wish.actor.authorize(&mut request, operation, wish, dice);
        let mut valid = None;
        if let Some(schema) = operation.body_schema() {
            let mut value = generate::value(document, schema, wish.known(), dice);
            if wish.is_right || dice.random_bool(0.8) {
                fit::fit(operation, wish.actor, &mut value, dice);
            }
            for (name, field) in step.into_iter().flat_map(|step| &step.fields) {
                value[name] = field.clone();
            }
            request.body = value.to_string().into_bytes();
            request.set("Content-Type", "application/json");
            valid = Some(value);
        }
        if operation.takes_form() {
            request.form(dice);
        }
        if operation.path == "/ws" && (wish.is_right || dice.random_bool(0.6)) {
            request.upgrade();
        }
        let is_spoiled = dice.random_bool(if step.is_some() { 0.3 } else { 0.6 });
        if is_spoiled && !wish.is_right {
            request.spoil(operation, valid.as_ref(), dice);
        }
        request
    }

    pub fn set(&mut self, name: &str, value: &str) {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.headers.push((name.to_owned(), value.to_owned()));
    }

    fn upgrade(&mut self) {
        self.set("Connection", "Upgrade");
        self.set("Upgrade", "websocket");
        self.set("Sec-WebSocket-Version", "13");
        self.set("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
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

    /// As it goes over the wire.
    pub fn bytes(&self, host: &str) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.target);
        for (name, value) in [("Connection", "close"), ("Host", host)] {
            if !self.headers.iter().any(|(known, _)| known == name) {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
        }
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let length = self.body.len();
        match self.framing {
            Framing::Length if length == 0 && self.method == "GET" => {}
            Framing::Length => head.push_str(&format!("Content-Length: {length}\r\n")),
            Framing::Cut(missing) => head.push_str(&format!("Content-Length: {}\r\n", length + missing)),
            Framing::Chunks(size) => {
                head.push_str("Transfer-Encoding: chunked\r\n\r\n");
                return [head.into_bytes(), chunked(&self.body, size)].concat();
            }
        }
        head.push_str("\r\n");
        [head.as_bytes(), &self.body].concat()
    }

    /// For a person who looks for what went wrong.
    pub fn shown(&self) -> String {
        let body = String::from_utf8_lossy(&self.body[..self.body.len().min(400)]).into_owned();
        let secret = |name: &str| ["Authorization", "Cookie"].contains(&name);
        let headers: Vec<String> = self
            .headers
            .iter()
            .map(|(name, value)| (name, if secret(name) { "…" } else { value }))
            .map(|(name, value)| format!("{name}: {}", value.chars().take(80).collect::<String>()))
            .collect();
        let target: String = self.target.chars().take(300).collect();
        let Self { method, tricks, framing, .. } = self;
        format!("{method} {target} {tricks:?} {headers:?} {framing:?} {body} ({} bytes)", self.body.len())
    }
}

fn chunked(body: &[u8], size: usize) -> Vec<u8> {
    let mut whole = Vec::new();
    for piece in body.chunks(size.max(1)) {
        whole.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
        whole.extend_from_slice(piece);
        whole.extend_from_slice(b"\r\n");
    }
    whole.extend_from_slice(b"0\r\n\r\n");
    whole
}

fn target(
    document: &Document,
    operation: &Operation,
    wish: &Wish<'_>,
    step: Option<&Step>,
    dice: &mut StdRng,
) -> String {
    let known = wish.known();
    let mut path = operation.path.clone();
    let told = |name: &str| step.and_then(|step| step.names.get(name)).cloned();
    for parameter in operation.parameters("path") {
        let name = parameter["name"].as_str().unwrap();
        let text = told(name).unwrap_or_else(|| match operation.path.as_str() {
            "/assets/{name}" => wish.asset.to_owned(),
            "/v1/capabilities/{id}" => "current_time".to_owned(),
            // Few names, so that they are met again.
            _ if name == "name" => format!("house{}", dice.random_range(0..3)),
            _ if name == "path" => NOTES.to_owned(),
            _ if name == "prompt_id" => "demo-colour".to_owned(),
            _ => text_of(&generate::named_value(document, name, &parameter["schema"], known, dice)),
        });
        path = path.replace(&format!("{{{name}}}"), &encoded(&text));
    }
    let mut query = Vec::new();
    for parameter in operation.parameters("query") {
        let name = parameter["name"].as_str().unwrap();
        let told = told(name);
        if parameter["required"] == true || told.is_some() || (!wish.is_right && dice.random_bool(0.3)) {
            let made = |dice| generate::named_value(document, name, &parameter["schema"], known, dice);
            let text = told.unwrap_or_else(|| text_of(&made(dice)));
            query.push(format!("{name}={}", encoded(&text)));
        }
    }
    if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) }
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
