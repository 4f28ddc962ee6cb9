//! Providers over the API: for admins, with keys that go in and never come out.

use crate::support::House;
use domain::{Scope, UserRole};
use serde_json::{Value, json};
use testkit::model::{ModelServer, Reply};

const KEY: &str = "sk-ant-0123456789-never-shown";

fn second(server: &ModelServer) -> Value {
    json!({ "wire": "anthropic", "base_url": server.root_url(), "api_key": KEY })
}

#[tokio::test]
async fn a_provider_is_added_tested_used_and_removed() {
    let house = House::new().await;
    let server = ModelServer::start().await;
    server.models(["claude"]);
    let tested =
        house.call("POST", "/v1/providers/second/test").json(&second(&server)).send().await.expect(200);
    assert_eq!((&tested["status"], &tested["models"]), (&json!("reachable"), &json!(["claude"])));
    let unknown = house.call("POST", "/v1/providers/second/test").json(&json!({})).send().await;
    unknown.refused(404, "not_found");

    let stored = house.call("PUT", "/v1/providers/second").json(&second(&server)).send().await.expect(200);
    assert_eq!((&stored["has_api_key"], &stored["origin"]), (&json!(true), &json!("stored")));
    let list = house.call("GET", "/v1/providers").send().await.expect(200);
    assert_eq!((&list["total"], &list["items"][1]["name"]), (&json!(2), &json!("second")));
    let models = house.call("GET", "/v1/models").send().await.expect(200);
    let model = models["items"].as_array().unwrap().iter().find(|model| model["id"] == "second/claude");
    assert!(model.is_some(), "{models}");
    for shown in [tested, stored, list, models] {
        assert!(!shown.to_string().contains(KEY));
    }

    server.models_reply(
        Reply::status(401).body(json!({"error": {"message": format!("bad key {KEY}")}}).to_string()),
    );
    let failed = house.call("POST", "/v1/providers/second/test").json(&json!({})).send().await.expect(200);
    assert_eq!(failed["status"], "failed");
    assert!(failed["advice"].as_str().unwrap().contains("API key") && !failed.to_string().contains(KEY));

    assert_eq!(house.call("DELETE", "/v1/providers/second").send().await.status, 204);
    house.call("DELETE", "/v1/providers/second").send().await.refused(404, "not_found");
    house.call("DELETE", "/v1/providers/test").send().await.refused(409, "provider_fixed");
}

/// A price can be given for a provider and for its models, and is what a budget counts with.
#[tokio::test]
async fn a_price_is_given_for_a_provider_and_for_a_model() {
    let house = House::new().await;
    let server = ModelServer::start().await;
    server.models(["small", "large", "gift"]);
    let price = |input: u64, output: u64| json!({ "input": input, "output": output });
    let fields = json!({ "base_url": server.url(), "price": price(1_000_000, 2_000_000),
        "prices": { "large": price(3_000_000, 15_000_000), "gift": "free" } });
    let stored = house.call("PUT", "/v1/providers/second").json(&fields).send().await.expect(200);
    assert_eq!(
        (&stored["price"]["input"], &stored["prices"]["large"]["output"]),
        (&json!(1_000_000), &json!(15_000_000))
    );
    let models = house.call("GET", "/v1/models").send().await.expect(200);
    let of = |id: &str| {
        let found = models["items"].as_array().unwrap().iter().find(|model| model["id"] == id).unwrap();
        (found["price"]["input"].clone(), found["price"]["output"].clone())
    };
    assert_eq!(of("second/small"), (json!(1_000_000), json!(2_000_000)));
    assert_eq!(of("second/large"), (json!(3_000_000), json!(15_000_000)));
    assert_eq!(of("second/gift"), (json!(0), json!(0)));
    server.respond(|_| Reply::text("Hello.").usage(1_000, 100, 0));
    let agent =
        json!({ "name": "spender", "model": "second/large", "budget": { "per_day_microusd": 100_000 } });
    let agent = house.call("POST", "/v1/agents").json(&agent).send().await.expect(201);
    let session =
        house.call("POST", "/v1/sessions").json(&json!({ "agent_id": agent["id"] })).send().await.expect(201);
    let path = format!("/v1/sessions/{}/messages", session["id"].as_str().unwrap());
    let said = house.call("POST", &path).json(&json!({ "content": "Hi" })).send().await.expect(200);
    assert_eq!(said["reply"], "Hello.", "{said}");
    let usage = house.call("GET", "/v1/usage?by=model").send().await.expect(200);
    assert_eq!(usage["items"][0]["cost_microusd"], 3_000 + 1_500, "{usage}");
    // The control: what was not given any longer does not count any longer.
    let plain = json!({ "base_url": server.url() });
    let stored = house.call("PUT", "/v1/providers/second").json(&plain).send().await.expect(200);
    assert_eq!((&stored["price"], &stored["prices"]), (&Value::Null, &json!({})));
}

