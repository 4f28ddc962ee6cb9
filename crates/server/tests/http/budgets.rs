//! Budgets and labels, as people see and set them.

use crate::support::House;
use domain::UserRole;
use serde_json::json;

#[tokio::test]
async fn a_budget_is_set_shown_and_taken_away() {
    let house = House::new().await;
    let agent = house
        .call("POST", "/v1/agents")
        .json(&json!({ "name": "thrifty", "budget": { "per_day_microusd": 5 } }));
    let agent = agent.send().await.expect(201);
    assert_eq!(agent["budget"], json!({ "per_day_microusd": 5 }));
    let path = format!("/v1/agents/{}", agent["id"].as_str().unwrap());
    let less = json!({ "budget": { "per_day_microusd": 4 } });
    assert_eq!(house.call("PATCH", &path).json(&less).send().await.expect(200)["budget"], less["budget"]);
    // To spend more takes a person who has proved who they are.
    let none = json!({ "budget": null });
    house.call("PATCH", &path).json(&none).send().await.refused(403, "scope_insufficient");
    let bob = house.resident("bob", UserRole::Member).await;
    let theirs = bob.call("POST", "/v1/agents").json(&json!({ "name": "thrifty", "budget": less["budget"] }));
    let theirs = theirs.send().await.expect(201)["id"].as_str().unwrap().to_owned();
    bob.confirm().await;
    let none = bob.call("PATCH", &format!("/v1/agents/{theirs}")).json(&none).send().await.expect(200);
    assert_eq!(none["budget"], json!({}));
    let own = json!({ "budget": { "per_day_microusd": 3, "per_turn_microusd": 1 } });
    let me = house.call("PATCH", "/v1/me").json(&own).send().await.expect(200);
    assert_eq!(me["budget"], json!({ "house": {}, "own": own["budget"] }));
    let usage = house.call("GET", "/v1/usage").send().await.expect(200);
    let budget = &usage["budget"];
    assert_eq!((&budget["per_day_microusd"], &budget["left_microusd"]), (&json!(3), &json!(3)));
    assert!(usage["items"].is_array() && budget["resets_at"].is_string(), "{usage}");
    for bad in [json!(-1), json!(1.5), json!("much"), json!(1_000_000_000_001_u64)] {
        let body = json!({ "budget": { "per_day_microusd": bad } });
        for (method, path) in [("PATCH", "/v1/me"), ("PATCH", path.as_str())] {
            let status = house.call(method, path).json(&body).send().await.status;
            assert_eq!(status, 400, "{path}: {body}");
        }
    }
}

#[tokio::test]
async fn what_the_house_says_is_the_houses() {
    let house = House::new().await;
    let (_, member) = house.person("Bob", UserRole::Member).await;
    let raised = json!({ "budget": { "per_day_microusd": 999 } });
    let me = house.anonymous("PATCH", "/v1/me").key(&member).json(&raised).send().await.expect(200);
    assert_eq!(me["budget"]["house"], json!({}), "nobody sets what the house lets them spend");
    let id = me["id"].as_str().unwrap();
    let path = format!("/v1/users/{id}");
    let refused = house.anonymous("PATCH", &path).key(&member).json(&raised).send().await;
    assert_eq!(refused.status, 403);
}

#[tokio::test]
async fn a_session_is_declared_trusted_by_its_person_alone() {
    let house = House::new().await;
    let session = house.session().await;
    let path = format!("/v1/sessions/{session}/trust");
    let trusted = house.call("POST", &path).send().await.expect(200);
    assert_eq!((&trusted["trusted_seq"], &trusted["last_seq"]), (&json!(1), &json!(1)));
    let (_, member) = house.person("Bob", UserRole::Member).await;
    house.anonymous("POST", &path).key(&member).send().await.refused(404, "not_found");
    let line = json!({ "line": "/trust", "session_id": session });
    let said = house.call("POST", "/v1/commands").json(&line).send().await.expect(200);
    assert!(said["text"].as_str().unwrap().contains("counts as trusted"), "{said}");
}
