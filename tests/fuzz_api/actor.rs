//! Who calls.

use crate::{
    document::Operation,
    request::{Request, Wish},
    wire::{Answer, Manner, exchange},
};
use rand::{RngExt, rngs::StdRng, seq::IndexedRandom};
use serde_json::{Value, json};
use std::{
    collections::VecDeque,
    net::Ipv4Addr,
    sync::atomic::{AtomicU8, Ordering},
};

/// Every password in this house is one of these.
pub const PASSWORDS: [&str; 2] = ["correct horse battery", "another horse entirely"];
/// Whoever signs in and out, changes their password, and may be locked out.
pub const DECOY: &str = "decoy";
/// Ids that one person remembers, so that they are found again.
const IDS: usize = 300;

pub struct Actor {
    pub name: &'static str,
    pub cookie: Option<String>,
    /// What let it in the last time.
    pub password: &'static str,
    /// Its id, and that of its first agent.
    pub user: Option<String>,
    pub main: Option<String>,
    /// An agent that has one step and needs two.
    pub hasty: Option<String>,
    /// Secrets with their scopes.
    pub keys: Vec<(&'static str, String)>,
    /// What this one has seen, the newest last.
    pub ids: VecDeque<String>,
}

impl Actor {
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            cookie: None,
            password: PASSWORDS[0],
            user: None,
            main: None,
            hasty: None,
            keys: Vec::new(),
            ids: VecDeque::new(),
        }
    }

    pub fn remember(&mut self, body: &Value) {
        let mut found = Vec::new();
        collect(body, &mut found);
        for id in found {
            if self.ids.contains(&id) {
                continue;
            }
            if self.ids.len() >= IDS {
                self.ids.pop_front();
            }
            self.ids.push_back(id);
        }
    }

    pub fn forget(&mut self, path: &str) {
        self.ids.retain(|id| !path.contains(id.as_str()));
    }

    /// As a browser with a login, or as a program with a key; by a way that the description allows, mostly.
    pub fn authorize(
        &self,
        request: &mut Request,
        operation: &Operation,
        wish: &Wish<'_>,
        dice: &mut StdRng,
    ) {
        let takes_key = operation.takes("bearer") || (!wish.is_right && dice.random_bool(0.1));
        let full = self.keys.first().filter(|_| wish.is_right || dice.random_bool(0.8));
        let key = full.or_else(|| self.keys.choose(dice)).filter(|_| takes_key);
        match (&self.cookie, key) {
            (Some(cookie), None) => self.as_browser(request, cookie, wish, dice),
            (Some(cookie), Some(_)) if dice.random_bool(0.4) => self.as_browser(request, cookie, wish, dice),
            (_, Some((_, secret))) => request.set("Authorization", &format!("Bearer {secret}")),
            (None, None) => {}
        }
    }

    fn as_browser(&self, request: &mut Request, cookie: &str, wish: &Wish<'_>, dice: &mut StdRng) {
        request.set("Cookie", cookie);
        if wish.is_right || dice.random_bool(0.95) {
            request.set("Origin", &wish.origin);
        }
    }

    /// Comes from an address of its own each time, so that nobody's mistakes are counted against it.
    pub async fn sign_in(&mut self, address: &str) {
        static NEXT: AtomicU8 = AtomicU8::new(2);
        for password in PASSWORDS {
            let from = Ipv4Addr::new(127, 0, 1, NEXT.fetch_add(1, Ordering::Relaxed));
            let body = json!({ "name": self.name, "password": password });
            let request = Request::json("POST", "/v1/login", &body);
            let answer =
                exchange(address, &request.bytes(address), Manner { from: Some(from), leaves: false }).await;
            let cookie = answer.as_ref().and_then(|answer| answer.header("set-cookie"));
            if let Some(cookie) = cookie.and_then(|cookie| cookie.split(';').next()) {
                self.cookie = Some(cookie.to_owned());
                self.password = password;
                let confirm = json!({ "password": password });
                self.ask(address, "POST", "/v1/me/confirm", Some(&confirm)).await;
                return;
            }
        }
    }

    /// As a browser, and it is done right.
    pub async fn ask(&self, address: &str, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let mut request =
            body.map_or_else(|| Request::plain(method, path), |body| Request::json(method, path, body));
        request.set("Cookie", self.cookie.as_deref().unwrap_or_default());
        request.set("Origin", &format!("http://{address}"));
        exchange(address, &request.bytes(address), Manner::default()).await.expect("an answer")
    }

    /// Whether it is one of its first agents, whose abilities are needed.
    pub fn needs(&self, agent: &str) -> bool {
        [&self.main, &self.hasty].into_iter().flatten().any(|id| id == agent)
    }

    /// With the agent that everybody has, which is given commands: one of them asks for approval.
    pub async fn begin_session(&mut self, address: &str) {
        let Some(agent) = self.ids.iter().find(|id| id.starts_with("agent_")) else { return };
        self.main = Some(agent.clone());
        let change = json!({ "capabilities": ["current_time", "commands"] });
        self.ask(address, "PATCH", &format!("/v1/agents/{agent}"), Some(&change)).await;
        let hasty = json!({ "name": "hasty", "capabilities": ["current_time"], "limits": { "steps": 1 } });
        let made = self.ask(address, "POST", "/v1/agents", Some(&hasty)).await;
        let made: Value = serde_json::from_slice(&made.body).unwrap_or_default();
        self.hasty = made["id"].as_str().map(str::to_owned);
        let body = json!({ "agent_id": agent });
        let made = self.ask(address, "POST", "/v1/sessions", Some(&body)).await;
        self.remember(&serde_json::from_slice(&made.body).unwrap_or_default());
    }

    pub async fn make_key(&mut self, address: &str, scope: &'static str) -> Option<String> {
        let source = (scope == "bridge").then_some("signal");
        let body = json!({ "name": scope, "scope": scope, "source": source });
        let made: Value =
            serde_json::from_slice(&self.ask(address, "POST", "/v1/api-keys", Some(&body)).await.body)
                .ok()?;
        self.keys.push((scope, made["secret"].as_str()?.to_owned()));
        Some(made["id"].as_str()?.to_owned())
    }
}

fn collect(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) if is_id(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| collect(field, found)),
        _ => {}
    }
}

fn is_id(text: &str) -> bool {
    text.split_once('_')
        .is_some_and(|(_, digits)| digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
