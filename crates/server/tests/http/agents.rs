use crate::support::{House, shape};
use serde_json::{Value, json};

fn plain(name: &str) -> Value {
    json!({
        "id": "<agent>", "name": name, "status": "active", "model": null, "system_prompt": "", "prompt_tree": null,
        "capabilities": [], "allowed_tools": ["*"], "markup": { "mode": "on", "assertions": false }, "handler": "basic", "parameters": {}, "shared_with": [],
        "tool_rules": [], "budget": {},
        "limits": { "steps": 25, "calls_per_step": 32, "wall_seconds": 1800, "output_tokens": 200_000, "depth": 2,
            "compact_at": 70, "width": 16 },
        "created_at": "<time>", "updated_at": "<time>", "works_with_files": false,
    })
}

#[tokio::test]
async fn an_agent_lives_from_its_creation_to_its_deletion() {
    let house = House::new().await;
    let agent = house.call("POST", "/v1/agents").json(&json!({ "name": "cook" })).send().await.expect(201);
    assert_eq!(shape(&agent), plain("cook"));
    let path = format!("/v1/agents/{}", agent["id"].as_str().unwrap());
    assert_eq!(house.call("GET", &path).send().await.expect(200), agent);

    let change =
        json!({ "system_prompt": "Be brief.", "capabilities": ["test_math"], "limits": { "steps": 3 } });
    let changed = house.call("PATCH", &path).json(&change).send().await.expect(200);
    assert_eq!(changed["system_prompt"], "Be brief.");
    assert_eq!(changed["capabilities"], json!(["test_math"]));
    assert_eq!(changed["limits"]["steps"], 3);
    let reset = json!({ "system_prompt": null, "capabilities": null, "limits": null });
    let back = house.call("PATCH", &path).json(&reset).send().await.expect(200);
    assert_eq!(shape(&back), plain("cook"));

    let gone = house.call("DELETE", &path).send().await;
    assert_eq!((gone.status, gone.bytes.len()), (204, 0));
    house.call("GET", &path).send().await.refused(404, "not_found");
    house.call("DELETE", &path).send().await.refused(404, "not_found");
}

#[tokio::test]
async fn a_list_comes_in_pieces() {
    let house = House::new().await;
    for name in ["one", "two", "three"] {
        house.call("POST", "/v1/agents").json(&json!({ "name": name })).send().await.expect(201);
    }
    let mut names = Vec::new();
    let mut path = "/v1/agents?limit=2".to_owned();
    loop {
        let page = house.call("GET", &path).send().await.expect(200);
        assert_eq!(page["total"], 4);
        names.extend(
            page["items"].as_array().unwrap().iter().map(|agent| agent["name"].as_str().unwrap().to_owned()),
        );
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/v1/agents?limit=2&cursor={cursor}");
    }
    names.sort();
    assert_eq!(names, ["main", "one", "three", "two"]);
}

/// EVERRUNS-02: the order is the agent's, and can be changed.
#[tokio::test]
async fn capabilities_keep_their_order() {
    let house = House::new().await;
    let body = json!({ "name": "a", "capabilities": ["test_math", "current_time"] });
    let agent = house.call("POST", "/v1/agents").json(&body).send().await.expect(201);
    assert_eq!(agent["capabilities"], json!(["test_math", "current_time"]));
    let path = format!("/v1/agents/{}", agent["id"].as_str().unwrap());
    let settings = json!({ "id": "session_file_system", "settings": { "read_only": true } });
    let other = json!({ "capabilities": ["current_time", settings, "test_math"] });
    let changed = house.call("PATCH", &path).json(&other).send().await.expect(200);
    assert_eq!(changed["capabilities"], other["capabilities"]);
    let wrong = json!({ "capabilities": [{ "id": "session_file_system", "settings": { "colour": 1 } }] });
    let detail = house.call("PATCH", &path).json(&wrong).send().await.refused(400, "bad_capabilities");
    assert!(detail.contains("session_file_system") && detail.contains("colour"), "{detail}");
}

