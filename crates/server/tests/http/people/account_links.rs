//! Invitations, and new passwords by a link.

use super::logins::{MANY_ATTEMPTS, refused_in_the_end};
use crate::support::{Answer, Browser, House, PASSWORD};
use domain::UserRole;
use serde_json::{Value, json};

async fn admin(house: &House) -> Browser {
    let admin = house.resident("Anna", UserRole::Admin).await;
    admin.confirm().await;
    admin
}

async fn link(by: &Browser, body: Value) -> String {
    let made = by.call("POST", "/v1/account-links").json(&body).send().await.expect(201);
    made["token"].as_str().unwrap().to_owned()
}

async fn join(house: &House, body: Value) -> Answer {
    let ours = format!("http://{}", house.address);
    house.anonymous("POST", "/v1/join").header("origin", &ours).json(&body).send().await
}

async fn look(house: &House, token: &str) -> Answer {
    let ours = format!("http://{}", house.address);
    let body = json!({ "token": token });
    house.anonymous("POST", "/v1/join/look").header("origin", &ours).json(&body).send().await
}

#[tokio::test]
async fn an_invited_person_chooses_name_and_password() {
    let house = House::new().await;
    let admin = admin(&house).await;
    let token = link(&admin, json!({ "role": "guest", "valid_hours": 1 })).await;
    let told = look(&house, &token).await.expect(200);
    assert_eq!(
        (&told["name"], &told["role"], &told["made_by"]),
        (&json!(null), &json!("guest"), &json!("Anna"))
    );
    let listed = admin.call("GET", "/v1/account-links").send().await.expect(200);
    assert!(listed["total"] == 1 && !listed.to_string().contains(&token), "{listed}");
    let me = json!({ "token": token, "name": "Bob", "password": PASSWORD, "time_zone": "Europe/Berlin", "language": "de" });
    join(&house, json!({ "token": token, "name": "Anna", "password": PASSWORD }))
        .await
        .refused(409, "user_exists");
    join(&house, json!({ "token": token, "name": "", "password": PASSWORD })).await.refused(400, "bad_name");
    join(&house, json!({ "token": token, "name": "Bob", "password": "short" }))
        .await
        .refused(400, "bad_password");
    let (one, two) = tokio::join!(join(&house, me.clone()), join(&house, me.clone()));
    let (won, lost) = if one.status == 201 { (one, two) } else { (two, one) };
    let won = won.expect(201);
    assert_eq!(
        (&won["role"], &won["time_zone"], &won["language"]),
        (&json!("guest"), &json!("Europe/Berlin"), &json!("de"))
    );
    assert!(matches!(lost.status, 401 | 409), "of two at once one comes in: {}", lost.status);
    join(&house, me).await.refused(401, "dead_link");
    look(&house, &token).await.refused(401, "dead_link");
    house.signed_in("Bob").await;
}

/// Who tries other links at the same address keeps the holder of a good one out of nothing.
#[tokio::test]
async fn a_link_is_counted_by_itself_where_others_are_tried() {
    let house = House::new().await;
    let admin = admin(&house).await;
    let token = link(&admin, json!({ "role": "guest" })).await;
    let spare = link(&admin, json!({ "role": "guest" })).await;
    refused_in_the_end(|| look(&house, "wrong")).await;
    look(&house, &token).await.expect(200);
    refused_in_the_end(|| look(&house, "wrong")).await;
    join(&house, json!({ "token": token, "name": "Bob", "password": PASSWORD })).await.expect(201);
    // The control: it is one of those that are wrong now, and another one is not tried for ever.
    refused_in_the_end(|| look(&house, &token)).await;
    let mut left = MANY_ATTEMPTS;
    while look(&house, &spare).await.status == 200 {
        left = left.checked_sub(1).expect("a link may be tried for ever");
    }
}

#[tokio::test]
async fn a_person_chooses_a_new_password_by_a_link() {
    let house = House::new().await;
    let admin = admin(&house).await;
    let bob = house.resident("bob", UserRole::Member).await;
    let token = link(&admin, json!({ "user_id": bob.id })).await;
    assert_eq!(look(&house, &token).await.expect(200)["name"], "bob");
    let body = json!({ "token": token, "password": "another long password" });
    assert_eq!(join(&house, body.clone()).await.expect(201)["name"], "bob");
    bob.call("GET", "/v1/me").send().await.refused(401, "unauthorized");
    join(&house, body).await.refused(401, "dead_link");
    let ours = format!("http://{}", house.address);
    let old = json!({ "name": "bob", "password": PASSWORD });
    let old = house.anonymous("POST", "/v1/login").header("origin", &ours).json(&old).send().await;
    old.refused(401, "bad_credentials");
}

