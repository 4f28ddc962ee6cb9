//! Whatever creates something takes an `Idempotency-Key` and declares it, or refuses it in words: read off the description,
//! so that a route that is added tomorrow has to decide.

use crate::support::{Answer, Call, House, Options};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::model::Reply;
use tokio::sync::Notify;

/// What is sent to each route that creates, and how many there are of it then.
struct Creating {
    path: &'static str,
    body: Value,
    other: Value,
    list: &'static str,
}

/// What cannot be repeated: its answer holds a secret or its body a password, it makes a file or a key, asks a model anew, or goes one step further back.
const REFUSING: [&str; 13] = [
    "/v1/setup",
    "/v1/login",
    "/v1/users",
    "/v1/api-keys",
    "/v1/backups",
    "/v1/account-links",
    "/v1/join",
    "/v1/sessions/{id}/links",
    "/v1/sessions/{id}/retry",
    "/v1/sessions/{id}/compact",
    "/v1/folders/{id}/files",
    "/v1/knowledge/{id}/undo",
    "/v1/master-key/rotate",
];

/// Posting these twice is posting them once: they look, they say how something is to be, or what they answer is answered.
const SAME_TWICE: [&str; 20] = [
    "/v1/agents/{id}/prompt-preview",
    "/v1/approvals/{id}",
    "/v1/join/look",
    "/v1/knowledge/{id}/purge",
    "/v1/knowledge/{id}/review",
    "/v1/logout",
    "/v1/me/confirm",
    "/v1/me/password",
    "/v1/providers/{name}/test",
    "/v1/questions/{id}/answer",
    "/v1/schedules/preview",
    "/v1/schedules/{id}/pause",
    "/v1/schedules/{id}/resume",
    "/v1/sessions/batch",
    "/v1/sessions/{id}/archive",
    "/v1/sessions/{id}/files:grep",
    "/v1/sessions/{id}/prompts/{message_id}/{prompt_id}",
    "/v1/sessions/{id}/show",
    "/v1/sessions/{id}/trust",
    "/v1/sessions/{id}/unarchive",
];

async fn table(house: &House) -> Vec<Creating> {
    let agent = house.main_agent().await;
    let user = house.owner().await.to_string();
    let session = house.session_with(&agent).await;
    let fork: &'static str = Box::leak(format!("/v1/sessions/{session}/fork").into_boxed_str());
    house.model.queue([Reply::text("Hello.")]);
    house.say(&session, "Hi").await;
    let file = |name: &str| json!({ "format": "majordomo-agent", "version": 1, "agent": { "name": name } });
    let when = json!({ "kind": "cron", "pattern": "0 8 * * *" });
    let schedule = |note: &str| json!({ "when": when, "note": note, "place": "here", "session_id": session });
    vec![
        Creating {
            path: "/v1/agents",
            body: json!({ "name": "gardener" }),
            other: json!({ "name": "cook" }),
            list: "/v1/agents",
        },
        Creating { path: "/v1/agents/import", body: file("one"), other: file("two"), list: "/v1/agents" },
        Creating {
            path: "/v1/abilities",
            body: json!({ "name": "greet", "content": "Say hello." }),
            other: json!({ "name": "greet", "content": "Say goodbye." }),
            list: "/v1/abilities",
        },
        Creating {
            path: "/v1/folders",
            body: json!({ "name": "kitchen" }),
            other: json!({ "name": "cellar" }),
            list: "/v1/folders",
        },
        Creating {
            path: "/v1/saved-prompts",
            body: json!({ "name": "greet", "content": "Say hello." }),
            other: json!({ "name": "greet", "content": "Say goodbye." }),
            list: "/v1/saved-prompts",
        },
        Creating {
            path: "/v1/schedules",
            body: schedule("Say hello."),
            other: schedule("Say goodbye."),
            list: "/v1/schedules",
        },
        Creating {
            path: "/v1/rules",
            body: json!({ "subject": user, "tool": "bash", "action": "deny" }),
            other: json!({ "subject": user, "tool": "bash", "action": "ask" }),
            list: "/v1/rules",
        },
        Creating {
            path: "/v1/sessions",
            body: json!({ "agent_id": agent, "name": "a" }),
            other: json!({ "agent_id": agent, "name": "b" }),
            list: "/v1/sessions",
        },
        remembering(),
        Creating { path: fork, body: json!({}), other: json!({ "after_seq": 1 }), list: "/v1/sessions" },
    ]
}

