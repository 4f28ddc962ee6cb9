//! An owner, on a server that has at least one object of every kind.

use super::Taker;
use crate::support::{Call, House, Options};
use domain::UserRole;
use engine::NewPerson;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use testkit::model::Reply;

const PASSWORD: &str = "nobody has this one";

pub struct Visitor {
    pub house: House,
    cookie: String,
    agent: String,
    ability: String,
    /// Two; the second is brought back and forth.
    entries: (String, String),
    folder: String,
    upload: String,
    saved_prompt: String,
    schedule: String,
    session: String,
    other: String,
    /// A session with a message that has a prompt in it.
    prompted: String,
    message: String,
    next: AtomicU64,
}

/// A file that can be read.
async fn upload(house: &House) -> String {
    let form = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\
                Content-Type: text/plain\r\n\r\nsoup\r\n--x--\r\n";
    let call = house.call("POST", "/v1/uploads").body("multipart/form-data; boundary=x", form);
    call.send().await.expect(201)["id"].as_str().unwrap().to_owned()
}

/// Something to remember, of the person themself.
async fn entry(house: &House, cookie: &str, body: &str) -> String {
    let fields = json!({ "store": "memory", "body": body });
    let origin = format!("http://{}", house.address);
    let call = house.anonymous("POST", "/v1/knowledge").json(&fields);
    let made = call.header("cookie", cookie).header("origin", &origin).send().await.expect(201);
    made["id"].as_str().unwrap().to_owned()
}

impl Visitor {
    pub async fn new() -> Self {
        Self::of(House::with(Options { empty: true, ..Options::default() }).await).await
    }

    /// `None` where there is no PostgreSQL.
    pub async fn on_postgres() -> Option<Self> {
        Some(Self::of(House::on_postgres(Options { empty: true, ..Options::default() }).await?).await)
    }

    async fn of(mut house: House) -> Self {
        house.model.respond(|_| Reply::text("Hello. <hml-prompt id=\"torture\">Well?</hml-prompt>"));
        let person = |name: &str, role| NewPerson {
            name: name.to_owned(),
            role,
            password: Some(PASSWORD.to_owned()),
            time_zone: None,
        };
        let people = house.engine.people();
        let owner = people.create_person(person("Ada", UserRole::Owner)).await.unwrap().id;
        let other = people.create_person(person("Eve", UserRole::Member)).await.unwrap().id.to_string();
        house.key = house.issue(owner, domain::Scope::Full).await;
        let body = json!({ "name": "Ada", "password": PASSWORD });
        let answer = house.anonymous("POST", "/v1/login").json(&body).send().await;
        let cookie = answer.header("set-cookie").split(';').next().unwrap().to_owned();
        let origin = format!("http://{}", house.address);
        let confirm = house.anonymous("POST", "/v1/me/confirm").json(&json!({ "password": PASSWORD }));
        confirm.header("cookie", &cookie).header("origin", &origin).send().await.expect(204);
        let made = async |path: &str, fields: Value| {
            let made = house.call("POST", path).json(&fields).send().await.expect(201);
            made["id"].as_str().unwrap().to_owned()
        };
        let agent = made("/v1/agents", json!({ "name": "worker" })).await;
        let written = json!({ "name": "tried", "content": "Be brief." });
        let ability = made("/v1/abilities", written.clone()).await;
        let folder = made("/v1/folders", json!({ "name": "tried" })).await;
        let saved_prompt = made("/v1/saved-prompts", written).await;
        let entries = (entry(&house, &cookie, "tried").await, entry(&house, &cookie, "undone").await);
        let when = json!({ "kind": "cron", "pattern": "0 8 1 1 *" });
        let planned = json!({ "when": when, "note": "Look.", "place": "fresh", "agent_id": agent });
        let schedule = made("/v1/schedules", planned).await;
        let upload = upload(&house).await;
        let session = house.session_with(&agent).await;
        let prompted = house.session_with(&agent).await;
        let path = format!("/v1/sessions/{prompted}/messages");
        let said = house.call("POST", &path).json(&json!({ "content": "Hello" })).send().await.expect(200);
        let message = said["message"]["id"].as_str().unwrap().to_owned();
        let next = AtomicU64::new(0);
        Self {
            house,
            cookie,
            agent,
            ability,
            entries,
            folder,
            upload,
            saved_prompt,
            schedule,
            session,
            other,
            prompted,
            message,
            next,
        }
    }

