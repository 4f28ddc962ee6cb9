//! The stream of all sessions.

use crate::support::{Events, House};
use domain::{Scope, UserRole};
use serde_json::{Value, json};
use std::collections::HashMap;
use testkit::model::Reply;

async fn open(house: &House) -> (Events, Value) {
    let mut events = house.call("GET", "/v1/events/stream").events().await;
    let snapshot = events.next().await.unwrap();
    assert_eq!((snapshot.event.as_str(), snapshot.id.as_str()), ("snapshot", ""));
    (events, snapshot.data)
}

async fn say(house: &House, session: &str, content: &str) {
    let path = format!("/v1/sessions/{session}/messages");
    house.call("POST", &path).json(&json!({ "content": content })).send().await.expect(200);
}

#[tokio::test]
async fn it_begins_with_how_everything_stands() {
    let house = House::new().await;
    house.model.respond(|_| Reply::text("Hello"));
    let (first, second, archived) = (house.session().await, house.session().await, house.session().await);
    say(&house, &first, "Hi").await;
    house.call("POST", &format!("/v1/sessions/{archived}/archive")).send().await.expect(200);
    let (events, snapshot) = open(&house).await;
    let expected = json!({
        "type": "snapshot",
        "sessions": [
            { "session_id": first, "last_seq": 9, "status": "idle" },
            { "session_id": second, "last_seq": 0, "status": "idle" },
        ]
    });
    assert_eq!(snapshot, expected);
    assert_eq!(events.headers["content-type"], "text/event-stream");
    assert!(!events.raw.contains("\nid:"), "{}", events.raw);
}

#[tokio::test]
async fn every_durable_event_of_every_session_comes_in_its_order() {
    let house = House::new().await;
    house.model.respond(|_| Reply::pieces(["Hel", "lo"]));
    let agent = house.main_agent().await;
    let (mut events, _) = open(&house).await;
    let mut sessions = Vec::new();
    for _ in 0..6 {
        sessions.push(house.session_with(&agent).await);
    }
    let talking = async {
        let talk = sessions.iter().map(async |session| {
            for _ in 0..4 {
                say(&house, session, "Hi").await;
            }
        });
        futures_util::future::join_all(talk).await;
    };
    let mut seen: HashMap<String, Vec<Value>> = HashMap::new();
    let listening = async {
        let mut ended = 0;
        while ended < 24 {
            let event = events.next().await.unwrap();
            assert_eq!(event.id, "");
            assert_eq!(event.data["type"], json!(event.event));
            ended += usize::from(event.event == "turn_ended");
            let session = event.data["session_id"].as_str().unwrap().to_owned();
            seen.entry(session).or_default().push(event.data);
        }
    };
    tokio::join!(talking, listening);
    for session in &sessions {
        let (created, told) = seen[session].split_first().unwrap();
        let expected =
            json!({ "type": "session_created", "session_id": session, "last_seq": 0, "status": "idle" });
        assert_eq!(*created, expected, "a new session appears");
        let log = house.call("GET", &format!("/v1/sessions/{session}/events")).send().await.expect(200);
        assert_eq!(told, log["items"].as_array().unwrap(), "no gap, no repeat, nothing live");
    }
}

#[tokio::test]
async fn what_happened_before_is_not_told_and_archived_sessions_come_back() {
    let house = House::new().await;
    house.model.respond(|_| Reply::text("Hello"));
    let (old, archived) = (house.session().await, house.session().await);
    say(&house, &old, "Hi").await;
    let path = format!("/v1/sessions/{archived}");
    house.call("POST", &format!("{path}/archive")).send().await.expect(200);
    let (mut events, _) = open(&house).await;
    house.call("POST", &format!("{path}/unarchive")).send().await.expect(200);
    let back = events.next().await.unwrap();
    assert_eq!((back.event.as_str(), &back.data["seq"]), ("session_updated", &json!(2)));
    house.call("DELETE", &path).send().await.expect(204);
    let gone = events.next().await.unwrap();
    assert_eq!(gone.data, json!({ "type": "session_deleted", "session_id": archived }));
    say(&house, &old, "Again").await;
    assert_eq!(events.next().await.unwrap().data["seq"], json!(10));
}

#[tokio::test]
async fn it_tells_nobody_of_anybody_else() {
    let house = House::new().await;
    house.model.respond(|_| Reply::text("Hello"));
    let (bob, bobs) = house.person("Bob", UserRole::Member).await;
    let read = house.issue(bob, Scope::Read).await;
    let mut events = house.call("GET", "/v1/events/stream").key(&read).events().await;
    let snapshot = events.next().await.unwrap();
    assert_eq!(snapshot.data["sessions"], json!([]));
    let session = house.session().await;
    say(&house, &session, "Hi").await;
    let agents = house.call("GET", "/v1/agents").key(&bobs).send().await.expect(200);
    let body = json!({ "agent_id": agents["items"][0]["id"] });
    let own = house.call("POST", "/v1/sessions").key(&bobs).json(&body).send().await.expect(201);
    let told = events.next().await.unwrap();
    assert_eq!((told.event.as_str(), &told.data["session_id"]), ("session_created", &own["id"]));
    house.anonymous("GET", "/v1/events/stream").send().await.refused(401, "unauthorized");
}

#[tokio::test]
async fn it_ends_when_the_server_does() {
    let house = House::new().await;
    let (mut events, _) = open(&house).await;
    house.stop.cancel();
    assert!(events.next().await.is_none());
    house.serving.await.unwrap().unwrap();
}
