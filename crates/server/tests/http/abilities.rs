//! What people write for their agents.

use crate::support::{House, shape};
use domain::UserRole;
use serde_json::{Value, json};
use testkit::model::Reply;

fn process(name: &str) -> Value {
    json!({ "name": name, "content": "Write to {{USER_NAME}}." })
}

/// HERO-87
#[tokio::test]
async fn an_ability_lives_from_its_creation_to_its_deletion() {
    let house = House::new().await;
    let made = house.call("POST", "/v1/abilities").json(&process("letter")).send().await.expect(201);
    assert_eq!(
        shape(&made),
        json!({
            "id": "<ability>", "name": "letter", "type": "process", "content": "Write to {{USER_NAME}}.",
            "description": "", "tags": [], "danger": "safe", "startup": false,
            "created_at": "<time>", "updated_at": "<time>",
        })
    );
    let path = format!("/v1/abilities/{}", made["id"].as_str().unwrap());
    assert_eq!(house.call("GET", &path).send().await.expect(200), made);
    let listed = house.call("GET", "/v1/abilities").send().await.expect(200);
    assert_eq!(listed, json!({ "items": [made], "total": 1, "next_cursor": null }));
    let capability = house.call("GET", "/v1/capabilities/letter").send().await.expect(200);
    assert_eq!((&capability["source"], &capability["risk"]), (&json!("user"), &json!("low")));

    let other = json!({
        "name": "bills", "type": "conditional", "content": "Ask.", "condition": "words('bill')",
        "description": "About bills", "category": "Money", "tags": ["a"], "danger": "dangerous",
    });
    let changed = house.call("PUT", &path).json(&other).send().await.expect(200);
    assert_eq!((&changed["id"], &changed["condition"]), (&made["id"], &json!("words('bill')")));
    house.call("GET", "/v1/capabilities/letter").send().await.refused(404, "not_found");
    let help = house.call("GET", "/v1/help?category=abilities").send().await.expect(200);
    assert!(help.to_string().contains("bills"), "{help}");
    assert_eq!(house.call("DELETE", &path).send().await.status, 204);
    for method in ["GET", "DELETE"] {
        house.call(method, &path).send().await.refused(404, "not_found");
    }
}

/// HERO-87
#[tokio::test]
async fn what_cannot_be_saved_is_refused_in_words() {
    let house = House::new().await;
    let with = |name: &str, value: Value| {
        let mut body = process("x");
        body[name] = value;
        body
    };
    let refused = [
        (with("name", json!("_x")), "bad_name", "reserved"),
        (with("name", json!("Big")), "bad_name", "begin with a letter"),
        (with("content", json!("one\n{% for x in y %}{% endfor %}")), "bad_template", "line 2"),
        (with("content", json!("{{ 'a' * 999999999 }}")), "bad_template", "line 1"),
        (with("content", json!("")), "bad_template", "is empty"),
        (with("content", json!("x".repeat(60_001))), "bad_template", "at most"),
        (with("type", json!("conditional")), "bad_condition", "needs one"),
        (with("condition", json!("true")), "bad_condition", "cannot be used in a process"),
        (with("tags", json!(["a,b"])), "bad_ability", "tags"),
        (with("danger", json!("deadly")), "bad_field", "danger"),
        (with("colour", json!("red")), "bad_field", "colour"),
    ];
    for (body, code, words) in refused {
        let detail = house.call("POST", "/v1/abilities").json(&body).send().await.refused(400, code);
        assert!(detail.contains(words), "{words}: {detail}");
    }
    let mut conditional = with("type", json!("conditional"));
    conditional["condition"] = json!("hour >= 9 and weather('sun')");
    let detail =
        house.call("POST", "/v1/abilities").json(&conditional).send().await.refused(400, "bad_condition");
    assert!(detail.contains("character 15"), "{detail}");
    house.call("POST", "/v1/abilities").json(&process("x")).send().await.expect(201);
    for taken in ["x", "current_time"] {
        house.call("POST", "/v1/abilities").json(&process(taken)).send().await.refused(409, "name_taken");
    }
}