/// A person who had the old password may have made links with it: they end with it, however the new one was chosen.
#[tokio::test]
async fn a_new_password_by_a_link_ends_the_links_that_its_person_made() {
    let house = House::new().await;
    let (anna, berta) = (admin(&house).await, house.resident("Berta", UserRole::Admin).await);
    berta.confirm().await;
    let (of_anna, of_berta) =
        (link(&anna, json!({ "role": "member" })).await, link(&berta, json!({ "role": "member" })).await);
    let token = link(&anna, json!({ "user_id": berta.id })).await;
    join(&house, json!({ "token": token, "password": "another long password" })).await.expect(201);
    look(&house, &of_berta).await.refused(401, "dead_link");
    look(&house, &of_anna).await.expect(200);
}

#[tokio::test]
async fn a_link_counts_no_longer_than_its_makers_rights() {
    let house = House::new().await;
    let admin = admin(&house).await;
    let owner = house.owner().await;
    let request = |body: Value| admin.call("POST", "/v1/account-links").json(&body).send();
    request(json!({ "user_id": owner })).await.refused(403, "owner_untouchable");
    request(json!({ "user_id": admin.id })).await.refused(409, "own_password");
    request(json!({ "role": "owner" })).await.refused(400, "bad_account_link");
    request(json!({})).await.refused(400, "bad_account_link");
    request(json!({ "role": "guest", "user_id": admin.id })).await.refused(400, "bad_account_link");
    request(json!({ "role": "guest", "valid_hours": 0 })).await.refused(400, "bad_expiry");
    request(json!({ "role": "guest", "valid_hours": 721 })).await.refused(400, "bad_expiry");
    request(json!({ "user_id": "user_01980000000070008000000000000001" })).await.refused(400, "unknown_user");
    let (one, two) =
        (link(&admin, json!({ "role": "member" })).await, link(&admin, json!({ "role": "member" })).await);
    let listed = admin.call("GET", "/v1/account-links").send().await.expect(200);
    let path = format!("/v1/account-links/{}", listed["items"][0]["id"].as_str().unwrap());
    assert_eq!(admin.call("DELETE", &path).send().await.status, 204);
    admin.call("DELETE", &path).send().await.refused(404, "not_found");
    let alive = if look(&house, &one).await.status == 200 { one } else { two };
    look(&house, &alive).await.expect(200);
    let role = engine::UserChange { role: Some(UserRole::Member), ..engine::UserChange::default() };
    house.engine.people().change_user(&house.operator().await, admin.id, role).await.unwrap();
    look(&house, &alive).await.refused(401, "dead_link");
    look(&house, "").await.refused(401, "dead_link");
}

#[tokio::test]
async fn a_first_sign_in_takes_zone_and_language_of_the_browser() {
    let house = House::new().await;
    let new = json!({ "name": "bob", "role": "member", "password": PASSWORD });
    house.call("POST", "/v1/users").json(&new).send().await.expect(201);
    let ours = format!("http://{}", house.address);
    let login = async |zone: &str, language: &str| {
        let body = json!({ "name": "bob", "password": PASSWORD, "time_zone": zone, "language": language });
        house.anonymous("POST", "/v1/login").header("origin", &ours).json(&body).send().await.expect(200)
    };
    let me = login("Europe/Berlin", "de-AT").await;
    assert_eq!((&me["time_zone"], &me["language"]), (&json!("Europe/Berlin"), &json!("de-AT")));
    let me = login("Asia/Tokyo", "ja").await;
    assert_eq!(me["time_zone"], "Europe/Berlin", "only the first time");
    let new = json!({ "name": "eve", "role": "member", "password": PASSWORD });
    house.call("POST", "/v1/users").json(&new).send().await.expect(201);
    let body =
        json!({ "name": "eve", "password": PASSWORD, "time_zone": "Nowhere/\u{202e}", "language": "<b>" });
    let me =
        house.anonymous("POST", "/v1/login").header("origin", &ours).json(&body).send().await.expect(200);
    assert_eq!((&me["time_zone"], &me["language"]), (&json!("UTC"), &json!("en")));
    assert_eq!(house.anonymous("GET", "/v1/setup").send().await.expect(200), json!({ "needed": false }));
}