    /// Of a route about what agents remember.
    fn entry_body(&self, taker: &Taker) -> Value {
        let words = format!("words {}", self.next.fetch_add(1, Ordering::Relaxed));
        match taker.path.rsplit('/').next() {
            Some("undo") => json!({ "version": null }),
            Some("review") => json!({ "version": 1, "decision": "discard" }),
            Some("{id}") => json!({ "title": null, "body": words, "pinned": false, "until": null }),
            _ => json!({ "store": "memory", "title": null, "body": words, "pinned": false, "until": null }),
        }
    }

    /// A body that is taken, each time under another name.
    pub fn base(&self, taker: &Taker) -> Value {
        match taker.path.starts_with("/v1/knowledge") {
            true => self.entry_body(taker),
            false => self.named_body(taker),
        }
    }

    fn named_body(&self, taker: &Taker) -> Value {
        let mut body = taker.example.clone();
        let name = || json!(format!("name {}", self.next.fetch_add(1, Ordering::Relaxed)));
        if body.get("name").is_some() {
            body["name"] = name();
        }
        if taker.path.starts_with("/v1/abilities") || taker.path.starts_with("/v1/saved-prompts") {
            body["name"] = json!(format!("name_{}", self.next.fetch_add(1, Ordering::Relaxed)));
        }
        if taker.path.ends_with("/batch") {
            body["ids"] = json!([self.session]);
            body["folder_id"] = json!(self.folder);
        }
        if taker.path.ends_with("/account-links") {
            body["role"] = json!("guest");
            body["user_id"] = Value::Null;
        }
        if body.get("line").is_some() {
            // Files and a model go with prompts of one's own.
            body = json!({ "line": "/help", "session_id": null });
        }
        if taker.path.ends_with("/rules") {
            // What widens takes more than a key.
            body["action"] = json!("deny");
            body["scope"] = json!("always");
            body["tool"] = json!("add");
            body["arguments"] = json!({ "exact": {} });
            body["subject"] = json!(self.agent);
        }
        if body.get("agent").is_some() {
            body["agent"]["name"] = name();
        }
        if body.get("agent_id").is_some() {
            body["agent_id"] = json!(self.agent);
        }
        if body.get("session_id").is_some() {
            body["session_id"] = json!(self.session);
        }
        if taker.path.ends_with("/fork") || taker.path.ends_with("/backups") {
            body = json!({});
        }
        if taker.path.ends_with("/api-keys") {
            body["scope"] = json!("bridge");
            body["source"] = json!("signal");
        }
        if taker.path.ends_with("/files") {
            body = json!({ "upload_id": self.upload, "own": false });
        }
        if taker.path.ends_with("/versions") {
            // Where the first message of a conversation stands.
            body = json!({ "seq": 3, "content": "text", "typed": false });
        }
        if taker.path.ends_with("/trust") {
            body["seq"] = json!(1);
        }
        if taker.path.ends_with("/api-keys") || taker.path.ends_with("/rules") {
            body["expires_at"] = json!("2031-05-06T07:08:09.123Z");
        }
        body
    }

    pub fn path(&self, template: &str) -> String {
        let id = match template.split('/').nth(2) {
            Some("agents") => &self.agent,
            Some("users") => &self.other,
            Some("abilities") => &self.ability,
            Some("knowledge") if template.ends_with("/undo") => &self.entries.1,
            Some("knowledge") => &self.entries.0,
            Some("folders") => &self.folder,
            Some("saved-prompts") => &self.saved_prompt,
            Some("schedules") => &self.schedule,
            // A yes is for one request; whether it is taken is tried where there is one.
            Some("approvals") => "approval_01980000000070008000000000000001",
            _ if ["/prompts/", "/trust", "/versions"].iter().any(|part| template.contains(part)) => {
                &self.prompted
            }
            _ => &self.session,
        };
        let path = template.replace("{id}", id).replace("{name}", "torture");
        path.replace("{message_id}", &self.message).replace("{prompt_id}", "torture")
    }

    /// A call with the credentials that the route takes.
    pub fn call(&self, method: &str, path: &str, takes_key: bool) -> Call {
        let call = self.house.anonymous(method, path);
        if takes_key {
            return call.key(&self.house.key);
        }
        let origin = format!("http://{}", self.house.address);
        call.header("cookie", &self.cookie).header("origin", &origin)
    }

    /// The status, and the detail if it was refused.
    pub async fn send(&self, taker: &Taker, body: Vec<u8>) -> (u16, String) {
        let call = self.call(&taker.method, &self.path(&taker.path), taker.takes_key);
        let answer = call.body("application/json", body).send().await;
        let detail = answer.json()["detail"].as_str().unwrap_or_default().to_owned();
        (answer.status, detail)
    }
}
