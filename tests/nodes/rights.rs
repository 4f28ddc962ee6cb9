//! What a person may do, and what they may not do any more, is the same at every node, at once.

use crate::{
    house::{PATIENCE, next},
    several::{Nodes, new_session},
};
use serde_json::{Value, json};
use testkit::{
    client::{Client, SseStream},
    model::Reply,
    program::Running,
};

const PASSWORD: &str = "correct horse";

struct TwoNodes {
    nodes: Nodes,
    running: Vec<Running>,
    /// The owner, at the first.
    owner: Client,
}

impl TwoNodes {
    async fn new() -> Option<Self> {
        Self::without("").await
    }

    /// Both without this guard.
    async fn without(guard: &str) -> Option<Self> {
        let mut nodes = Nodes::new(2).await?;
        if !guard.is_empty() {
            for program in &mut nodes.programs {
                *program = program.clone().env("GUARDS_OFF", guard);
            }
        }
        let running = nodes.serve_all().await;
        nodes.beat_for(2, 2).await;
        let owner = Client::signed_in(&running[0].base, "ada", PASSWORD).await.unwrap().unwrap();
        Some(Self { nodes, running, owner })
    }

    /// A person, and their client at the second node.
    async fn person(&self, name: &str, role: &str) -> (String, Client) {
        let new = json!({ "name": name, "role": role, "password": PASSWORD });
        let made = self.owner.post("/v1/users", &new).await.unwrap().expect(201);
        let client = Client::signed_in(&self.running[1].base, name, PASSWORD).await.unwrap().unwrap();
        (made["id"].as_str().unwrap().to_owned(), client)
    }
}

async fn listening(client: &Client) -> SseStream {
    let mut stream = client.follow_everything().await.unwrap();
    assert_eq!(stream.status, 200);
    next(&mut stream).await;
    stream
}

