//! Conversations that are found again and that go on elsewhere.

use crate::support::{House, shape};
use domain::UserRole;
use serde_json::{Value, json};
use testkit::model::Reply;

async fn say(house: &House, session: &str, text: &str) {
    let path = format!("/v1/sessions/{session}/messages");
    house.call("POST", &path).json(&json!({ "content": text })).send().await.expect(200);
}

async fn found(house: &House, query: &str) -> Value {
    house.call("GET", &format!("/v1/sessions?search={query}")).send().await.expect(200)
}

#[tokio::test]
async fn sessions_are_found_by_their_words() {
    let house = House::new().await;
    house.model.respond(|_| Reply::text("Noted."));
    let (old, new) = (house.session().await, house.session().await);
    say(&house, &old, "Buy cheese").await;
    say(&house, &new, "The cheese was good").await;
    let list = found(&house, "CHEESE&limit=1").await;
    let item = &list["items"][0];
    assert_eq!((&item["id"], &list["total"]), (&json!(new), &json!(1)));
    assert_eq!(item["match"]["snippet"], "The cheese was good");
    assert_eq!((&item["last_message"]["content"], &item["message_count"]), (&json!("Noted."), &json!(2)));
    let cursor = list["next_cursor"].as_str().unwrap();
    let next = found(&house, &format!("CHEESE&limit=1&cursor={cursor}")).await;
    assert_eq!(next["items"][0]["id"], json!(old));
    assert_eq!(found(&house, "cheese%20good").await["items"].as_array().unwrap().len(), 1);
    house.call("POST", &format!("/v1/sessions/{old}/archive")).send().await.expect(200);
    let away = found(&house, "cheese&archived=true").await;
    assert_eq!((away["items"][0]["id"].clone(), away["items"].as_array().unwrap().len()), (json!(old), 1));
    house.call("GET", "/v1/sessions?search=").send().await.refused(400, "bad_search");
    house.call("GET", "/v1/sessions?search=x&cursor=y").send().await.refused(400, "bad_cursor");
    let (_, other) = house.person("Bea", UserRole::Member).await;
    let theirs = house.call("GET", "/v1/sessions?search=cheese").key(&other).send().await.expect(200);
    assert_eq!(theirs, json!({ "items": [], "total": 0, "next_cursor": null }));
}

#[tokio::test]
async fn a_conversation_goes_on_in_a_fork() {
    let house = House::new().await;
    house.model.respond(|_| Reply::text("Noted."));
    let id = house.session().await;
    say(&house, &id, "One").await;
    say(&house, &id, "Two").await;
    let messages = house.call("GET", &format!("/v1/sessions/{id}/messages")).send().await.expect(200);
    let after = messages["items"][1]["seq"].clone();
    let path = format!("/v1/sessions/{id}/fork");
    let body = json!({ "after_seq": after });
    let fork = || house.call("POST", &path).header("idempotency-key", "k");
    let made = fork().json(&body).send().await.expect(201);
    assert_eq!(
        (&made["parent_id"], &made["message_count"], &made["status"]),
        (&json!(id), &json!(2), &json!("idle"))
    );
    assert_eq!(
        shape(&made["last_message"]),
        json!({ "seq": 3, "role": "assistant", "content": "Noted.", "created_at": "<time>" })
    );
    assert_eq!(fork().json(&body).send().await.expect(201)["id"], made["id"]);
    fork().json(&json!({})).send().await.refused(422, "idempotency_mismatch");
    say(&house, made["id"].as_str().unwrap(), "Three").await;
    assert_eq!(house.model.last_request().unwrap().messages().len(), 4);
    house.call("POST", &path).json(&json!({ "after_seq": 9_999 })).send().await.refused(400, "bad_after_seq");
    house.call("POST", &path).json(&json!({ "after_seq": -1 })).send().await.refused(400, "bad_field");
    let (_, other) = house.person("Bea", UserRole::Member).await;
    house.call("POST", &path).key(&other).json(&json!({})).send().await.refused(404, "not_found");
}
