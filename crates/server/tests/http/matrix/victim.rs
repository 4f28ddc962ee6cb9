//! The person whose objects all other callers try to reach.

use super::spec::Rule;
use crate::support::{Answer, Browser, House, PASSWORD};
use domain::{Permission, RuleScope, Scope, Subject, UserRole};
use engine::{LoginAttempt, NewKey, NewMessage, NewRule, Principal, Whence};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};

/// A word that the victim says, and nobody else may ever read.
pub const SECRET: &str = "the-key-is-under-the-mat";

/// What makes the agent ask, and offer a prompt.
pub const ASK_ME: &str = "ask me";
pub const PROMPT_ME: &str = "prompt me";
/// What makes it use a tool.
pub const CALL_ME: &str = "call me";

/// The name of a file that the victim has, wherever a path is asked for.
const FILE: &str = "nothing";

pub struct Victim {
    pub browser: Browser,
    /// Of a turn that has ended.
    pub turn: String,
    pub session: String,
    pub upload: String,
    pub agent: String,
    /// Of somebody else, for everybody: guests have no other.
    pub shared_agent: String,
}

/// One request in two forms: about something of the victim's, and about nothing.
pub struct Pair {
    pub method: &'static str,
    pub paths: [String; 2],
    pub bodies: [Value; 2],
}

/// An id of the right form that names nothing.
pub fn nothing(prefix: &str) -> String {
    format!("{prefix}_01980000000070008000000000000001")
}

/// The word before the id, which says what it names.
fn noun(path: &str) -> &str {
    path.split("/{").next().and_then(|start| start.rsplit('/').next()).unwrap_or_default()
}

fn prefix(path: &str) -> &'static str {
    match noun(path) {
        "abilities" => "ability",
        "agents" => "agent",
        "api-keys" => "key",
        "logins" => "login",
        "folders" => "folder",
        "knowledge" => "entry",
        "saved-prompts" => "prompt",
        "schedules" => "schedule",
        "links" => "link",
        "account-links" => "invitation",
        "approvals" => "approval",
        "questions" => "question",
        "rules" => "rule",
        "uploads" => "upload",
        "users" => "user",
        _ => "session",
    }
}

/// The path with ids of the right form that name nothing.
pub fn unknown(path: &str) -> String {
    let filled = path.replacen("{id}", &nothing(prefix(path)), 1);
    let filled = filled.replacen("{message_id}", &nothing("message"), 1);
    let filled = filled.replacen("{turn_id}", &nothing("turn"), 1);
    let filled = filled.replacen("{upload_id}", &nothing("upload"), 1);
    let mut parts = filled.split('{');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |path, part| {
        format!("{path}nothing{}", part.split_once('}').map_or("", |(_, rest)| rest))
    })
}

/// A body that the route takes from the one whose object it is.
pub fn body(rule: &Rule) -> Value {
    match (rule.method, rule.path) {
        ("POST", path) if path.ends_with("files:grep") => json!({ "pattern": "mat" }),
        ("POST", path) if path.contains("/messages") => json!({ "content": "Hello" }),
        ("POST", path) if path.contains("/prompts") || path.contains("/questions") => {
            json!({ "answer": "yes" })
        }
        ("POST", path) if path.contains("/approvals") => json!({ "decision": "deny", "digest": "other" }),
        // Where the first message of a conversation stands.
        ("POST", path) if path.ends_with("/versions") => json!({ "seq": 3, "content": "Other words" }),
        ("POST", path) if path.ends_with("/trust") => json!({ "seq": 1 }),
        ("PATCH", path) if path.starts_with("/v1/sessions") => json!({ "name": "renamed" }),
        ("PATCH", path) if path.starts_with("/v1/folders") => json!({ "name": "changed" }),
        ("POST" | "PUT", path) if path.starts_with("/v1/saved-prompts") => {
            json!({ "name": "changed", "content": "Words." })
        }
        ("POST", "/v1/knowledge") => json!({ "store": "memory", "body": "New words." }),
        ("PATCH", path) if path.starts_with("/v1/knowledge") => json!({ "pinned": true }),
        ("POST", path) if path.ends_with("/review") => json!({ "version": 9, "decision": "discard" }),
        ("POST", "/v1/schedules/preview") => json!({ "when": { "kind": "cron", "pattern": "0 8 * * *" } }),
        ("POST", "/v1/schedules") => json!({
            "when": { "kind": "cron", "pattern": "0 8 * * *" }, "note": "Look.", "place": "fresh", "agent_id": nothing("agent")
        }),
        ("PATCH", path) if path.starts_with("/v1/schedules") => json!({ "note": "changed" }),
        ("POST", "/v1/folders") => json!({ "name": "new" }),
        ("POST", "/v1/folders/{id}/files") => json!({ "upload_id": nothing("upload") }),
        ("PATCH", path) if path.starts_with("/v1/agents") => json!({ "system_prompt": "Be kind." }),
        ("POST" | "PUT", path) if path.starts_with("/v1/abilities") => {
            json!({ "name": "changed", "content": "Words." })
        }
        _ => json!({}),
    }
}