/// HERO-83
#[tokio::test]
async fn names_are_shown_to_nobody_else() {
    let house = House::new().await;
    house.call("POST", "/v1/abilities").json(&process("secret_letter")).send().await.expect(201);
    let agent =
        json!({ "name": "cook", "capabilities": ["current_time", "secret_letter"], "shared_with": ["*"] });
    let agent = house.call("POST", "/v1/agents").json(&agent).send().await.expect(201);
    assert_eq!(agent["capabilities"], json!(["current_time", "secret_letter"]), "the control");
    let path = format!("/v1/agents/{}", agent["id"].as_str().unwrap());
    let grace = house.resident("Grace", UserRole::Member).await;
    let seen = grace.call("GET", &path).send().await.expect(200);
    assert_eq!(seen["capabilities"], json!(["current_time"]));
    for path in ["/v1/abilities", "/v1/capabilities", "/v1/help", "/v1/agents"] {
        let seen = grace.call("GET", path).send().await.expect(200);
        assert!(!seen.to_string().contains("secret_letter"), "{path}: {seen}");
    }
    grace.call("GET", "/v1/capabilities/secret_letter").send().await.refused(404, "not_found");
    let copy = json!({ "name": "copy", "capabilities": ["secret_letter"] });
    let detail = grace.call("POST", "/v1/agents").json(&copy).send().await.refused(400, "bad_capabilities");
    assert_eq!(detail.matches("secret_letter").count(), 1, "only what she said herself: {detail}");
}

/// HERO-26
#[tokio::test]
async fn commands_write_abilities_and_tell_the_beginning_again() {
    let house = House::new().await;
    house.model.respond(|_| Reply::text("Hello"));
    let session = house.session().await;
    let say = async |line: &str| {
        let body = json!({ "line": line, "session_id": session });
        house.call("POST", "/v1/commands").json(&body).send().await
    };
    say("/start").await.refused(409, "no_startup");
    say("/ability create _x Words").await.refused(400, "bad_name");
    say("/ability create manners Be kind.").await.expect(200);
    let shown = say("/ability show manners").await.expect(200);
    assert_eq!(shown["data"]["ability"]["content"], "Be kind.");
    let listed = say("/ability list").await.expect(200);
    assert!(listed["text"].as_str().unwrap().contains("manners"));
    say("/ability edit manners Be kind, always.").await.expect(200);
    say("/ability delete manners").await.expect(200);
    say("/ability show manners").await.refused(404, "not_found");

    let mut start = process("rules");
    start["startup"] = json!(true);
    house.call("POST", "/v1/abilities").json(&start).send().await.expect(201);
    let agent = format!("/v1/agents/{}", house.main_agent().await);
    house.call("PATCH", &agent).json(&json!({ "capabilities": ["rules"] })).send().await.expect(200);
    let started = say("/start").await.expect(200);
    assert_eq!(started["effects"][0]["type"], "follow_turn");
}

#[tokio::test]
async fn what_a_command_says_comes_from_where_it_was_typed() {
    let house = House::new().await;
    house.model.respond(|_| Reply::text("Hello"));
    let mut start = process("rules");
    start["startup"] = json!(true);
    house.call("POST", "/v1/abilities").json(&start).send().await.expect(201);
    let agent = format!("/v1/agents/{}", house.main_agent().await);
    house.call("PATCH", &agent).json(&json!({ "capabilities": ["rules"] })).send().await.expect(200);
    let session = house.session().await;
    let typed = json!({ "line": "/start", "session_id": session });
    house.call("POST", "/v1/commands").json(&typed).send().await.expect(200);
    house.control("POST", "/v1/commands").json(&typed).send().await.expect(200);
    let path = format!("/v1/sessions/{session}/events?types=input_accepted");
    let log = house.call("GET", &path).send().await.expect(200);
    let events = log["items"].as_array().unwrap();
    let sources: Vec<&str> = events.iter().filter_map(|event| event["data"]["source"].as_str()).collect();
    assert_eq!(sources, ["web", "cli"]);
}
