use crate::support::{House, shape};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::model::Reply;
use tokio::sync::Notify;

fn plain() -> Value {
    json!({
        "id": "<session>", "name": null, "agent_id": "<agent>", "handler": null, "model": null, "status": "idle", "archived": false,
        "kind": "own", "parent_id": null, "message_count": 0, "last_seq": 0, "read_seq": 0, "last_message": null,
        "usage": { "input_tokens": 0, "output_tokens": 0, "cached_tokens": 0, "cost_microusd": 0 },
        "label": { "integrity": "trusted", "confidentiality": "private" }, "trusted_seq": 0, "own_files": false,
        "memory": true, "pinned": false, "version_of": null, "hidden": false, "folder_id": null, "source": null,
        "created_at": "<time>", "updated_at": "<time>",
    })
}

#[tokio::test]
async fn a_session_lives_from_its_creation_to_its_deletion() {
    let house = House::new().await;
    let body = json!({ "agent_id": house.main_agent().await });
    let session = house.call("POST", "/v1/sessions").json(&body).send().await.expect(201);
    assert_eq!(shape(&session), plain());
    let path = format!("/v1/sessions/{}", session["id"].as_str().unwrap());
    assert_eq!(house.call("GET", &path).send().await.expect(200), session);
    let named = house.call("PATCH", &path).json(&json!({ "name": "Dinner" })).send().await.expect(200);
    assert_eq!((&named["name"], &named["last_seq"]), (&json!("Dinner"), &json!(1)));
    let read =
        house.call("PATCH", &path).json(&json!({ "name": null, "read_seq": 1 })).send().await.expect(200);
    assert_eq!((&read["name"], &read["read_seq"]), (&json!(null), &json!(1)));
    let beyond = house.call("PATCH", &path).json(&json!({ "read_seq": 99 })).send().await;
    beyond.refused(400, "bad_read_seq");
    assert_eq!(house.call("DELETE", &path).send().await.status, 204);
    house.call("GET", &path).send().await.refused(404, "not_found");
}

#[tokio::test]
async fn what_other_agents_do_is_listed_apart() {
    let house = House::new().await;
    let agents = json!({
        "name": "butler", "system_prompt": "You are the butler.", "capabilities": ["colleagues"], "markup": { "mode": "off" }
    });
    let butler = house.call("POST", "/v1/agents").json(&agents).send().await.expect(201);
    house.model.respond(|request| {
        let butler = request.messages()[0]["content"].to_string().contains("You are the butler.");
        match request.results_since_user().is_empty() && butler {
            true => Reply::calls([("delegate", json!({ "agent": "main", "task": "Make soup" }))]),
            false => Reply::text("Done."),
        }
    });
    let body = json!({ "agent_id": butler["id"] });
    let session = house.call("POST", "/v1/sessions").json(&body).send().await.expect(201)["id"].clone();
    let session = session.as_str().unwrap();
    let path = format!("/v1/sessions/{session}/messages");
    house.call("POST", &path).json(&json!({ "content": "Dinner" })).send().await.expect(200);
    let listed = async |query: &str| {
        let list = house.call("GET", &format!("/v1/sessions{query}")).send().await.expect(200);
        list["items"].as_array().unwrap().clone()
    };
    let own = listed("").await;
    assert_eq!((own.len(), &own[0]["kind"]), (1, &json!("own")));
    let below = listed(&format!("?parent_id={session}")).await;
    assert_eq!(
        (below.len(), &below[0]["kind"], &below[0]["parent_id"]),
        (1, &json!("colleague"), &json!(session))
    );
    assert_eq!(listed("?kind=colleague").await, below);
    assert_eq!(listed("?kind=subagent").await.len(), 0);
    let messages = house.call("GET", &format!("/v1/sessions/{}/messages", below[0]["id"].as_str().unwrap()));
    let messages = messages.send().await.expect(200);
    assert_eq!(messages["items"][0]["asker"]["name"], "butler");
    house.call("GET", "/v1/sessions?kind=stranger").send().await.refused(400, "bad_query");
    house.call("GET", "/v1/sessions?parent_id=42").send().await.refused(400, "bad_query");
}