fn ability(name: &str) -> Value {
    json!({ "name": name, "content": SECRET })
}

impl Victim {
    pub async fn new(house: &House) -> Self {
        let browser = house.resident("victim", UserRole::Member).await;
        let shared = json!({ "name": "cook", "shared_with": ["*"] });
        let shared = house.call("POST", "/v1/agents").json(&shared).send().await.expect(201);
        let (agent, upload) = (agent(&browser).await, upload(&browser).await);
        let session = session(&browser, &agent).await;
        let said = json!({ "content": SECRET });
        let path = format!("/v1/sessions/{session}/messages");
        let answer = browser.call("POST", &path).json(&said).send().await.expect(200);
        let (turn, shared_agent) = (text(&answer["turn_id"]), text(&shared["id"]));
        Self { browser, turn, session, upload, agent, shared_agent }
    }

    /// Something new of the victim's that this route is about.
    pub async fn object(&self, house: &House, path: &str) -> String {
        match noun(path) {
            "agents" => agent(&self.browser).await,
            "abilities" => {
                // Each route gets one of its own, whatever came of those before.
                let kept = self.browser.call("GET", "/v1/abilities").send().await.expect(200);
                let new = ability(&format!("secret_{}", kept["total"]));
                text(&self.browser.call("POST", "/v1/abilities").json(&new).send().await.expect(201)["id"])
            }
            "saved-prompts" => {
                let kept = self.browser.call("GET", "/v1/saved-prompts").send().await.expect(200);
                let new = json!({ "name": format!("secret_{}", kept["total"]), "content": SECRET });
                text(
                    &self.browser.call("POST", "/v1/saved-prompts").json(&new).send().await.expect(201)["id"],
                )
            }
            "schedules" => {
                let when = json!({ "kind": "cron", "pattern": "0 8 1 1 *" });
                let new = json!({ "when": when, "note": SECRET, "place": "fresh", "agent_id": self.agent });
                text(&self.browser.call("POST", "/v1/schedules").json(&new).send().await.expect(201)["id"])
            }
            "links" => {
                let path = format!("/v1/sessions/{}/links", self.session);
                text(&self.browser.call("POST", &path).send().await.expect(201)["id"])
            }
            "knowledge" => {
                // The same words are remembered once.
                static MADE: AtomicU64 = AtomicU64::new(0);
                let body = format!("{SECRET} {}", MADE.fetch_add(1, Ordering::Relaxed));
                let new = json!({ "store": "memory", "body": body });
                text(&self.browser.call("POST", "/v1/knowledge").json(&new).send().await.expect(201)["id"])
            }
            "folders" => {
                let new = json!({ "name": "private", "instructions": SECRET });
                let made = self.browser.call("POST", "/v1/folders").json(&new).send().await.expect(201);
                let (id, file) = (text(&made["id"]), upload(&self.browser).await);
                let files = format!("/v1/folders/{id}/files");
                let new = json!({ "upload_id": file });
                self.browser.call("POST", &files).json(&new).send().await.expect(200);
                if path.contains("/files/") { format!("{id}/files/{file}") } else { id }
            }
            "sessions" => {
                let id = session(&self.browser, &self.agent).await;
                if path.contains("/prompts/") {
                    let answer = self.say(&id, PROMPT_ME).await.expect(200);
                    return format!("{id}/prompts/{}/p", text(&answer["message"]["id"]));
                }
                if path.ends_with("/versions") {
                    self.say(&id, "Hello").await.expect(200);
                }
                if path.contains("/queue/") {
                    assert_eq!(self.say(&id, ASK_ME).await.status, 202);
                    let behind = NewMessage { user_id: self.browser.id, ..house.message(&id, "Later").await };
                    let waiting = house.engine.accept(behind).await.unwrap();
                    return format!("{id}/queue/{}", waiting.turn_id);
                }
                if path.ends_with("/unarchive") {
                    house.engine.archive_session(self.browser.id, id.parse().unwrap(), true).await.unwrap();
                }
                if path.contains("/files") {
                    let (id, file) = (id.parse().unwrap(), format!("/{FILE}").parse().unwrap());
                    let secret = SECRET.as_bytes();
                    house.engine.write_file(self.browser.id, id, file, secret, None).await.unwrap();
                }
                id
            }
            "api-keys" => {
                let name = "laptop".to_owned();
                let new = NewKey {
                    user_id: self.browser.id,
                    name,
                    scope: Scope::Read,
                    source: None,
                    expires_at: None,
                };
                house.engine.people().issue_key(new).await.unwrap().key.id.to_string()
            }
            "logins" => {
                let (name, password) = ("victim".to_owned(), PASSWORD.to_owned());
                let attempt = LoginAttempt { name, password, from: Whence::default() };
                house.engine.people().login(attempt).await.unwrap().login_id.to_string()
            }
            "uploads" => upload(&self.browser).await,
            "questions" => {
                let id = session(&self.browser, &self.agent).await;
                let answer = self.say(&id, ASK_ME).await;
                assert_eq!(answer.status, 202);
                text(&answer.json()["waiting"][0]["question_id"])
            }
            "approvals" => {
                let asks = json!({
                    "capabilities": ["test_math"], "tool_rules": [{ "tool": "add", "action": "ask" }]
                });
                let id = agent(&self.browser).await;
                let path = format!("/v1/agents/{id}");
                self.browser.call("PATCH", &path).json(&asks).send().await.expect(200);
                let id = session(&self.browser, &id).await;
                let answer = self.say(&id, CALL_ME).await;
                assert_eq!(answer.status, 202);
                text(&answer.json()["waiting"][0]["approval_id"])
            }
            "rules" => {
                let new = NewRule {
                    subject: Subject::User(self.browser.id),
                    tool: "add".to_owned(),
                    action: Permission::Allow,
                    scope: RuleScope::Always,
                    arguments: None,
                    expires_at: None,
                    house: false,
                };
                let who = Principal::operator(self.browser.id, UserRole::Member);
                house.engine.create_rule(&who, new).await.unwrap().id.to_string()
            }
            other => {
                panic!("the matrix does not know how to make one of the {other}: tell it in matrix/victim.rs")
            }
        }
    }