async fn ends(stream: SseStream) {
    let ended = tokio::time::timeout(PATIENCE, stream.collect()).await;
    assert!(ended.is_ok(), "the stream goes on");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_right_that_is_taken_away_at_one_node_is_gone_at_the_other() {
    is_gone_elsewhere("guard_looks").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_right_that_is_taken_away_without_a_word_is_gone_at_the_other() {
    is_gone_elsewhere("guard_notes").await;
}

/// A request is refused at once, as each asks the database; a stream that is open ends when its node hears of it, or looks. One of the two is
/// taken away.
async fn is_gone_elsewhere(guard: &str) {
    let Some(house) = TwoNodes::without(guard).await else { return };
    let (grace, at_second) = house.person("Grace", "admin").await;
    // A role.
    at_second.get("/v1/users").await.unwrap().expect(200);
    let stream = listening(&at_second).await;
    let member = json!({ "role": "member" });
    house.owner.patch(&format!("/v1/users/{grace}"), &member).await.unwrap().expect(200);
    assert_eq!(at_second.get("/v1/users").await.unwrap().status, 401, "a new role ends what was signed in");
    ends(stream).await;
    let at_second = Client::signed_in(&house.running[1].base, "Grace", PASSWORD).await.unwrap().unwrap();
    assert_eq!(at_second.get("/v1/users").await.unwrap().status, 403);
    // An API key.
    let at_first = at_second.at(&house.running[0].base);
    let key = at_first.post("/v1/api-keys", &json!({ "name": "script" })).await.unwrap().expect(201);
    let script = house.running[1].client(key["secret"].as_str().unwrap());
    let stream = listening(&script).await;
    let revoked = at_first.delete(&format!("/v1/api-keys/{}", key["id"].as_str().unwrap())).await.unwrap();
    assert_eq!(revoked.status, 204);
    assert_eq!(script.get("/v1/me").await.unwrap().status, 401);
    ends(stream).await;
    // The account.
    let stream = listening(&at_second).await;
    let removed = house.owner.delete(&format!("/v1/users/{grace}")).await.unwrap();
    assert_eq!(removed.status, 204, "{}", removed.body);
    assert_eq!(at_second.get("/v1/me").await.unwrap().status, 401);
    ends(stream).await;
    drop(house.nodes);
}

#[tokio::test(flavor = "multi_thread")]
async fn sharing_and_rules_of_one_node_hold_at_the_other() {
    let Some(house) = TwoNodes::new().await else { return };
    house.nodes.model.respond(|_| Reply::text("Good."));
    let (grace, at_second) = house.person("Grace", "member").await;
    let shared = json!({ "name": "cook", "shared_with": [grace] });
    let agent = house.owner.post("/v1/agents", &shared).await.unwrap().expect(201);
    let agent = agent["id"].as_str().unwrap();
    let accepted = at_second.put(&format!("/v1/agents/{agent}/acceptance"), &json!({})).await.unwrap();
    assert!(accepted.status < 300, "{}", accepted.body);
    let session = at_second.post("/v1/sessions", &json!({ "agent_id": agent })).await.unwrap().expect(201);
    let path = format!("/v1/sessions/{}/messages", session["id"].as_str().unwrap());
    let hello = json!({ "content": "Hello" });
    let answer = at_second.post(&path, &hello).await.unwrap().expect(200);
    assert_eq!(answer["outcome"], "completed");
    let unshared = json!({ "shared_with": null });
    house.owner.patch(&format!("/v1/agents/{agent}"), &unshared).await.unwrap().expect(200);
    let refused = at_second.post(&path, &hello).await.unwrap();
    assert_eq!((refused.status, &refused.body["code"]), (409, &json!("agent_not_shared")));
    // A rule, and an ability.
    let owner_at_second = house.owner.at(&house.running[1].base);
    let user = house.owner.get("/v1/me").await.unwrap().expect(200)["id"].as_str().unwrap().to_owned();
    let rule = json!({ "subject": user, "tool": "bash", "action": "deny", "scope": "always" });
    let made = house.owner.post("/v1/rules", &rule).await.unwrap().expect(201);
    let listed = |list: Value| list["items"].as_array().unwrap().len();
    assert_eq!(listed(owner_at_second.get("/v1/rules").await.unwrap().expect(200)), 1);
    let path = format!("/v1/rules/{}", made["id"].as_str().unwrap());
    assert_eq!(owner_at_second.delete(&path).await.unwrap().status, 204);
    assert_eq!(listed(house.owner.get("/v1/rules").await.unwrap().expect(200)), 0);
}

/// Windows that are open at another node hear that a list has changed.
#[tokio::test(flavor = "multi_thread")]
async fn a_new_session_is_shown_at_the_other_node() {
    let Some(house) = TwoNodes::new().await else { return };
    let at_second = house.owner.at(&house.running[1].base);
    let mut stream = listening(&at_second).await;
    let session = new_session(&house.owner).await;
    loop {
        let event = next(&mut stream).await;
        if event.data.to_string().contains(&session) {
            return;
        }
    }
}

/// What the tool of the next turn came to.
async fn tried(client: &Client, session: &str, key: &str) -> Value {
    let sent = client.send_message(session, key, &json!({ "content": key })).await.unwrap();
    let events = sent.collect().await.unwrap();
    let result = events.iter().find(|event| event.event == "tool_result");
    result.unwrap_or_else(|| panic!("{key}: {events:?}")).data["data"]["status"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_of_one_node_is_enforced_at_the_other_at_once() {
    let Some(house) = TwoNodes::new().await else { return };
    house.nodes.model.respond(|request| match request.results_since_user().len() {
        0 => Reply::calls([("get_current_time", json!({}))]),
        _ => Reply::text("Tried."),
    });
    let at_second = house.running[1].client(&house.nodes.key);
    let agent = json!({ "name": "punctual", "capabilities": ["current_time"] });
    let agent = at_second.post("/v1/agents", &agent).await.unwrap().expect(201);
    let session =
        at_second.post("/v1/sessions", &json!({ "agent_id": agent["id"] })).await.unwrap().expect(201);
    let session = session["id"].as_str().unwrap();
    assert_eq!(tried(&at_second, session, "before the rule").await, "ok");
    let user = house.owner.get("/v1/me").await.unwrap().expect(200)["id"].as_str().unwrap().to_owned();
    let rule = json!({ "subject": user, "tool": "get_current_time", "action": "deny", "scope": "always" });
    for round in 0..3 {
        let made = house.owner.post("/v1/rules", &rule).await.unwrap().expect(201);
        assert_eq!(tried(&at_second, session, &format!("under the rule, {round}")).await, "denied");
        let path = format!("/v1/rules/{}", made["id"].as_str().unwrap());
        assert_eq!(house.owner.delete(&path).await.unwrap().status, 204);
        assert_eq!(tried(&at_second, session, &format!("after the rule, {round}")).await, "ok");
    }
}
