//! How people keep their conversations: folders, pins, several at once, and deleting with a way back.

use crate::support::House;
use domain::UserRole;
use serde_json::{Value, json};
use testkit::model::Reply;

async fn session(house: &House) -> String {
    let body = json!({ "agent_id": house.main_agent().await });
    let made = house.call("POST", "/v1/sessions").json(&body).send().await.expect(201);
    made["id"].as_str().unwrap().to_owned()
}

async fn folder(house: &House, body: Value) -> Value {
    house.call("POST", "/v1/folders").json(&body).send().await.expect(201)
}

async fn batch(house: &House, body: Value) -> Value {
    house.call("POST", "/v1/sessions/batch").json(&body).send().await.expect(200)["items"].clone()
}

async fn listed(house: &House, query: &str) -> Vec<String> {
    let list = house.call("GET", &format!("/v1/sessions{query}")).send().await.expect(200);
    list["items"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn an_agent_is_told_the_words_of_the_folder_and_of_its_person() {
    let house = House::new().await;
    house.model.respond(|request| {
        let told = request.messages()[0]["content"].to_string();
        Reply::text(format!("{} {}", told.contains("no nuts"), told.contains("a beekeeper")))
    });
    let (inside, outside) = (session(&house).await, session(&house).await);
    let kitchen = folder(&house, json!({ "name": "Kitchen", "instructions": "We eat no nuts." })).await;
    let moved = json!({ "folder_id": kitchen["id"], "pinned": true });
    let path = format!("/v1/sessions/{inside}");
    let moved = house.call("PATCH", &path).json(&moved).send().await.expect(200);
    assert_eq!((&moved["folder_id"], &moved["pinned"]), (&kitchen["id"], &json!(true)));
    let said = async |session: &str| {
        let path = format!("/v1/sessions/{session}/messages");
        let answer = house.call("POST", &path).json(&json!({ "content": "Hello" })).send().await.expect(200);
        answer["message"]["content"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        (said(&inside).await, said(&outside).await),
        ("true false".to_owned(), "false false".to_owned())
    );
    let me = json!({ "about_me": "I am a beekeeper." });
    let me = house.call("PATCH", "/v1/me").json(&me).send().await.expect(200);
    assert_eq!(me["about_me"], "I am a beekeeper.");
    assert_eq!(
        (said(&inside).await, said(&outside).await),
        ("true true".to_owned(), "false true".to_owned())
    );
    // Admins see who there is, and not what people tell their agents.
    let users = house.call("GET", "/v1/users").send().await.expect(200);
    assert!(!users.to_string().contains("beekeeper"), "{users}");
    assert_eq!(house.call("GET", &path).send().await.expect(200)["source"], "web");
    let preview = json!({ "session_id": inside });
    let preview_path = format!("/v1/agents/{}/prompt-preview", house.main_agent().await);
    let preview = house.call("POST", &preview_path).json(&preview).send().await.expect(200);
    assert!(preview.to_string().contains("no nuts"), "the preview of a prompt is the prompt");
    let kitchen = format!("/v1/folders/{}", kitchen["id"].as_str().unwrap());
    assert_eq!(house.call("DELETE", &kitchen).send().await.status, 204);
    assert_eq!(said(&inside).await, "false true");
}

#[tokio::test]
async fn two_windows_change_one_folder() {
    let house = House::new().await;
    let made = folder(&house, json!({ "name": "Kitchen" })).await;
    let path = format!("/v1/folders/{}", made["id"].as_str().unwrap());
    let change = |body: Value| house.call("PATCH", &path).json(&body).send();
    let named = change(json!({ "name": "Cellar", "version": 1 })).await.expect(200);
    assert_eq!((&named["name"], &named["version"]), (&json!("Cellar"), &json!(2)));
    change(json!({ "instructions": "Wine.", "version": 1 })).await.refused(409, "folder_changed");
    let last = change(json!({ "instructions": "Wine." })).await.expect(200);
    assert_eq!((&last["name"], &last["instructions"]), (&json!("Cellar"), &json!("Wine.")));
    // Two at once that name no version: each field is the last one's, and none is lost.
    let (a, b) =
        tokio::join!(change(json!({ "name": "Attic" })), change(json!({ "instructions": "Boxes." })));
    a.expect(200);
    b.expect(200);
    let kept = house.call("GET", &path).send().await.expect(200);
    assert_eq!(
        (&kept["name"], &kept["instructions"], &kept["version"]),
        (&json!("Attic"), &json!("Boxes."), &json!(5))
    );
}

#[tokio::test]
async fn a_session_begins_in_its_folder() {
    let house = House::new().await;
    let kitchen = folder(&house, json!({ "name": "Kitchen" })).await;
    let agent = house.main_agent().await;
    let body = json!({ "agent_id": agent, "folder_id": kitchen["id"], "own_files": true });
    let new = || house.call("POST", "/v1/sessions").header("idempotency-key", "k");
    let made = new().json(&body).send().await.expect(201);
    assert_eq!((&made["folder_id"], &made["own_files"]), (&kitchen["id"], &json!(true)));
    let kept = house.call("GET", &format!("/v1/sessions/{}", made["id"].as_str().unwrap())).send().await;
    assert_eq!(kept.expect(200)["folder_id"], kitchen["id"]);
    // The key is of this request, with its folder.
    assert_eq!(new().json(&body).send().await.expect(201)["id"], made["id"]);
    new().json(&json!({ "agent_id": agent })).send().await.refused(422, "idempotency_mismatch");
    let other = house.resident("bob", UserRole::Member).await;
    let theirs = other.call("POST", "/v1/folders").json(&json!({ "name": "b" })).send().await.expect(201);
    let before = listed(&house, "").await;
    for id in [&theirs["id"], &json!("folder_01980000000070008000000000000001")] {
        let body = json!({ "agent_id": agent, "folder_id": id });
        house.call("POST", "/v1/sessions").json(&body).send().await.refused(400, "unknown_folder");
    }
    assert_eq!(listed(&house, "").await, before, "nothing is stored for what was refused");
}

#[tokio::test]
async fn a_hidden_session_is_in_no_list_and_in_no_search() {
    let house = House::new().await;
    house.model.respond(|_| Reply::text("Marmalade."));
    let body = json!({ "agent_id": house.main_agent().await, "hidden": true });
    let made = house.call("POST", "/v1/sessions").json(&body).send().await.expect(201);
    assert_eq!(made["hidden"], json!(true));
    let path = format!("/v1/sessions/{}", made["id"].as_str().unwrap());
    let said = json!({ "content": "What goes on bread?" });
    house.call("POST", &format!("{path}/messages")).json(&said).send().await.expect(200);
    assert_eq!(listed(&house, "").await, Vec::<String>::new());
    assert_eq!(listed(&house, "?search=marmalade&archived=any").await, Vec::<String>::new());
    house.call("GET", &path).send().await.expect(200);
    assert_eq!(house.call("DELETE", &path).send().await.status, 204);
}

#[tokio::test]
async fn a_folder_that_cannot_be_is_refused() {
    let house = House::new().await;
    let long = "x".repeat(20_001);
    for (body, code) in [
        (json!({ "name": "" }), "bad_name"),
        (json!({ "name": "a\u{202e}b" }), "bad_name"),
        (json!({ "name": "x".repeat(201) }), "bad_name"),
        (json!({ "name": "a", "instructions": "bell\u{7}" }), "bad_instructions"),
        (json!({ "name": "a", "instructions": long }), "bad_instructions"),
    ] {
        let told = house.call("POST", "/v1/folders").json(&body).send().await.refused(400, code);
        assert!(told.starts_with("The ") && told.ends_with('.'), "a sentence: {told}");
    }
    let about = json!({ "about_me": "x".repeat(4_001) });
    house.call("PATCH", "/v1/me").json(&about).send().await.refused(400, "bad_about_me");
    let id = session(&house).await;
    let path = format!("/v1/sessions/{id}");
    let nowhere = json!({ "folder_id": "folder_01980000000070008000000000000001" });
    house.call("PATCH", &path).json(&nowhere).send().await.refused(400, "unknown_folder");
    let other = house.resident("bob", UserRole::Member).await;
    let theirs = other.call("POST", "/v1/folders").json(&json!({ "name": "b" })).send().await.expect(201);
    let into_theirs = json!({ "folder_id": theirs["id"] });
    house.call("PATCH", &path).json(&into_theirs).send().await.refused(400, "unknown_folder");
    let many = json!({ "ids": [id], "action": "move", "folder_id": theirs["id"] });
    house.call("POST", "/v1/sessions/batch").json(&many).send().await.refused(400, "unknown_folder");
    let none = json!({ "ids": [], "action": "pin" });
    house.call("POST", "/v1/sessions/batch").json(&none).send().await.refused(400, "bad_ids");
    let foreign = json!({ "ids": [id], "action": "delete" });
    let told = other.call("POST", "/v1/sessions/batch").json(&foreign).send().await.expect(200);
    assert_eq!(told["items"], json!([{ "id": id, "outcome": "not_found" }]));
    house.call("GET", &path).send().await.expect(200);
}

#[tokio::test]
async fn several_are_kept_at_once_and_a_deletion_is_taken_back() {
    let house = House::new().await;
    let (one, two) = (session(&house).await, session(&house).await);
    let ids = json!([one, two, one, "session_01980000000070008000000000000001"]);
    let does = |action: &str| batch(&house, json!({ "ids": ids, "action": action }));
    let done = json!([
        { "id": one, "outcome": "done" }, { "id": two, "outcome": "done" },
        { "id": "session_01980000000070008000000000000001", "outcome": "not_found" },
    ]);
    assert_eq!(does("pin").await, done);
    assert_eq!(listed(&house, "?pinned=true").await.len(), 2);
    assert_eq!(does("unpin").await, done);
    assert_eq!(does("archive").await, done);
    assert_eq!(listed(&house, "?archived=true").await.len(), 2);
    assert_eq!(does("unarchive").await, done);
    assert_eq!(does("delete").await, done);
    assert_eq!(listed(&house, "").await, Vec::<String>::new());
    house.call("GET", &format!("/v1/sessions/{one}")).send().await.refused(404, "not_found");
    let path = format!("/v1/sessions/{one}/messages");
    house.call("POST", &path).json(&json!({ "content": "Hello" })).send().await.refused(404, "not_found");
    assert_eq!(does("restore").await, done);
    assert_eq!(listed(&house, "").await.len(), 2);
    assert_eq!(does("restore").await[0]["outcome"], "not_found", "there is nothing to take back");
}

#[tokio::test]
async fn a_search_finds_what_is_archived() {
    let house = House::new().await;
    house.model.respond(|_| Reply::text("Marmalade."));
    let id = session(&house).await;
    let path = format!("/v1/sessions/{id}/messages");
    house.call("POST", &path).json(&json!({ "content": "What goes on bread?" })).send().await.expect(200);
    batch(&house, json!({ "ids": [id], "action": "archive" })).await;
    assert_eq!(listed(&house, "?search=marmalade").await, Vec::<String>::new());
    assert_eq!(listed(&house, "?search=marmalade&archived=any").await, [id]);
    house.call("GET", "/v1/sessions?archived=any").send().await.refused(400, "bad_query");
}

#[tokio::test]
async fn what_was_deleted_goes_when_its_minute_is_over() {
    let house = House::new().await;
    house.model.respond(|_| Reply::text("Yes."));
    let (one, kept) = (session(&house).await, session(&house).await);
    let delete = json!({ "ids": [one], "action": "delete" });
    batch(&house, delete.clone()).await;
    house.clock.advance(59_000);
    assert_eq!(house.engine.empty_bin().await.unwrap(), 0, "not yet");
    let back = json!({ "ids": [one], "action": "restore" });
    assert_eq!(batch(&house, back.clone()).await[0]["outcome"], "done");
    batch(&house, delete).await;
    house.clock.advance(60_000);
    assert_eq!(batch(&house, back.clone()).await[0]["outcome"], "not_found", "its minute is over");
    // The job may have been faster; either way it is gone for good.
    house.engine.empty_bin().await.unwrap();
    house.clock.advance(-120_000);
    assert_eq!(batch(&house, back).await[0]["outcome"], "not_found");
    assert_eq!(listed(&house, "").await, [kept]);
}

/// THREAT[chat-06]
#[tokio::test]
async fn a_peer_of_a_bridge_is_told_nothing_of_the_person() {
    let house = House::new().await;
    house.model.respond(|request| {
        let told = request.messages()[0]["content"].to_string();
        Reply::text(format!("{} {}", told.contains("no nuts"), told.contains("a beekeeper")))
    });
    let bridge = house.bridge(house.owner().await, "signal").await;
    let say = || {
        let body = json!({ "message": "Hi", "source": "signal", "sender": "+1" });
        house.call("POST", "/chat").key(&bridge).json(&body).send()
    };
    let me = json!({ "about_me": "I am a beekeeper." });
    house.call("PATCH", "/v1/me").json(&me).send().await.expect(200);
    let id = say().await.expect(200)["session_id"].as_str().unwrap().to_owned();
    let kitchen = folder(&house, json!({ "name": "Kitchen", "instructions": "We eat no nuts." })).await;
    batch(&house, json!({ "ids": [id], "action": "move", "folder_id": kitchen["id"] })).await;
    assert_eq!(house.call("GET", &format!("/v1/sessions/{id}")).send().await.expect(200)["source"], "bridge");
    say().await.expect(200);
    let told = |at: usize| house.model.requests()[at].messages()[0]["content"].to_string();
    for at in 0..2 {
        assert!(!told(at).contains("beekeeper") && !told(at).contains("nuts"), "{}", told(at));
    }
    // Its person, in the same conversation, is.
    let path = format!("/v1/sessions/{id}/messages");
    let answer = house.call("POST", &path).json(&json!({ "content": "And me?" })).send().await.expect(200);
    assert_eq!(answer["message"]["content"], "true true");
    // A peer whose conversation was deleted begins another one.
    batch(&house, json!({ "ids": [id], "action": "delete" })).await;
    assert_ne!(say().await.expect(200)["session_id"], id.as_str());
}