#[tokio::test]
async fn bad_settings_are_named() {
    let house = House::new().await;
    for (name, body, code) in [
        ("x", json!({}), "bad_provider"),
        ("x", json!({ "base_url": "ftp://x" }), "bad_provider"),
        ("x", json!({ "base_url": "http://me:secret@x" }), "bad_provider"),
        ("x", json!({ "base_url": "http://127.0.0.1:9", "wire": "soap" }), "bad_field"),
        ("x", json!({ "base_url": "http://127.0.0.1:9", "key": "y" }), "bad_field"),
        ("x", json!({ "base_url": "http://127.0.0.1:9", "price": 3 }), "bad_field"),
        ("x", json!({ "base_url": "http://127.0.0.1:9", "price": "cheap" }), "bad_field"),
        ("x", json!({ "base_url": "http://127.0.0.1:9", "price": { "input": 1 } }), "bad_field"),
        (
            "x",
            json!({ "base_url": "http://127.0.0.1:9", "price": { "input": -1, "output": 1 } }),
            "bad_field",
        ),
        (
            "x",
            json!({ "base_url": "http://127.0.0.1:9", "price": { "input": 1, "output": 1, "x": 1 } }),
            "bad_field",
        ),
        (
            "x",
            json!({ "base_url": "http://127.0.0.1:9", "price": { "input": 1, "output": 2_000_000_000_000_u64 } }),
            "bad_provider",
        ),
        ("x", json!({ "base_url": "http://127.0.0.1:9", "prices": { "": "free" } }), "bad_provider"),
        ("x", json!({ "base_url": "http://127.0.0.1:9", "prices": { "m": 3 } }), "bad_field"),
        ("demo", json!({ "base_url": "http://127.0.0.1:9" }), "bad_name"),
        ("a%2Fb", json!({ "base_url": "http://127.0.0.1:9" }), "bad_name"),
    ] {
        let path = format!("/v1/providers/{name}");
        let answer = house.call("PUT", &path).json(&body).send().await;
        assert!(!String::from_utf8_lossy(&answer.bytes).contains("secret"));
        answer.refused(400, code);
    }
    house.call("PUT", "/v1/providers/test").json(&json!({})).send().await.refused(409, "provider_fixed");
}

#[tokio::test]
async fn only_admins_see_and_change_them() {
    let house = House::new().await;
    let (_, member) = house.person("Bob", UserRole::Member).await;
    let (admin, _) = house.person("Eve", UserRole::Admin).await;
    let admin = house.issue(admin, Scope::Full).await;
    for (method, path) in [
        ("GET", "/v1/providers"),
        ("PUT", "/v1/providers/x"),
        ("DELETE", "/v1/providers/x"),
        ("POST", "/v1/providers/x/test"),
    ] {
        let as_person = |key: &str| {
            let call = house.anonymous(method, path).key(key);
            if method == "GET" || method == "DELETE" { call } else { call.json(&json!({})) }
        };
        as_person(&member).send().await.refused(403, "role_insufficient");
        assert_ne!(as_person(&admin).send().await.status, 403, "{method} {path}");
    }
}

#[tokio::test]
async fn what_was_spent_is_ones_own_and_everybodys_for_admins() {
    let house = House::new().await;
    house.model.respond(|_| Reply::text("Hello.").usage(100, 10, 0));
    let session = house.session().await;
    let path = format!("/v1/sessions/{session}/messages");
    house.call("POST", &path).json(&json!({ "content": "Hi" })).send().await.expect(200);
    let (_, member) = house.person("Bob", UserRole::Member).await;
    for by in ["day", "user", "agent", "session", "turn", "model"] {
        let path = format!("/v1/usage?by={by}");
        let line = house.call("GET", &path).send().await.expect(200)["items"][0].clone();
        assert_eq!((&line["input_tokens"], &line["output_tokens"]), (&json!(100), &json!(10)), "{by}");
        assert_eq!(
            (&line["calls"], &line["cost_microusd"]),
            (&json!(1), &json!(0)),
            "what is at home is free"
        );
        let others = house.anonymous("GET", &path).key(&member).send().await.expect(200);
        assert_eq!(others["items"], json!([]), "{by}");
    }
    let mine = house.call("GET", "/v1/usage?mine=true&by=model").send().await.expect(200);
    assert_eq!(mine["items"][0]["key"], "test/scripted");
    for bad in ["by=mood", "from=yesterday", "to=2026-13-01", "mine=perhaps", "from=2000-01-01", "unknown=1"]
    {
        house.call("GET", &format!("/v1/usage?{bad}")).send().await.refused(400, "bad_query");
    }
}