/// What an API key writes down waits for its person.
fn remembering() -> Creating {
    Creating {
        path: "/v1/knowledge",
        body: json!({ "store": "memory", "body": "Bins go out on Tuesday." }),
        other: json!({ "store": "memory", "body": "Bins go out on Friday." }),
        list: "/v1/knowledge?state=proposed",
    }
}

fn posts() -> Vec<(String, Value)> {
    let paths = server::openapi()["paths"].as_object().unwrap().clone();
    let posts = paths.into_iter().map(|(path, methods)| (path, methods["post"].clone()));
    posts.filter(|(_, post)| !post.is_null()).collect()
}

/// The routes that answer 201, as the API describes itself; uploads are forms and are tried with the other uploads.
fn creating() -> Vec<(String, Value)> {
    posts().into_iter().filter(|(_, post)| post["responses"].get("201").is_some()).collect()
}

fn refuses(operation: &Value) -> bool {
    let conflict = operation["responses"].get("409").map(Value::to_string);
    conflict.is_some_and(|answer| answer.contains("not_idempotent"))
}

/// A key that is ignored lets a client believe that it is safe to send again.
#[test]
fn no_post_ignores_the_key_in_silence() {
    for (path, operation) in posts() {
        let said = [declares(&operation), refuses(&operation), SAME_TWICE.contains(&path.as_str())];
        assert_eq!(
            said.iter().filter(|is| **is).count(),
            1,
            "{path}: taken, refused, the same twice: {said:?}"
        );
        assert_eq!(refuses(&operation), REFUSING.contains(&path.as_str()), "{path}");
    }
}

fn declares(operation: &Value) -> bool {
    let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
    parameters.iter().any(|one| one["name"] == "Idempotency-Key" && one["in"] == "header")
}

async fn total(house: &House, list: &str) -> u64 {
    house.call("GET", list).send().await.expect(200)["total"].as_u64().unwrap()
}

fn keyed(call: Call) -> Call {
    call.header("idempotency-key", "once")
}

async fn tried(house: &House) {
    let table = table(house).await;
    for Creating { path, body, other, list } in &table {
        let before = total(house, list).await;
        let send = async |body: &Value| -> Answer { keyed(house.call("POST", path).json(body)).send().await };
        let first = send(body).await.expect(201);
        let again = send(body).await.expect(201);
        assert_eq!(again, first, "{path}: the same key and the same body are the same thing");
        send(other).await.refused(422, "idempotency_mismatch");
        assert_eq!(total(house, list).await, before + 1, "{path}: made once");
    }
    // Somebody else's key is another one.
    let (_, eve) = house.person("Eve", domain::UserRole::Member).await;
    keyed(house.call("POST", "/v1/agents").key(&eve).json(&table[0].body)).send().await.expect(201);
    for path in REFUSING {
        let detail =
            keyed(house.control("POST", &path.replace("{id}", "session_01980000000070008000000000000001")))
                .json(&json!({}))
                .send()
                .await
                .refused(409, "not_idempotent");
        assert!(detail.contains("Idempotency-Key"), "{path}: {detail}");
    }
}

#[tokio::test]
async fn what_is_created_with_a_key_is_created_once() {
    tried(&House::new().await).await;
}

#[tokio::test]
async fn what_is_created_with_a_key_is_created_once_on_postgres() {
    if let Some(house) = House::on_postgres(Options::default()).await {
        tried(&house).await;
    }
}

