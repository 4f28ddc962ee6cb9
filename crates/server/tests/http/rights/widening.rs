//! Who may give an agent more than it had, and what is written down of it.

use crate::support::House;
use domain::{Scope, UserRole};
use serde_json::{Value, json};

fn actions(audit: &Value) -> Vec<&str> {
    audit["items"].as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect()
}

/// ATTACK: a key, or a page that was left open, takes the bars off an agent.
#[tokio::test]
async fn an_agent_is_given_more_by_a_person_who_has_just_proved_who_they_are() {
    let house = House::new().await;
    let carla = house.resident("carla", UserRole::Member).await;
    let key = house.issue(carla.id, Scope::Full).await;
    let fields = json!({
        "name": "gardener", "capabilities": ["current_time"], "budget": { "per_day_microusd": 5 },
        "tool_rules": [{ "tool": "get_current_time", "action": "deny" }],
    });
    let agent = carla.call("POST", "/v1/agents").json(&fields).send().await.expect(201);
    let path = format!("/v1/agents/{}", agent["id"].as_str().unwrap());
    let wider = [
        json!({ "capabilities": ["current_time", "web_fetch"] }),
        json!({ "tool_rules": [] }),
        json!({ "budget": null }),
    ];
    for change in &wider {
        carla.call("PATCH", &path).json(change).send().await.refused(403, "confirmation_required");
        let by_key = house.anonymous("PATCH", &path).key(&key).json(change).send().await;
        by_key.refused(403, "scope_insufficient");
    }
    let line = json!({ "line": "/agent configure gardener tool_rules=[]" });
    carla.call("POST", "/v1/commands").json(&line).send().await.refused(403, "confirmation_required");
    let made = json!({ "name": "fetcher", "capabilities": ["web_fetch"] });
    house
        .anonymous("POST", "/v1/agents")
        .key(&key)
        .json(&made)
        .send()
        .await
        .refused(403, "scope_insufficient");
    let now = carla.call("GET", &path).send().await.expect(200);
    for field in ["capabilities", "tool_rules", "budget"] {
        assert_eq!(now[field], agent[field], "nothing has changed");
    }
    // Everything else is as easy as ever.
    let same = json!({ "system_prompt": "You know plants.", "capabilities": ["current_time", "session_file_system"] });
    house.anonymous("PATCH", &path).key(&key).json(&same).send().await.expect(200);
    let stricter = json!({ "budget": { "per_day_microusd": 4 } });
    carla.call("PATCH", &path).json(&stricter).send().await.expect(200);
    // The control.
    carla.confirm().await;
    for change in &wider {
        carla.call("PATCH", &path).json(change).send().await.expect(200);
    }
    carla.call("DELETE", &path).send().await;
    let audit = carla.call("GET", "/v1/audit").send().await.expect(200);
    let mut told = actions(&audit);
    told.retain(|action| action.starts_with("agent."));
    told.sort_unstable();
    let changed = ["agent.changed"; 5];
    assert_eq!(told, [&changed[..], &["agent.created", "agent.deleted"]].concat());
    let by_key = audit["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|entry| entry["detail"]["fields"] == json!(["capabilities", "system_prompt"]));
    let actor = by_key.unwrap()["actor"].as_str().unwrap();
    assert!(actor.contains(" by key_"), "{actor}");
}

/// ATTACK: a key makes an exception from a deny, and then says yes to what is asked.
#[tokio::test]
async fn an_exception_from_a_stricter_rule_takes_a_confirmed_login() {
    let house = House::new().await;
    let carla = house.resident("carla", UserRole::Member).await;
    let key = house.issue(carla.id, Scope::Full).await;
    let agents = carla.call("GET", "/v1/agents").send().await.expect(200);
    let new = json!({ "agent_id": agents["items"][0]["id"] });
    let session = carla.call("POST", "/v1/sessions").json(&new).send().await.expect(201)["id"].clone();
    let rule =
        |subject: &Value, action: &str| json!({ "subject": subject, "tool": "bash", "action": action });
    let me = json!(carla.id.to_string());
    let make = |body: &Value| house.anonymous("POST", "/v1/rules").key(&key).json(body);
    make(&rule(&session, "ask")).send().await.expect(201);
    let denied = make(&rule(&me, "deny")).send().await.expect(201);
    let agent = agents["items"][0]["id"].clone();
    make(&rule(&agent, "ask")).send().await.refused(403, "scope_insufficient");
    let again = carla.call("POST", "/v1/rules").json(&rule(&agent, "ask"));
    again.send().await.refused(403, "confirmation_required");
    let path = format!("/v1/rules/{}", denied["id"].as_str().unwrap());
    house.anonymous("DELETE", &path).key(&key).send().await.refused(403, "scope_insufficient");
    make(&rule(&agent, "deny")).send().await.expect(201);
    // The control.
    carla.confirm().await;
    carla.call("POST", "/v1/rules").json(&rule(&agent, "ask")).send().await.expect(201);
}
