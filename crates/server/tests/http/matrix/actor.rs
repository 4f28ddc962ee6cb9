//! The callers of the matrix: one of each role, with a sign-in or a key, and one without.

use super::spec::Rule;
use crate::support::{Browser, Call, Handshake, House};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use domain::{Scope, UserId, UserRole};
use engine::NewKey;
use serde_json::Value;
use std::sync::Mutex;

#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    Admitted,
    Refused(u16, &'static str),
}

enum Proof {
    Nothing,
    /// A login, with the origin of our page, of another page, or none.
    Cookie(Mutex<Browser>, Origin),
    Key(String, Scope),
    /// A full key as the password of HTTP Basic.
    Basic(String),
    /// Something that has counted once, or never did.
    Dead(&'static str, String),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Ours,
    Foreign,
    Absent,
}

pub struct Actor {
    pub name: String,
    /// By which they sign in.
    login: &'static str,
    user: Option<(UserId, UserRole)>,
    confirmed: bool,
    proof: Proof,
}

const SCOPES: [Scope; 4] = [Scope::Full, Scope::Read, Scope::Chat, Scope::Bridge];
const PEOPLE: [(&str, UserRole); 4] = [
    ("guest", UserRole::Guest),
    ("member", UserRole::Member),
    ("other member", UserRole::Member),
    ("admin", UserRole::Admin),
];

pub async fn actors(house: &House) -> Vec<Actor> {
    let mut all = strangers(house).await;
    house.give_password("Ada").await;
    for (name, role) in PEOPLE {
        house.resident(name, role).await;
    }
    for (login, role) in PEOPLE.into_iter().chain([("Ada", UserRole::Owner)]) {
        all.extend(ways_of(house, login, role).await);
    }
    all
}

/// Every way in which one person can call. Each has a login of its own: the matrix signs people out on its way.
async fn ways_of(house: &House, login: &'static str, role: UserRole) -> Vec<Actor> {
    let mut ways = Vec::new();
    let id = house.engine.people().user_by_name(login.to_owned()).await.unwrap().id;
    let mut add = |what: &str, confirmed: bool, proof: Proof| {
        let name = format!("{} {login}{what}", role.as_str());
        ways.push(Actor { name, login, user: Some((id, role)), confirmed, proof });
    };
    let cookie = async |origin| Proof::Cookie(Mutex::new(house.signed_in(login).await), origin);
    add("", false, cookie(Origin::Ours).await);
    add(" without origin", false, cookie(Origin::Absent).await);
    add(" from another page", false, cookie(Origin::Foreign).await);
    let confirmed = house.signed_in(login).await;
    confirmed.confirm().await;
    add(", confirmed", true, Proof::Cookie(Mutex::new(confirmed), Origin::Ours));
    for scope in SCOPES {
        let key = house.issue(id, scope).await;
        add(&format!(" with a key of scope {}", scope.as_str()), true, Proof::Key(key, scope));
    }
    add(" by Basic", true, Proof::Basic(house.issue(id, Scope::Full).await));
    ways
}

/// Nobody, and those whose proof counts for nothing.
async fn strangers(house: &House) -> Vec<Actor> {
    let user_id = house.owner().await;
    let revoked =
        NewKey { user_id, name: "old".to_owned(), scope: Scope::Full, source: None, expires_at: None };
    let revoked = house.engine.people().issue_key(revoked).await.unwrap();
    house.engine.people().revoke_key(&house.operator().await, revoked.key.id).await.unwrap();
    let ended = house.resident("somebody", UserRole::Admin).await;
    assert_eq!(ended.call("POST", "/v1/logout").send().await.status, 204);
    let bearer = |key: &str| Proof::Dead("authorization", format!("Bearer {key}"));
    let stranger =
        |name: &str, proof| Actor { name: name.to_owned(), login: "", user: None, confirmed: false, proof };
    vec![
        stranger("nobody", Proof::Nothing),
        stranger("a made-up key", bearer("mjd_wrong")),
        stranger("a revoked key", bearer(&revoked.secret)),
        stranger("a login that has ended", Proof::Dead("cookie", ended.cookie)),
        stranger("a made-up login", Proof::Dead("cookie", format!("sid={}", "x".repeat(43)))),
    ]
}

impl Actor {
    fn bare(&self, house: &House, method: &str, path: &str) -> Call {
        let ours = format!("http://{}", house.address);
        let call = house.anonymous(method, path);
        match &self.proof {
            Proof::Nothing => call,
            Proof::Key(key, _) => call.key(key),
            Proof::Basic(key) => call.header("authorization", &basic(key)),
            Proof::Dead(header, value) => call.header(header, value).header("origin", &ours),
            Proof::Cookie(browser, origin) => {
                let browser = browser.lock().unwrap();
                match origin {
                    Origin::Ours => browser.call(method, path),
                    Origin::Absent => browser.bare(method, path),
                    Origin::Foreign => browser.bare(method, path).header("origin", "https://evil.example"),
                }
            }
        }
    }