/// A client that did not hear the answer asks again, and meanwhile the next turn has begun.
async fn stopped_once(house: House) {
    let (first, second) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    house.model.script(Reply::text("Never.").gate(first));
    house.model.script(Reply::text("To the end.").gate(second.clone()));
    let session = house.session().await;
    let stop = |key: &'static str| {
        let call = house.call("POST", &format!("/v1/sessions/{session}/abort"));
        call.header("idempotency-key", key).send()
    };
    // Nothing runs, and when that is asked again, nothing is stopped.
    assert_eq!(stop("early").await.expect(200)["turn_id"], Value::Null);
    let say = async |text: &str| house.engine.accept(house.message(&session, text).await).await.unwrap();
    let stopped = say("Hi").await.turn_id;
    house.model.wait_for(1).await;
    assert_eq!(stop("early").await.expect(200)["turn_id"], Value::Null);
    assert_eq!(stop("once").await.expect(200)["turn_id"], json!(stopped));
    house.until_ended(&session, stopped).await;
    let next = say("And now?").await.turn_id;
    house.model.wait_for(2).await;
    assert_eq!(stop("once").await.expect(200)["turn_id"], json!(stopped), "the same stop");
    let line = json!({ "line": "/stop", "session_id": session });
    let typed = keyed(house.call("POST", "/v1/commands").json(&line)).send().await.expect(200);
    assert_eq!(typed["data"]["turn_id"], json!(stopped), "typed or not, it is the same stop");
    second.notify_one();
    house.until_ended(&session, next).await;
    let messages = house.call("GET", &format!("/v1/sessions/{session}/messages")).send().await.expect(200);
    assert!(messages.to_string().contains("To the end."), "{messages}");
}

#[tokio::test]
async fn a_stop_that_is_asked_for_again_stops_nothing_else() {
    stopped_once(House::new().await).await;
}

#[tokio::test]
async fn a_stop_that_is_asked_for_again_stops_nothing_else_on_postgres() {
    if let Some(house) = House::on_postgres(Options::default()).await {
        stopped_once(house).await;
    }
}

/// It is not made a second time; and the routes say that it may be so.
#[tokio::test]
async fn a_key_of_something_that_is_gone_finds_nothing() {
    let house = House::new().await;
    let send = || keyed(house.call("POST", "/v1/agents").json(&json!({ "name": "gardener" }))).send();
    let made = send().await.expect(201)["id"].as_str().unwrap().to_owned();
    assert!(house.call("DELETE", &format!("/v1/agents/{made}")).send().await.status < 300);
    send().await.refused(404, "not_found");
    for (path, operation) in creating().into_iter().filter(|(_, operation)| declares(operation)) {
        let gone = operation["responses"].get("404").map(Value::to_string);
        assert!(gone.is_some_and(|gone| gone.contains("not_found")), "{path}");
    }
}

#[tokio::test]
async fn every_route_that_creates_says_which_it_does() {
    let house = House::new().await;
    let taking: Vec<String> = table(&house).await.into_iter().map(|row| row.path.to_owned()).collect();
    for (path, operation) in creating() {
        assert_ne!(declares(&operation), refuses(&operation), "{path} takes the key or refuses it");
        let template = path.replace("{id}", "");
        let is_tried = |taken: &String| {
            *taken == path || (path.contains("{id}") && taken.ends_with(template.rsplit('/').next().unwrap()))
        };
        // Forms, and what begins a turn whose state is part of the answer, are tried with their like.
        let elsewhere = ["/v1/uploads", "/v1/sessions/{id}/versions"].contains(&path.as_str());
        let known = taking.iter().any(is_tried) || REFUSING.contains(&path.as_str()) || elsewhere;
        assert!(known, "{path} creates something and is not tried here");
    }
    let post = |path: &str| server::openapi()["paths"][path]["post"].clone();
    for path in
        ["/v1/sessions/{id}/messages", "/v1/sessions/{id}/messages/stream", "/v1/chat", "/v1/commands"]
    {
        assert!(declares(&post(path)), "{path}");
    }
}
