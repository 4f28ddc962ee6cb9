//! The server that is tried, and what is known of it.

use crate::{
    document::{Document, Operation},
    request::Request,
    wire::{Answer, exchange},
};
use rand::{RngExt, rngs::StdRng};
use serde_json::{Value, json};
use std::{collections::BTreeSet, sync::Mutex};
use tempfile::TempDir;
use testkit::program::{Program, Running};

pub const PASSWORD: &str = "correct horse";
/// Ids that are remembered, so that they are found again.
const IDS: usize = 400;

/// What a request can be made of.
#[derive(Clone, Default)]
pub struct Pool {
    pub ids: BTreeSet<String>,
    key: String,
    cookie: Option<String>,
    origin: String,
}

impl Pool {
    /// As a program with a key, or as a browser with a login.
    pub fn authorize(&self, request: &mut Request, dice: &mut StdRng) {
        match &self.cookie {
            Some(cookie) if dice.random_bool(0.3) => {
                request.set("Cookie", cookie);
                request.set("Origin", &self.origin);
            }
            _ => request.set("Authorization", &format!("Bearer {}", self.key)),
        }
    }
}

pub struct House {
    running: Running,
    address: String,
    pool: Mutex<Pool>,
    _folder: TempDir,
}

impl House {
    pub async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = Program::new(env!("CARGO_BIN_EXE_majordomo-under-test"), folder.path().join("data"));
        let key = program.set_up().await;
        let running = program.serve().await.unwrap();
        let address = running.base.trim_start_matches("http://").trim_end_matches('/').to_owned();
        let origin = format!("http://{address}");
        let pool = Mutex::new(Pool { key, origin, ..Pool::default() });
        let house = Self { running, address, pool, _folder: folder };
        house.sign_in().await;
        let agents = house.plain("GET", "/v1/agents", None).await;
        house.remember(&agents.body);
        house.remember(&house.plain("GET", "/v1/users", None).await.body);
        house
    }

    fn pool(&self) -> Pool {
        self.pool.lock().unwrap().clone()
    }

    async fn sign_in(&self) {
        let body = json!({ "name": "ada", "password": PASSWORD });
        let answer = self.plain("POST", "/v1/login", Some(&body)).await;
        let cookie = answer.header("set-cookie").and_then(|cookie| cookie.split(';').next());
        self.pool.lock().unwrap().cookie = cookie.map(str::to_owned);
    }

    async fn plain(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let mut request = Request {
            method: method.to_owned(),
            target: path.to_owned(),
            headers: vec![("Authorization".to_owned(), format!("Bearer {}", self.pool().key))],
            body: body.map(|body| body.to_string().into_bytes()).unwrap_or_default(),
            is_elsewhere: false,
        };
        request.set("Content-Type", "application/json");
        exchange(&self.address, &request.bytes(&self.address)).await.expect("an answer")
    }

    pub async fn description(&self) -> Value {
        serde_json::from_slice(&self.plain("GET", "/openapi.json", None).await.body).unwrap()
    }

    /// Bytes that the server holds, as it says itself.
    pub async fn memory(&self) -> f64 {
        let answer = self.plain("GET", "/metrics", None).await;
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        let line = text.lines().find_map(|line| line.strip_prefix("process_resident_memory_bytes "));
        line.unwrap().parse().unwrap()
    }

    pub async fn alive(&self, after: &str) {
        let answer = self.plain("GET", "/readyz", None).await;
        assert_eq!(answer.status, 200, "after {after}");
        let me = self.plain("GET", "/v1/me", None).await;
        assert_eq!(me.status, 200, "the key still works after {after}");
    }

    pub fn request(&self, document: &Document, operation: &Operation, dice: &mut StdRng) -> Request {
        let mut pool = self.pool();
        // The fuzzer must not throw itself out.
        if operation.method != "GET" {
            pool.ids.retain(|id| {
                !id.starts_with("key_") && !id.starts_with("user_") && !id.starts_with("login_")
            });
        }
        Request::new(document, operation, &pool, dice)
    }

    pub async fn send(&self, request: &Request) -> Answer {
        let answer = exchange(&self.address, &request.bytes(&self.address)).await;
        answer.unwrap_or_else(|| panic!("no answer to {}", request.shown()))
    }

    /// Keeps what an answer names for later requests.
    pub fn learn(&self, operation: &Operation, answer: &Answer) {
        if answer.status < 300 && answer.kind == "application/json" && operation.path != "/openapi.json" {
            self.remember(&answer.body);
        }
    }

    fn remember(&self, body: &[u8]) {
        let mut found = Vec::new();
        collect(&serde_json::from_slice(body).unwrap_or_default(), &mut found);
        let mut pool = self.pool.lock().unwrap();
        for id in found {
            if pool.ids.len() < IDS {
                pool.ids.insert(id);
            }
        }
    }

    pub async fn end(self) {
        assert_eq!(self.running.terminate().await.unwrap(), Some(0), "it ends in order");
    }
}

fn collect(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            let is_id = text.split_once('_').is_some_and(|(_, digits)| {
                digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
            });
            if is_id {
                found.push(text.clone());
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| collect(field, found)),
        _ => {}
    }
}
