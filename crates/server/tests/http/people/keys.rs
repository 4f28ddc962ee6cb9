//! The keys of people's programs, as people manage them.

use crate::support::House;
use domain::UserRole;
use serde_json::json;

#[tokio::test]
async fn a_key_is_shown_once_and_counts_until_it_is_revoked() {
    let house = House::new().await;
    let grace = house.resident("Grace", UserRole::Member).await;
    grace.confirm().await;
    let body = json!({ "name": "laptop", "scope": "chat" });
    let made = grace.call("POST", "/v1/api-keys").json(&body).send().await.expect(201);
    let (id, secret) = (made["id"].as_str().unwrap(), made["secret"].as_str().unwrap());
    assert!(secret.starts_with("mjd_") && secret.len() == 47, "{secret}");
    let list = grace.call("GET", "/v1/api-keys").send().await;
    assert!(!String::from_utf8_lossy(&list.bytes).contains(secret));
    let list = list.expect(200);
    assert_eq!((&list["total"], &list["items"][0]["scope"]), (&json!(1), &json!("chat")));
    let me = || house.anonymous("GET", "/v1/me").key(secret).send();
    assert_eq!(me().await.expect(200)["name"], "Grace");
    // A part of it, or it with something more, is nothing.
    for wrong in [&secret[..46], &format!("{secret}x"), &secret[4..], id] {
        house.anonymous("GET", "/v1/me").key(wrong).send().await.refused(401, "unauthorized");
    }
    let path = format!("/v1/api-keys/{id}");
    assert_eq!(grace.call("DELETE", &path).send().await.status, 204);
    me().await.refused(401, "unauthorized");
    grace.call("DELETE", &path).send().await.refused(404, "not_found");
    assert_eq!(grace.call("GET", "/v1/api-keys").send().await.expect(200)["total"], 0);
}

#[tokio::test]
async fn what_a_key_may_be_is_said() {
    let house = House::new().await;
    let grace = house.resident("Grace", UserRole::Member).await;
    grace.confirm().await;
    for (body, code) in [
        (json!({ "scope": "everything" }), "bad_field"),
        (json!({ "expires_at": "2001-01-01T00:00:00Z" }), "bad_expiry"),
        (json!({ "name": "" }), "bad_name"),
        (json!({ "user": "Ada" }), "bad_field"),
        (json!({ "user_id": house.owner().await }), "bad_field"),
    ] {
        grace.call("POST", "/v1/api-keys").json(&body).send().await.refused(400, code);
    }
    assert_eq!(grace.call("GET", "/v1/api-keys").send().await.expect(200)["total"], 0);
}

#[tokio::test]
async fn a_key_is_no_more_than_the_person_whose_it_is() {
    let house = House::new().await;
    let (member, key) = house.person("Grace", UserRole::Member).await;
    house.anonymous("GET", "/v1/users").key(&key).send().await.refused(403, "role_insufficient");
    // What a person does themself is not done with a key, not even with a full one.
    for (path, body) in [
        ("/v1/logout", json!({})),
        ("/v1/me/confirm", json!({ "password": "a password" })),
        ("/v1/me/password", json!({ "old": "a password", "new": "another one" })),
    ] {
        house.anonymous("POST", path).key(&key).json(&body).send().await.refused(403, "scope_insufficient");
    }
    let admin = engine::UserChange { role: Some(UserRole::Admin), ..engine::UserChange::default() };
    house.engine.people().change_user(&house.operator().await, member, admin).await.unwrap();
    house.anonymous("GET", "/v1/users").key(&key).send().await.expect(200);
}
