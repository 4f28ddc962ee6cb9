//! Health, oneself, models, capabilities, and the shape of every answer.

use crate::support::{House, Options, shape};
use domain::UserRole;
use serde_json::json;

#[tokio::test]
async fn health_needs_no_key() {
    let house = House::new().await;
    assert_eq!(house.anonymous("GET", "/healthz").send().await.expect(200), json!({ "status": "ok" }));
    assert_eq!(house.anonymous("GET", "/readyz").send().await.expect(200), json!({ "status": "ready" }));
}

#[tokio::test]
async fn me_is_who_the_key_belongs_to() {
    let house = House::new().await;
    let me = house.call("GET", "/v1/me").send().await.expect(200);
    let expected = json!({ "id": "<user>", "name": "Ada", "role": "owner", "time_zone": "UTC", "language": "en",
        "budget": { "house": {}, "own": {} }, "about_me": "" });
    assert_eq!(shape(&me), expected);
    assert_eq!(house.call("GET", "/api/me").send().await.expect(200), me);
}

#[tokio::test]
async fn models_have_window_price_and_abilities() {
    let house = House::new().await;
    let models = house.call("GET", "/v1/models").send().await.expect(200);
    assert_eq!((&models["total"], &models["next_cursor"]), (&json!(2), &json!(null)));
    let first = &models["items"][0];
    assert_eq!((&first["id"], &first["provider"]), (&json!("test/scripted"), &json!("test")));
    assert_eq!(first["price"], json!({ "input": 0, "cached": 0, "stored": 0, "output": 0 }));
    assert_eq!(first["abilities"], json!(["tools"]));
    assert!(first["window"].as_u64().unwrap() > 0);
    assert_eq!(models["items"][1]["id"], "demo");
    assert_eq!((&first["default"], &models["items"][1]["default"]), (&json!(true), &json!(false)));
}

/// EVERRUNS-01
#[tokio::test]
async fn capabilities_are_listed_in_their_order_and_found_by_id() {
    let house = House::new().await;
    let list = house.call("GET", "/v1/capabilities").send().await.expect(200);
    let ids: Vec<&str> =
        list["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect();
    assert_eq!(
        ids,
        [
            "noop",
            "current_time",
            "research",
            "sandbox",
            "session_file_system",
            "attachments",
            "test_math",
            "test_weather",
            "stateless_todo_list",
            "web_fetch",
            "web_search",
            "prompt_response_handler",
            "colleagues",
            "knowledge",
            "schedules",
            "search",
            "_onstart_household",
            "_decision",
            "_handover",
            "_weekly_review",
            "commands"
        ]
    );
    assert_eq!((&list["total"], &list["next_cursor"]), (&json!(21), &json!(null)));
    let one = house.call("GET", "/v1/capabilities/test_math").send().await.expect(200);
    assert_eq!(one, list["items"][6]);
    assert_eq!(
        (&one["source"], &one["risk"], &one["dependencies"]),
        (&json!("builtin"), &json!("low"), &json!([]))
    );
    let files = &list["items"][4];
    assert_eq!(files["features"], json!(["files"]));
    assert_eq!(files["settings_schema"]["properties"]["read_only"]["type"], "boolean");
    house.call("GET", "/v1/capabilities/nothing").send().await.refused(404, "not_found");
    house.call("GET", "/v1/capabilities/%ff").send().await.refused(404, "not_found");
}

/// On SQLite there is one, which needs no lease and whose own clock counts.
#[tokio::test]
async fn an_admin_sees_the_server() {
    let house = House::new().await;
    let list = house.call("GET", "/v1/nodes").send().await.expect(200);
    let node = &list["items"][0];
    assert_eq!(list["total"], 1);
    assert_eq!(
        (&node["status"], &node["is_this"], &node["running_turns"]),
        (&json!("serving"), &json!(true), &json!(0))
    );
    assert_eq!(node["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!((&node["lease_left_ms"], &node["clock_ahead_ms"]), (&json!(null), &json!(null)));
    let (_, admin) = house.person("Cem", UserRole::Admin).await;
    house.call("GET", "/v1/nodes").key(&admin).send().await.expect(200);
    let (_, member) = house.person("Bea", UserRole::Member).await;
    house.call("GET", "/v1/nodes").key(&member).send().await.refused(403, "role_insufficient");
}

/// Where everything in a body may be left out, the body may.
#[tokio::test]
async fn a_body_with_nothing_in_it_may_be_left_out() {
    let folder = tempfile::TempDir::new().unwrap();
    let backups =
        engine::BackupSettings { folder: Some(folder.path().to_owned()), every: None, thin_out: false };
    let engine = engine::Settings { backups, ..engine::Settings::default() };
    let house = House::with(Options { engine, ..Options::default() }).await;
    assert_eq!(house.call("POST", "/v1/backups").send().await.expect(201)["status"], "verified");
    let session = house.session().await;
    house.call("POST", &format!("/v1/sessions/{session}/fork")).send().await.expect(201);
    house.control("POST", "/v1/api-keys").send().await.expect(201);
    // A body that is there is read.
    house
        .call("POST", "/v1/backups")
        .body("text/plain", "x")
        .send()
        .await
        .refused(415, "unsupported_media_type");
    house.call("POST", "/v1/backups").body("application/json", "").send().await.refused(400, "bad_json");
    house.call("POST", "/v1/agents").send().await.refused(415, "unsupported_media_type");
}
