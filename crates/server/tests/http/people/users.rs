use crate::support::{Answer, Browser, House, PASSWORD};
use domain::{Scope, UserRole};
use serde_json::{Value, json};

async fn change(by: &Browser, whom: &Browser, body: Value) -> Answer {
    by.call("PATCH", &format!("/v1/users/{}", whom.id)).json(&body).send().await
}

#[tokio::test]
async fn to_give_anybody_a_new_way_in_takes_a_confirmation() {
    let house = House::new().await;
    let (admin, elsewhere) = (house.resident("Eve", UserRole::Admin).await, house.sign_in("Eve").await);
    let add = |by: &Browser, role: &str| {
        let body = json!({ "name": format!("a {role}"), "role": role, "password": PASSWORD });
        by.call("POST", "/v1/users").json(&body).send()
    };
    let key = |scope: &str| admin.call("POST", "/v1/api-keys").json(&json!({ "scope": scope })).send();
    let provider = json!({ "base_url": "http://127.0.0.1:9" });
    let put = || admin.call("PUT", "/v1/providers/elsewhere").json(&provider).send();
    for role in ["guest", "member", "admin"] {
        add(&admin, role).await.refused(403, "confirmation_required");
    }
    key("read").await.refused(403, "confirmation_required");
    put().await.refused(403, "confirmation_required");
    let confirm =
        |password: &str| admin.call("POST", "/v1/me/confirm").json(&json!({ "password": password })).send();
    confirm("wrong password").await.refused(403, "wrong_password");
    key("read").await.refused(403, "confirmation_required");
    assert_eq!(confirm(PASSWORD).await.status, 204);
    for role in ["guest", "member", "admin"] {
        add(&admin, role).await.expect(201);
    }
    key("full").await.expect(201);
    put().await.expect(200);
    // It counts for this login alone, and not for long.
    add(&elsewhere, "second guest").await.refused(403, "confirmation_required");
    house.clock.advance(5 * 60_000);
    key("read").await.refused(403, "confirmation_required");
}

#[tokio::test]
async fn the_owner_is_one_and_is_touched_by_nobody_else() {
    let house = House::new().await;
    let (owner, admin) = (house.give_password("Ada").await, house.resident("Eve", UserRole::Admin).await);
    admin.confirm().await;
    owner.confirm().await;
    change(&admin, &owner, json!({ "password": "another one" })).await.refused(403, "owner_untouchable");
    let path = format!("/v1/users/{}", owner.id);
    admin.call("DELETE", &path).send().await.refused(403, "owner_untouchable");
    owner.call("DELETE", &path).send().await.refused(409, "cannot_remove");
    change(&owner, &admin, json!({ "role": "owner" })).await.refused(409, "one_owner");
    change(&admin, &admin, json!({ "role": "member" })).await.refused(409, "own_role");
}

#[tokio::test]
async fn a_new_role_takes_effect_at_once_and_with_a_new_login() {
    let house = House::new().await;
    let (owner, grace) = (house.give_password("Ada").await, house.resident("Grace", UserRole::Member).await);
    owner.confirm().await;
    let key = house.issue(grace.id, Scope::Full).await;
    change(&owner, &grace, json!({ "role": "guest" })).await.expect(200);
    grace.call("GET", "/v1/me").send().await.refused(401, "unauthorized");
    house.anonymous("GET", "/v1/models").key(&key).send().await.refused(403, "role_insufficient");
}

#[tokio::test]
async fn admins_see_that_people_talk_and_not_what_they_say() {
    let house = House::new().await;
    house.model.respond(|_| testkit::model::Reply::text("your-secret-is-safe"));
    let (admin, grace) =
        (house.resident("Eve", UserRole::Admin).await, house.resident("Grace", UserRole::Member).await);
    let agent = house.engine.agent_by_name(grace.id, "main".to_owned()).await.unwrap().id;
    let session = grace.call("POST", "/v1/sessions").json(&json!({ "agent_id": agent })).send().await;
    let session = session.expect(201)["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/sessions/{session}/messages");
    let said = json!({ "content": "my-secret-is-this" });
    grace.call("POST", &path).json(&said).send().await.expect(200);
    let mut seen = String::new();
    for path in ["users", "audit", "usage?by=user", "usage?by=session", "logs", "sessions", "agents", "help"]
    {
        let answer = admin.call("GET", &format!("/v1/{path}")).send().await;
        assert_eq!(answer.status, 200, "{path}");
        seen.push_str(&String::from_utf8_lossy(&answer.bytes));
    }
    assert!(seen.contains(&grace.id.to_string()) && seen.contains(&session), "that they talk is seen");
    assert!(!seen.contains("secret-is"), "{seen}");
    admin.call("GET", &path).send().await.refused(404, "not_found");
    let search = admin.call("GET", "/v1/sessions?search=secret").send().await.expect(200);
    assert_eq!(search["items"], json!([]));
    // What members see of the audit log is what concerns themselves, whomever they ask for.
    let other = house.resident("Bob", UserRole::Member).await;
    let audit = other.call("GET", &format!("/v1/audit?user_id={}", grace.id)).send().await.expect(200);
    assert!(audit["items"].as_array().unwrap().iter().all(|entry| entry["user_id"] == other.id.to_string()));
}

#[tokio::test]
async fn a_removed_person_leaves_with_everything_and_is_on_record() {
    let house = House::new().await;
    let (owner, grace) = (house.give_password("Ada").await, house.resident("Grace", UserRole::Member).await);
    let key = house.issue(grace.id, Scope::Full).await;
    owner.confirm().await;
    let path = format!("/v1/users/{}", grace.id);
    assert_eq!(owner.call("DELETE", &path).send().await.status, 204);
    owner.call("DELETE", &path).send().await.refused(404, "not_found");
    grace.call("GET", "/v1/me").send().await.refused(401, "unauthorized");
    house.anonymous("GET", "/v1/me").key(&key).send().await.refused(401, "unauthorized");
    let audit = owner.call("GET", &format!("/v1/audit?user_id={}", grace.id)).send().await.expect(200);
    assert_eq!(audit["items"][0]["action"], "user.removed");
}
