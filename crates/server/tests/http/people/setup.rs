use super::logins::refused_in_the_end;
use crate::support::{Answer, House, Options, PASSWORD, shape};
use serde_json::{Value, json};

async fn empty() -> House {
    House::with(Options { empty: true, ..Options::default() }).await
}

async fn link(house: &House) -> String {
    house.engine.people().open_setup().await.unwrap().unwrap().token
}

fn founding(token: &str) -> Value {
    json!({ "token": token, "name": "Ada", "password": PASSWORD, "time_zone": "Europe/Athens" })
}

async fn found(house: &House, body: &Value) -> Answer {
    house.anonymous("POST", "/v1/setup").json(body).send().await
}

#[tokio::test]
async fn whoever_holds_the_link_becomes_the_owner_and_is_signed_in() {
    let house = empty().await;
    let token = link(&house).await;
    let answer = found(&house, &founding(&token)).await;
    let cookie = answer.header("set-cookie").split(';').next().unwrap().to_owned();
    let me = json!({ "id": "<user>", "name": "Ada", "role": "owner", "time_zone": "Europe/Athens", "language": "en",
        "budget": { "house": {}, "own": {} }, "about_me": "" });
    assert_eq!(shape(&answer.expect(201)), me);
    let agents = house.anonymous("GET", "/v1/agents").header("cookie", &cookie).send().await.expect(200);
    assert_eq!((&agents["total"], &agents["items"][0]["name"]), (&json!(1), &json!("main")));
    found(&house, &founding(&token)).await.refused(409, "already_set_up");
    assert!(house.engine.people().open_setup().await.unwrap().is_none());
    house.engine.people().settled().await;
}

#[tokio::test]
async fn a_link_counts_once_for_a_while_and_only_the_newest() {
    let house = empty().await;
    let (old, new) = (link(&house).await, link(&house).await);
    for wrong in ["", "x", &old, &new[1..]] {
        found(&house, &founding(wrong)).await.refused(401, "bad_setup_token");
    }
    house.clock.advance(15 * 60 * 1_000);
    found(&house, &founding(&new)).await.refused(401, "bad_setup_token");
    // What is refused for another reason does not use the link up.
    let token = link(&house).await;
    let mut body = founding(&token);
    body["password"] = json!("short");
    found(&house, &body).await.refused(400, "bad_password");
    found(&house, &founding(&token)).await.expect(201);
}

/// Who tries other links at the same address does not keep the owner out.
#[tokio::test]
async fn the_link_opens_where_too_many_others_were_tried() {
    let house = empty().await;
    let token = link(&house).await;
    refused_in_the_end(|| async { found(&house, &founding("wrong")).await }).await;
    found(&house, &founding(&token)).await.expect(201);
}

#[tokio::test]
async fn of_many_set_ups_at_once_one_succeeds() {
    let house = empty().await;
    let token = link(&house).await;
    let attempt = |n: u32| {
        let mut body = founding(&token);
        body["name"] = json!(format!("owner {n}"));
        tokio::spawn(house.anonymous("POST", "/v1/setup").json(&body).send())
    };
    let attempts: Vec<_> = (0..8).map(attempt).collect();
    let mut won = 0;
    for attempt in attempts {
        let answer = attempt.await.unwrap();
        match answer.status {
            201 => won += 1,
            _ => drop(answer.refused(409, "already_set_up")),
        }
    }
    assert_eq!((won, house.engine.people().users().await.unwrap().len()), (1, 1));
}
