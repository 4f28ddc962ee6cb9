//! The server that is tried, and what is known of it.

use crate::{
    actor::{Actor, DECOY, PASSWORDS},
    document::{Document, Operation},
    process,
    request::{Framing, Request, Wish},
    step::Step,
    wire::{Answer, Manner, exchange},
};
use rand::{RngExt, rngs::StdRng};
use serde_json::{Value, json};
use std::{collections::BTreeSet, path::PathBuf};
use tempfile::TempDir;
use testkit::program::{Program, Running};

/// The place of the decoy; everybody else stays who they are.
const LAST: usize = 5;
/// What is done with these leaves the login that there was.
const LEAVING: [&str; 3] = ["/v1/login", "/v1/logout", "/v1/me/password"];
const SCOPES: [&str; 4] = ["full", "read", "chat", "bridge"];

pub struct House {
    running: Running,
    pub address: String,
    pub actors: Vec<Actor>,
    /// The name of a file that the page loads.
    asset: String,
    /// Those that there are from the beginning: they answer.
    models: Vec<String>,
    /// Ids of those who call, and of their keys: without them nothing could be tried any more.
    kept: BTreeSet<String>,
    log: PathBuf,
    folder: TempDir,
}

impl House {
    pub async fn new(store: Option<&str>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut program =
            Program::new(env!("CARGO_BIN_EXE_majordomo-under-test"), folder.path().join("data"))
                .env("MAJORDOMO_LOG", "warn")
                // Providers that are added here answer nothing; who names no model is answered all the same.
                .env("MAJORDOMO_DEFAULTS_MODEL", "demo");
        if let Some(url) = store {
            program = program.env("MAJORDOMO_STORE_URL", url);
        }
        let log = folder.path().join("log");
        people(&program).await;
        let running = program.serve_into(&log).await.unwrap();
        let address = running.base.trim_start_matches("http://").trim_end_matches('/').to_owned();
        let actors = ["nobody", "owner", "admin", "member", "guest", DECOY].map(Actor::new).into();
        let (kept, asset, models) = (BTreeSet::new(), String::new(), Vec::new());
        let mut house = Self { running, address, actors, asset, models, kept, log, folder };
        house.let_in().await;
        house.asset = house.find_asset().await;
        house.models = house.find_models().await;
        house
    }

    /// Everybody has a login, and keys where they may.
    async fn let_in(&mut self) {
        for number in 1..self.actors.len() {
            let actor = &mut self.actors[number];
            actor.sign_in(&self.address).await;
            for scope in SCOPES {
                self.kept.extend(actor.make_key(&self.address, scope).await);
            }
            for path in ["/v1/me", "/v1/agents", "/v1/users", "/v1/logins"] {
                let seen = actor.ask(&self.address, "GET", path, None).await.body;
                let seen: Value = serde_json::from_slice(&seen).unwrap_or_default();
                if path == "/v1/me" {
                    actor.user = seen["id"].as_str().map(str::to_owned);
                }
                actor.remember(&seen);
            }
            actor.begin_session(&self.address).await;
            let people = ["user_", "key_", "login_"];
            let is_own = |id: &&String| people.iter().any(|prefix| id.starts_with(prefix));
            let own =
                actor.ids.iter().filter(is_own).filter(|id| number != LAST || !id.starts_with("login_"));
            self.kept.extend(own.cloned());
        }
        assert_eq!(self.actors[1].keys.len(), SCOPES.len(), "the owner has a key of each scope");
        assert!(self.actors.iter().skip(1).all(|actor| actor.cookie.is_some()), "everybody is signed in");
    }

    async fn find_asset(&self) -> String {
        let page = self.owner("/").await.body;
        let page = String::from_utf8_lossy(&page);
        let (_, name) = page.split_once("/assets/").expect("the page loads something");
        name.split('"').next().unwrap_or_default().to_owned()
    }

    async fn find_models(&self) -> Vec<String> {
        let models: Value = serde_json::from_slice(&self.owner("/v1/models").await.body).unwrap();
        let items = models["items"].as_array().into_iter().flatten();
        let models: Vec<String> = items.filter_map(|model| model["id"].as_str()).map(str::to_owned).collect();
        assert!(!models.is_empty(), "the house has a model");
        models
    }

    pub async fn description(&self) -> Value {
        serde_json::from_slice(&self.owner("/openapi.json").await.body).unwrap()
    }

    async fn owner(&self, path: &str) -> Answer {
        let mut request = Request::plain("GET", path);
        request.set("Authorization", &format!("Bearer {}", self.actors[1].keys[0].1));
        self.send(&request).await.expect("an answer")
    }

    pub fn memory(&self) -> u64 {
        process::resident(self.running.id().unwrap())
    }

    pub fn open_files(&self) -> usize {
        process::open_files(self.running.id().unwrap())
    }

    /// Everybody else is served as before.
    pub async fn alive(&self, after: &str) {
        let answer = self.owner("/readyz").await;
        assert_eq!(answer.status, 200, "after {after}");
        let me = self.owner("/v1/me").await;
        assert_eq!(me.status, 200, "the owner's key still works after {after}");
    }