#[tokio::test]
async fn archived_sessions_are_listed_apart() {
    let house = House::new().await;
    let (kept, put_away) = (house.session().await, house.session().await);
    let archived = house.call("POST", &format!("/v1/sessions/{put_away}/archive")).send().await.expect(200);
    assert_eq!(archived["archived"], true);
    let listed = async |query: &str| {
        let list = house.call("GET", &format!("/v1/sessions{query}")).send().await.expect(200);
        let ids =
            list["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned());
        (ids.collect::<Vec<_>>(), list["total"].clone())
    };
    assert_eq!(listed("").await, (vec![kept.clone()], json!(1)));
    assert_eq!(listed("?archived=false").await, (vec![kept.clone()], json!(1)));
    assert_eq!(listed("?archived=true").await, (vec![put_away.clone()], json!(1)));
    let agent = house.main_agent().await;
    assert_eq!(listed(&format!("?agent_id={agent}&limit=1")).await, (vec![kept], json!(1)));
    let nobody = agent.replace(|digit: char| digit.is_ascii_digit(), "0");
    assert_eq!(listed(&format!("?agent_id={nobody}")).await, (vec![], json!(0)));

    let message = json!({ "content": "Hello?" });
    let path = format!("/v1/sessions/{put_away}");
    let refused = house.call("POST", &format!("{path}/messages")).json(&message).send().await;
    refused.refused(409, "session_archived");
    let back = house.call("POST", &format!("{path}/unarchive")).send().await.expect(200);
    assert_eq!(back["archived"], false);
}

#[tokio::test]
async fn a_running_turn_is_stopped() {
    let house = House::new().await;
    let path = format!("/v1/sessions/{}", house.session().await);
    assert_eq!(
        house.call("POST", &format!("{path}/abort")).send().await.expect(200),
        json!({ "turn_id": null })
    );

    house.model.script(Reply::pieces(["Once upon", " a time"]).gate_after_pieces(1, Arc::new(Notify::new())));
    let message = json!({ "content": "Tell me a story" });
    let mut events = house.call("POST", &format!("{path}/messages/stream")).json(&message).events().await;
    events.until("text").await;
    house.call("DELETE", &path).send().await.refused(409, "session_busy");
    let aborted = house.call("POST", &format!("{path}/abort")).send().await.expect(200);
    assert_eq!(shape(&aborted), json!({ "turn_id": "<turn>" }));
    let ended = events.collect().await.pop().unwrap();
    assert_eq!((ended.event.as_str(), &ended.data["data"]["outcome"]), ("turn_ended", &json!("cancelled")));
    assert_eq!(ended.data["turn_id"], aborted["turn_id"]);
}

#[tokio::test]
async fn a_failed_turn_is_tried_again_without_doubling_its_message() {
    let house = House::new().await;
    let path = format!("/v1/sessions/{}", house.session().await);
    house.call("POST", &format!("{path}/retry")).send().await.refused(409, "nothing_to_retry");

    house.model.script(Reply::status(401));
    let message = json!({ "content": "Hello" });
    let failed = house.call("POST", &format!("{path}/messages")).json(&message).send().await.expect(200);
    assert_eq!(failed["outcome"], "failed");
    assert_eq!(failed["error"]["retryable"], true);
    let exported = async || {
        let answer = house.call("GET", &format!("{path}/export")).send().await;
        String::from_utf8(answer.bytes.to_vec()).unwrap()
    };
    assert!(
        exported().await.contains("I could not get an answer from the model"),
        "it stands until it is tried again"
    );

    house.model.script(Reply::text("Here I am"));
    let retried = house.call("POST", &format!("{path}/retry")).send().await.expect(200);
    assert_eq!(retried["turn_id"], failed["turn_id"]);
    let cursor = retried["cursor"].as_str().unwrap();
    let follow = format!("{path}/events/stream?after={cursor}");
    let events = house.call("GET", &follow).events().await.until("turn_ended").await;
    assert_eq!(events.last().unwrap().data["data"]["outcome"], "completed");
    let messages = house.call("GET", &format!("{path}/messages")).send().await.expect(200);
    let said: Vec<&str> = messages["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["role"] == "user")
        .map(|message| message["content"].as_str().unwrap())
        .collect();
    assert_eq!(said, ["Hello"]);
    // What was overcome is in no file that people read.
    let text = exported().await;
    assert!(text.contains("Here I am") && !text.contains("I could not get an answer"), "{text}");
}

/// TIDGI-38
#[tokio::test]
async fn a_session_may_have_a_handler_of_its_own() {
    let house = House::new().await;
    let agent = house.main_agent().await;
    let new = |handler: Value| json!({ "agent_id": agent, "handler": handler });
    let made = house.call("POST", "/v1/sessions").json(&new(json!("basic"))).send().await.expect(201);
    assert_eq!(made["handler"], "basic");
    house
        .call("POST", "/v1/sessions")
        .json(&new(json!("dance")))
        .send()
        .await
        .refused(400, "unknown_handler");
    let plain = house.session().await;
    let path = format!("/v1/sessions/{plain}");
    assert_eq!(house.call("GET", &path).send().await.expect(200)["handler"], Value::Null);
    let set = |handler: Value| house.call("PATCH", &path).json(&json!({ "handler": handler })).send();
    assert_eq!(set(json!("basic")).await.expect(200)["handler"], "basic");
    set(json!("dance")).await.refused(400, "unknown_handler");
    let fork = house.call("POST", &format!("{path}/fork")).json(&json!({})).send().await.expect(201);
    assert_eq!(fork["handler"], "basic");
    assert_eq!(set(Value::Null).await.expect(200)["handler"], Value::Null);
    let events = house.call("GET", &format!("{path}/events")).send().await.expect(200);
    assert_eq!(events["total"].as_u64().unwrap_or(2), 2, "each change is told");
}
