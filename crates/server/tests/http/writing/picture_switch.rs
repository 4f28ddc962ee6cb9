//! A switch per model says that it sees pictures, where a person knows it better than the program. The scripted server
//! records what it was sent.

use crate::support::House;
use serde_json::{Value, json};
use testkit::model::{ModelServer, Reply};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0";

async fn house() -> (House, ModelServer) {
    let house = House::new().await;
    let server = ModelServer::start().await;
    server.models(["home", "other"]);
    server.respond(|_| Reply::text("A cat."));
    house
        .call("PUT", "/v1/providers/second")
        .json(&json!({ "base_url": server.url() }))
        .send()
        .await
        .expect(200);
    (house, server)
}

async fn upload(house: &House) -> Value {
    let mut body = b"--B\r\ncontent-disposition: form-data; name=\"file\"; filename=\"cat.png\"\r\n\
        content-type: image/png\r\n\r\n"
        .to_vec();
    body.extend_from_slice(PNG);
    body.extend_from_slice(b"\r\n--B--\r\n");
    let call = house.call("POST", "/v1/uploads").body("multipart/form-data; boundary=B", body);
    call.send().await.expect(201)
}

async fn abilities(house: &House, id: &str) -> Value {
    let models = house.call("GET", "/v1/models").send().await.expect(200);
    let found = models["items"].as_array().unwrap().iter().find(|model| model["id"] == id);
    found.unwrap_or_else(|| panic!("{models}"))["abilities"].clone()
}

#[tokio::test]
async fn a_picture_goes_to_a_model_that_was_told_it_can_see_and_to_no_other() {
    let (house, server) = house().await;
    let path = format!("/v1/sessions/{}/messages", house.session().await);
    let picture = upload(&house).await;
    let look = |model: &str| json!({ "content": "Look", "model": model, "attachments": [{ "upload_id": picture["id"] }] });
    let refused = house.call("POST", &path).json(&look("second/home")).send().await;
    refused.refused(400, "model_cannot_see");

    let switch = json!({ "images": { "home": true } });
    let changed = house.call("PATCH", "/v1/providers/second").json(&switch).send().await.expect(200);
    assert_eq!(
        (&changed["images"], &changed["models"]),
        (&json!({ "home": true }), &json!(["home", "other"]))
    );
    assert_eq!(abilities(&house, "second/home").await, json!(["tools", "images"]));
    assert_eq!(abilities(&house, "second/other").await, json!(["tools"]));
    house.call("POST", &path).json(&look("second/home")).send().await.expect(200);
    assert!(server.last_request().unwrap().raw.contains("image_url"));
    house.call("POST", &path).json(&look("second/other")).send().await.refused(400, "model_cannot_see");

    // What is said of the provider otherwise leaves the switches as they are; an admin switches one off, and back.
    let again = json!({ "base_url": server.url(), "price": "free" });
    let stored = house.call("PUT", "/v1/providers/second").json(&again).send().await.expect(200);
    assert_eq!(stored["images"], json!({ "home": true }));
    let off = json!({ "images": { "home": null } });
    let changed = house.call("PATCH", "/v1/providers/second").json(&off).send().await.expect(200);
    assert_eq!((&changed["images"], &changed["price"]["input"]), (&json!({}), &json!(0)));
    house.call("POST", &path).json(&look("second/home")).send().await.refused(400, "model_cannot_see");
}

#[tokio::test]
async fn a_model_that_was_told_it_cannot_see_is_shown_none() {
    let (house, _server) = house().await;
    assert_eq!(abilities(&house, "second/home").await, json!(["tools"]));
    let fields = json!({ "images": { "llava": false } });
    house.call("PATCH", "/v1/providers/second").json(&fields).send().await.expect(200);
    let path = format!("/v1/sessions/{}/messages", house.session().await);
    let picture = upload(&house).await;
    let body = json!({ "content": "Look", "model": "second/llava", "attachments": [{ "upload_id": picture["id"] }] });
    house.call("POST", &path).json(&body).send().await.refused(400, "model_cannot_see");
}

#[tokio::test]
async fn what_cannot_be_switched_is_named() {
    let (house, _server) = house().await;
    let change = async |name: &str, body: Value| {
        house.call("PATCH", &format!("/v1/providers/{name}")).json(&body).send().await
    };
    change("test", json!({ "images": { "scripted": true } })).await.refused(409, "provider_fixed");
    change("nowhere", json!({ "images": {} })).await.refused(404, "not_found");
    for (body, code) in [
        (json!({}), "bad_field"),
        (json!({ "images": { "home": "yes" } }), "bad_field"),
        (json!({ "images": {}, "api_key": "x" }), "bad_field"),
        (json!({ "images": { "": true } }), "bad_provider"),
    ] {
        change("second", body).await.refused(400, code);
    }
}

/// The form that adds a provider is filled in from the same list that the program reads.
#[tokio::test]
async fn vendors_are_listed_with_what_a_form_fills_in() {
    let house = House::new().await;
    let vendors = house.call("GET", "/v1/vendors").send().await.expect(200);
    let of = |name: &str| {
        vendors["items"].as_array().unwrap().iter().find(|vendor| vendor["name"] == name).unwrap().clone()
    };
    let mut anthropic = of("anthropic");
    let preferred = anthropic.as_object_mut().unwrap().remove("preferred").unwrap();
    assert!(preferred.as_array().unwrap().iter().all(|model| model.as_str().unwrap().starts_with("claude-")));
    let form = json!({ "name": "anthropic", "label": "Anthropic", "wire": "anthropic",
        "base_url": "https://api.anthropic.com", "needs_key": true, "key_prefixes": ["sk-ant-"] });
    assert_eq!(anthropic, form);
    assert_eq!(
        (&of("ollama")["base_url"], &of("ollama")["needs_key"]),
        (&json!("http://127.0.0.1:11434/v1"), &json!(false))
    );
    for name in [
        "openai",
        "openrouter",
        "google",
        "mistral",
        "deepseek",
        "groq",
        "xai",
        "lmstudio",
        "llamacpp",
        "vllm",
    ] {
        assert!(of(name)["base_url"].as_str().unwrap().starts_with("http"), "{name}");
    }
}