    async fn say(&self, session: &str, words: &str) -> Answer {
        let path = format!("/v1/sessions/{session}/messages");
        self.browser.call("POST", &path).json(&json!({ "content": words })).send().await
    }

    /// Ids in bodies and queries. `own` is a session of the one who calls.
    pub fn pairs(&self, own: &str) -> Vec<Pair> {
        let messages = format!("/v1/sessions/{own}/messages");
        let in_body = |path: &str, ids: [&str; 2], with: fn(&str) -> Value| Pair {
            method: "POST",
            paths: [path.to_owned(), path.to_owned()],
            bodies: ids.map(with),
        };
        let in_query = |path: &str, ids: [&str; 2]| Pair {
            method: "GET",
            paths: ids.map(|id| format!("{path}={id}")),
            bodies: [Value::Null, Value::Null],
        };
        let attached = |id: &str| json!({ "content": "Look", "attachments": [{ "upload_id": id }] });
        let uploads = [self.upload.as_str(), &nothing("upload")];
        let agents = [self.agent.as_str(), &nothing("agent")];
        vec![
            in_body("/v1/sessions", agents, |id| json!({ "agent_id": id })),
            in_body(&messages, uploads, attached),
            in_body(&format!("{messages}/stream"), uploads, attached),
            in_query("/v1/sessions?agent_id", agents),
            in_query(&format!("/v1/sessions/{own}/events?turn_id"), [&self.turn, &nothing("turn")]),
        ]
    }

    /// The messages of a WebSocket, in the same two forms.
    pub fn frames(&self, own: &str) -> Vec<[Value; 2]> {
        let sessions = [self.session.clone(), nothing("session")];
        let about = |what: &str| {
            sessions
                .clone()
                .map(|id| json!({ "type": what, "session_id": id, "content": "Hi", "idempotency_key": "x" }))
        };
        let plain = |what: &str| sessions.clone().map(|id| json!({ "type": what, "session_id": id }));
        let attached = [self.upload.clone(), nothing("upload")].map(|id| {
            json!({ "type": "send", "session_id": own, "content": "Hi", "idempotency_key": "x",
                    "attachments": [{ "upload_id": id }] })
        });
        let after = |id: &String| json!({ "type": "subscribe", "session_id": id, "after": "0" });
        let replay = [after(&sessions[0]), after(&sessions[1])];
        vec![plain("subscribe"), replay, plain("unsubscribe"), plain("abort"), about("send"), attached]
    }

    /// Says something while the others listen.
    pub async fn speak(&self) {
        let path = format!("/v1/sessions/{}/messages", self.session);
        let said = json!({ "content": SECRET });
        self.browser.call("POST", &path).json(&said).send().await.expect(200);
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

async fn agent(browser: &Browser) -> String {
    let name = format!("secret {}", uuid::Uuid::now_v7());
    let made = browser.call("POST", "/v1/agents").json(&json!({ "name": name })).send().await;
    text(&made.expect(201)["id"])
}

async fn session(browser: &Browser, agent: &str) -> String {
    let body = json!({ "agent_id": agent });
    text(&browser.call("POST", "/v1/sessions").json(&body).send().await.expect(201)["id"])
}

async fn upload(browser: &Browser) -> String {
    let form = format!(
        "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\
         Content-Type: text/plain\r\n\r\n{SECRET}\r\n--x--\r\n"
    );
    let call = browser.call("POST", "/v1/uploads").body("multipart/form-data; boundary=x", form);
    text(&call.send().await.expect(201)["id"])
}