    pub fn call(&self, house: &House, method: &str, path: &str, body: &Value) -> Call {
        let call = self.bare(house, method, path);
        // What asks for a WebSocket asks for it properly.
        match path {
            "/ws" => call
                .header("connection", "upgrade")
                .header("upgrade", "websocket")
                .header("sec-websocket-version", "13")
                .header("sec-websocket-key", "AAAAAAAAAAAAAAAAAAAAAA=="),
            _ => call.json(body),
        }
    }

    /// For those who get a WebSocket.
    pub fn handshake(&self, house: &House) -> Handshake {
        match &self.proof {
            Proof::Key(key, _) => Handshake::new(house.address, "/ws").key(key),
            Proof::Cookie(browser, _) => browser.lock().unwrap().handshake(),
            _ => panic!("{} gets no WebSocket", self.name),
        }
    }

    pub fn get(&self, house: &House, path: &str) -> Call {
        self.bare(house, "GET", path)
    }

    /// What the rule means for this caller. `private`: nobody but the people at the machine can reach the house.
    pub fn verdict(&self, rule: &Rule, private: bool) -> Verdict {
        let refused = Verdict::Refused;
        let changes = rule.method != "GET" || rule.says("changes");
        match &self.proof {
            Proof::Cookie(_, Origin::Foreign) => return refused(403, "foreign_origin"),
            _ if rule.least == "machine" => return refused(404, "unknown_route"),
            _ if ["anybody", "link"].contains(&rule.least) => return Verdict::Admitted,
            _ if private && rule.says("nearby") => return Verdict::Admitted,
            Proof::Nothing | Proof::Dead(..) => return refused(401, "unauthorized"),
            Proof::Basic(_) if !rule.says("basic") => return refused(401, "unauthorized"),
            Proof::Cookie(_, Origin::Absent) if changes => return refused(403, "origin_required"),
            Proof::Key(_, scope) if !rule.admits_key(*scope) => return refused(403, "scope_insufficient"),
            Proof::Cookie(..) | Proof::Key(..) | Proof::Basic(_) => {}
        }
        match self.user {
            Some((_, role)) if !rule.admits_role(role) => refused(403, "role_insufficient"),
            _ if rule.says("confirmed") && !self.confirmed => refused(403, "confirmation_required"),
            _ => Verdict::Admitted,
        }
    }

    /// Whatever they try, they can follow conversations of their own.
    pub fn can_listen(&self) -> bool {
        match &self.proof {
            Proof::Cookie(_, origin) => *origin == Origin::Ours,
            Proof::Key(_, scope) => *scope != Scope::Bridge,
            Proof::Nothing | Proof::Basic(_) | Proof::Dead(..) => false,
        }
    }

    pub fn can_talk(&self) -> bool {
        self.can_listen() && !matches!(self.proof, Proof::Key(_, Scope::Read))
    }

    /// A session with an agent that the person may use.
    pub async fn own_session(&self, house: &House, shared_agent: &str) -> String {
        let (id, role) = self.user.unwrap();
        let agent = match role {
            UserRole::Guest => shared_agent.to_owned(),
            _ => house.engine.agent_by_name(id, "main".to_owned()).await.unwrap().id.to_string(),
        };
        let new = engine::NewSession::with(agent.parse().unwrap());
        house.engine.create_session(id, new).await.unwrap().id.to_string()
    }

    pub async fn sign_in_again(&self, house: &House) {
        let Proof::Cookie(browser, _) = &self.proof else { return };
        let new = house.signed_in(self.login).await;
        if self.confirmed {
            new.confirm().await;
        }
        *browser.lock().unwrap() = new;
    }
}

fn basic(key: &str) -> String {
    format!("Basic {}", BASE64_STANDARD.encode(format!("anybody:{key}")))
}
