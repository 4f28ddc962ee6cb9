//! Budgets and labels, as people see and set them.

use crate::support::{House, Options};
use domain::UserRole;
use serde_json::json;
use testkit::model::Reply;

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

/// Where the day ends is the server's, wherever its people are; and so the description says.
#[tokio::test]
async fn a_day_of_a_budget_ends_where_the_description_says() {
    for (zone, midnight) in [("UTC", "T00:00:00"), ("Asia/Kolkata", "T18:30:00"), ("Asia/Tokyo", "T15:00:00")]
    {
        let mut options = Options::default();
        options.engine.budget.zone = zone.to_owned();
        let house = House::with(options).await;
        let away = json!({ "time_zone": "Pacific/Kiritimati" });
        house.call("PATCH", "/v1/me").json(&away).send().await.expect(200);
        let usage = house.call("GET", "/v1/usage").send().await.expect(200);
        let resets = usage["budget"]["resets_at"].as_str().unwrap();
        assert!(resets.contains(midnight) && resets.ends_with('Z'), "{zone}: {resets}");
    }
    let house = House::new().await;
    let described = house.anonymous("GET", "/openapi.json").send().await.expect(200);
    let schemas = &described["components"]["schemas"];
    let words = |schema: &str, field: &str| {
        let words = schemas[schema]["properties"][field]["description"].as_str();
        words.unwrap_or_else(|| panic!("{schema}.{field} is not described")).to_owned()
    };
    let cap = words("Budget", "per_day_microusd");
    assert!(cap.contains("time zone of the server") && cap.contains("limits.budget_time_zone"), "{cap}");
    assert!(words("BudgetLeft", "resets_at").contains("time zone of the server"));
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
    house.model.respond(|_| Reply::text("Hello"));
    house
        .call("POST", &format!("/v1/sessions/{session}/messages"))
        .json(&json!({ "content": "Hi" }))
        .send()
        .await
        .expect(200);
    let path = format!("/v1/sessions/{session}/trust");
    let shown = house.call("GET", &format!("/v1/sessions/{session}")).send().await.expect(200);
    let seq = shown["last_seq"].as_u64().unwrap();
    let read = json!({ "seq": seq });
    // No program answers for a person, whatever its key allows.
    house.call("POST", &path).json(&read).send().await.refused(403, "scope_insufficient");
    let line = |words: &str| json!({ "line": words, "session_id": session });
    let command = |words: String| house.call("POST", "/v1/commands").json(&line(&words)).send();
    command(format!("/trust {seq}")).await.refused(403, "scope_insufficient");
    // Nor does a window that was left open.
    let owner = house.give_password("Ada").await;
    owner.call("POST", &path).json(&read).send().await.refused(403, "confirmation_required");
    let words = line(&format!("/trust {seq}"));
    owner.call("POST", "/v1/commands").json(&words).send().await.refused(403, "confirmation_required");
    owner.confirm().await;
    owner.call("POST", &path).send().await.refused(415, "unsupported_media_type");
    owner.call("POST", &path).json(&json!({})).send().await.refused(400, "bad_field");
    for seq in [0, seq + 1, u64::MAX >> 1] {
        owner.call("POST", &path).json(&json!({ "seq": seq })).send().await.refused(409, "seq_unknown");
    }
    let trusted = owner.call("POST", &path).json(&read).send().await.expect(200);
    assert_eq!((&trusted["trusted_seq"], &trusted["last_seq"]), (&json!(seq), &json!(seq + 1)));
    // What an older window shows takes nothing back.
    let older = owner.call("POST", &path).json(&json!({ "seq": 1 })).send().await.expect(200);
    assert_eq!(older["trusted_seq"], json!(seq));
    let bob = house.resident("Bob", UserRole::Member).await;
    bob.confirm().await;
    bob.call("POST", &path).json(&read).send().await.refused(404, "not_found");
    let said =
        owner.call("POST", "/v1/commands").json(&line(&format!("/trust {seq}"))).send().await.expect(200);
    assert!(said["text"].as_str().unwrap().contains("is trusted up to here"), "{said}");
    owner.call("POST", "/v1/commands").json(&line("/trust")).send().await.refused(400, "bad_command");
}