/// EVERRUNS-03: 400 when the agent is saved.
#[tokio::test]
async fn what_cannot_be_saved_is_refused() {
    let house = House::new().await;
    let create = async |body: Value| house.call("POST", "/v1/agents").json(&body).send().await;
    create(json!({})).await.refused(400, "missing_name");
    create(json!({ "name": "  " })).await.refused(400, "bad_name");
    create(json!({ "name": "main" })).await.refused(409, "name_taken");
    create(json!({ "name": "a", "model": "nobody/nothing" })).await.refused(400, "unknown_model");
    let detail =
        create(json!({ "name": "a", "capabilities": ["nothing"] })).await.refused(400, "bad_capabilities");
    assert!(detail.contains("nothing"), "{detail}");
    let detail = create(json!({ "name": "a", "limits": { "steps": 0 } })).await.refused(400, "bad_limits");
    assert!(detail.contains("limits.steps"), "{detail}");

    let main = format!("/v1/agents/{}", house.main_agent().await);
    house.call("DELETE", &main).send().await.refused(409, "main_agent");
    house.call("PATCH", &main).json(&json!({ "name": "other" })).send().await.refused(409, "main_agent");
}

#[tokio::test]
async fn what_the_model_would_be_told_is_shown_to_those_who_may_change_the_agent() {
    let house = House::new().await;
    let tree = json!({ "nodes": [{ "id": "mine", "text": "Mine." }] });
    let fields = json!({ "name": "cook", "prompt_tree": tree, "capabilities": ["test_math"] });
    let agent = house.call("POST", "/v1/agents").json(&fields).send().await.expect(201);
    assert_eq!(agent["prompt_tree"]["nodes"][0]["text"], "Mine.");
    let path = format!("/v1/agents/{}/prompt-preview", agent["id"].as_str().unwrap());
    let question = json!({ "text": "Soup?", "at": "2026-11-15T08:00:00Z" });
    let preview = house.call("POST", &path).json(&question).send().await.expect(200);
    let ids: Vec<&str> =
        preview["nodes"].as_array().unwrap().iter().filter_map(|n| n["id"].as_str()).collect();
    assert!(ids.contains(&"mine") && ids.ends_with(&["history", "current_turn"]), "{ids:?}");
    assert_eq!(preview["messages"].as_array().unwrap().last().unwrap()["content"], "Soup?");
    let body: Value = serde_json::from_str(preview["request"].as_str().unwrap()).unwrap();
    assert_eq!(body["stream"], true);

    // As it would be, which it is not.
    let planned = json!({ "text": "Soup?", "changes": { "prompt_tree": null, "system_prompt": "Planned." } });
    let planned = house.call("POST", &path).json(&planned).send().await.expect(200);
    assert!(planned["request"].as_str().unwrap().contains("Planned."), "{planned}");
    let saved = format!("/v1/agents/{}", agent["id"].as_str().unwrap());
    assert_eq!(house.call("GET", &saved).send().await.expect(200)["system_prompt"], "");
    let wrong = json!({ "changes": { "capabilities": ["nothing"] } });
    house.call("POST", &path).json(&wrong).send().await.refused(400, "bad_capabilities");

    // Somebody else's conversation is not there.
    let other = house.resident("other", domain::UserRole::Member).await;
    let theirs = other.call("POST", "/v1/agents").json(&json!({ "name": "spy" })).send().await.expect(201);
    let session =
        house.call("POST", "/v1/sessions").json(&json!({ "agent_id": agent["id"] })).send().await.expect(201);
    let path = format!("/v1/agents/{}/prompt-preview", theirs["id"].as_str().unwrap());
    let asked = other.call("POST", &path).json(&json!({ "session_id": session["id"] })).send().await;
    assert_eq!(asked.status, 404);

    let twice = json!({ "name": "x", "prompt_tree": { "nodes": [{ "id": "a" }, { "id": "a" }] } });
    let refused = house.call("POST", "/v1/agents").json(&twice).send().await;
    assert_eq!((refused.status, refused.json()["code"].as_str()), (400, Some("bad_prompt_tree")));
}
