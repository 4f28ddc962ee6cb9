//! What a person may do, and what they may not do any more, is the same at every node, at once.

use crate::{
    house::next,
    several::{Nodes, new_session},
};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{
    client::{Client, SseStream},
    model::Reply,
    program::Running,
};

/// What a person may not do any more ends within two seconds at every node; so much more is for a machine with two cores that has much else
/// to do.
const SOON: Duration = Duration::from_secs(10);
const PASSWORD: &str = "correct horse";

struct TwoNodes {
    nodes: Nodes,
    running: Vec<Running>,
    /// The owner, at the first.
    owner: Client,
}

impl TwoNodes {
    async fn new() -> Option<Self> {
        let nodes = Nodes::new(2).await?;
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
    let ended = tokio::time::timeout(SOON, stream.collect()).await;
    assert!(ended.is_ok(), "the stream goes on");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_right_that_is_taken_away_at_one_node_is_gone_at_the_other() {
    let Some(house) = TwoNodes::new().await else { return };
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
