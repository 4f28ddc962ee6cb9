//! The control socket: the same routes without a key, and those of the operator.

use crate::support::{House, Options, shape};
use serde_json::json;
use testkit::model::Reply;

#[tokio::test]
async fn a_house_without_an_owner_takes_one_and_nothing_else() {
    let house = House::with(Options { empty: true, ..Options::default() }).await;
    for path in ["/v1/me", "/v1/agents", "/v1/users", "/v1/api-keys"] {
        let detail = house.control("GET", path).send().await.refused(409, "no_owner");
        assert!(detail.contains("majordomo user add"), "{detail}");
    }
    house.control("GET", "/healthz").send().await.expect(200);
    house.control("GET", "/readyz").send().await.expect(200);
    let owner = json!({ "name": "Ada", "role": "owner", "time_zone": "Europe/Athens" });
    let created = house.control("POST", "/v1/users").json(&owner).send().await.expect(201);
    let expected = json!({ "id": "<user>", "name": "Ada", "role": "owner", "time_zone": "Europe/Athens",
        "language": "en", "budget": { "house": {}, "own": {} }, "created_at": "<time>" });
    assert_eq!(shape(&created), expected);
    house.control("POST", "/v1/users").json(&owner).send().await.refused(409, "user_exists");
    assert_eq!(house.control("GET", "/v1/me").send().await.expect(200)["id"], created["id"]);
}

#[tokio::test]
async fn whoever_holds_the_socket_acts_as_the_user_they_name() {
    let house = House::new().await;
    let grace = json!({ "name": "Grâce", "role": "member", "password": "correct horse" });
    house.control("POST", "/v1/users").json(&grace).send().await.expect(201);
    let users = house.control("GET", "/v1/users").send().await.expect(200);
    let names: Vec<&str> =
        users["items"].as_array().unwrap().iter().map(|user| user["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Ada", "Grâce"]);
    let me = |name: &str| house.control("GET", "/v1/me").header("x-majordomo-user", name).send();
    assert_eq!(me("Grâce").await.expect(200)["name"], "Grâce");
    assert_eq!(me("Ada").await.expect(200)["name"], "Ada");
    me("Nobody").await.refused(400, "unknown_user");
    me("").await.refused(400, "unknown_user");
}

#[tokio::test]
async fn keys_are_made_shown_once_and_listed_without_their_secret() {
    let house = House::new().await;
    let new = json!({ "name": "laptop", "scope": "chat", "expires_at": "2099-01-01T00:00:00Z" });
    let issued = house.control("POST", "/v1/api-keys").json(&new).send().await.expect(201);
    let secret = issued["secret"].as_str().unwrap();
    assert!(secret.starts_with("mjd_"));
    let expected = json!({ "id": "<key>", "user_id": "<user>", "name": "laptop", "scope": "chat",
        "expires_at": "<time>", "created_at": "<time>", "secret": secret });
    assert_eq!(shape(&issued), expected);
    let list = house.control("GET", "/v1/api-keys").send().await.expect(200);
    assert!(!list.to_string().contains(secret));
    assert_eq!(list["items"][1]["id"], issued["id"]);

    house
        .control("POST", "/v1/users")
        .json(&json!({ "name": "Grace", "role": "member" }))
        .send()
        .await
        .expect(201);
    let hers =
        house.control("POST", "/v1/api-keys").json(&json!({ "user": "Grace" })).send().await.expect(201);
    assert_eq!(hers["scope"], "full");
    let me = house.anonymous("GET", "/v1/me").key(hers["secret"].as_str().unwrap()).send().await.expect(200);
    assert_eq!(me["name"], "Grace");

    let refuse =
        async |body: serde_json::Value| house.control("POST", "/v1/api-keys").json(&body).send().await;
    refuse(json!({ "user": "Nobody" })).await.refused(400, "unknown_user");
    refuse(json!({ "expires_at": "2001-01-01T00:00:00Z" })).await.refused(400, "bad_expiry");
    refuse(json!({ "expires_at": "tomorrow" })).await.refused(400, "bad_field");
    refuse(json!({ "scope": "everything" })).await.refused(400, "bad_field");
}

#[tokio::test]
async fn what_comes_through_the_socket_comes_from_the_terminal() {
    let house = House::new().await;
    let session = house.session().await;
    house.model.script(Reply::text("Hello"));
    let path = format!("/v1/sessions/{session}/messages/stream");
    let events =
        house.control("POST", &path).json(&json!({ "content": "Hi" })).events().await.collect().await;
    assert_eq!(events[0].data["data"]["source"], "cli");
    assert_eq!(events.last().unwrap().data["data"]["outcome"], "completed");
}