    /// Something that is begun for an operation: a conversation with the agent that everybody has, which can do more than others,
    /// or, to be tried again, with one that soon reaches its limit.
    pub fn begin(&self, document: &Document, place: usize, wanted: usize) -> Step {
        let actor = self.able(&document.operations[place]);
        let mut step = Step::new(place, actor);
        if document.operations[place].name == "POST /v1/sessions" {
            let Actor { main, hasty, .. } = &self.actors[actor];
            let agent = if document.operations[wanted].path.ends_with("/retry") { hasty } else { main };
            step.fields.insert("agent_id".to_owned(), json!(agent));
        }
        step
    }

    /// Whether a step would end something without which nothing could be tried any more.
    pub fn is_kept(&self, step: &Step) -> bool {
        step.names.get("id").is_some_and(|id| self.kept.contains(id))
    }

    /// Who can do it.
    pub fn able(&self, operation: &Operation) -> usize {
        match operation.path.as_str() {
            "/v1/logins/{id}" => LAST,
            path if LEAVING.contains(&path) => LAST,
            "/v1/join" | "/v1/join/look" => 0,
            _ => 1,
        }
    }

    /// Mostly somebody who may.
    pub fn choose(&self, operation: &Operation, dice: &mut StdRng) -> usize {
        // A browser that signs in leaves the login that it had.
        let is_last = LEAVING.contains(&operation.path.as_str());
        match dice.random_range(0..100) {
            0..=6 => 0,
            _ if is_last => LAST,
            7..=59 => 1,
            60..=74 => 2,
            75..=91 => 3,
            _ => 4,
        }
    }

    /// What somebody can name: mostly what they have seen, sometimes what only others have.
    pub fn wish(&self, actor: usize, operation: &Operation, is_right: bool, dice: &mut StdRng) -> Wish<'_> {
        let whose =
            if is_right || dice.random_bool(0.85) { actor } else { dice.random_range(1..self.actors.len()) };
        let mut ids: Vec<String> = self.actors[whose].ids.iter().cloned().collect();
        if operation.method != "GET" {
            ids.retain(|id| !self.kept.contains(id));
            // What their first agent can do is needed.
            if operation.path.starts_with("/v1/agents/{id}") {
                ids.retain(|id| !self.actors.iter().any(|actor| actor.needs(id)));
            }
        }
        Wish {
            ids,
            is_right,
            models: &self.models,
            actor: &self.actors[actor],
            asset: &self.asset,
            origin: format!("http://{}", self.address),
        }
    }

    pub async fn send(&self, request: &Request) -> Option<Answer> {
        let leaves = matches!(request.framing, Framing::Cut(_));
        exchange(&self.address, &request.bytes(&self.address), Manner { from: None, leaves }).await
    }

    /// Keeps what an answer names for later requests, and signs in again whoever was thrown out.
    pub async fn learn(&mut self, actor: usize, request: &Request, operation: &Operation, answer: &Answer) {
        if operation.method == "DELETE" && answer.status == 204 {
            self.actors.iter_mut().for_each(|actor| actor.forget(&request.target));
        }
        if answer.status < 300 && answer.kind == "application/json" && operation.path != "/openapi.json" {
            let body = serde_json::from_slice(&answer.body).unwrap_or_default();
            self.actors[actor].remember(&body);
        }
        let is_thrown_out = [204, 401].contains(&answer.status) || operation.path == "/v1/login";
        // A link for a new password ends every login of its person.
        let is_unknown = answer.status == 401 && request.tricks.is_empty();
        let ended = is_unknown || (actor == LAST && is_thrown_out);
        let is_unconfirmed = String::from_utf8_lossy(&answer.body).contains("confirmation_required");
        if actor != 0 && (ended || is_unconfirmed) {
            self.actors[actor].sign_in(&self.address).await;
            self.keep_logins(actor).await;
        }
    }

    /// But for the one that is there to be thrown out.
    async fn keep_logins(&mut self, actor: usize) {
        if actor == LAST {
            return;
        }
        let logins = self.actors[actor].ask(&self.address, "GET", "/v1/logins", None).await;
        let logins: Value = serde_json::from_slice(&logins.body).unwrap_or_default();
        let items = logins["items"].as_array().into_iter().flatten();
        self.kept.extend(items.filter_map(|login| login["id"].as_str()).map(str::to_owned));
    }

    /// Lines of the log that nobody should be able to cause.
    pub fn complaints(&self) -> Vec<String> {
        let text = std::fs::read_to_string(&self.log).unwrap();
        let is_bad = |line: &&str| {
            line.contains("panicked") || line.contains("ERROR") || line.contains("RUST_BACKTRACE")
        };
        text.lines().filter(is_bad).take(20).map(str::to_owned).collect()
    }

    pub async fn end(self) {
        assert_eq!(self.running.terminate().await.unwrap(), Some(0), "it ends in order");
        drop(self.folder);
    }
}

async fn people(program: &Program) {
    let password = format!("{}\n", PASSWORDS[0]);
    let add = async |name: &str, role: &str| {
        let arguments = ["user", "add", name, "--role", role, "--password-stdin"];
        program.must(&arguments, &password).await
    };
    for role in ["owner", "admin", "member", "guest"] {
        add(role, role).await;
    }
    add(DECOY, "member").await;
}

/// A message that ends with this is another message.
pub fn changed(body: &[u8]) -> Option<Vec<u8>> {
    let mut value: Value = serde_json::from_slice(body).ok()?;
    let content = value.get("content")?.as_str()?.to_owned();
    value["content"] = json!(format!("{content}, or not"));
    Some(value.to_string().into_bytes())
}
