//! What is set for the whole house.

use crate::support::{House, Options};
use domain::UserRole;
use engine::Settings;
use serde_json::json;
use testkit::model::Reply;

fn system(house: &House) -> String {
    house.model.last_request().unwrap().raw
}

async fn say(house: &House, session: &str) {
    let path = format!("/v1/sessions/{session}/messages");
    house.call("POST", &path).json(&json!({ "content": "Hi" })).send().await.expect(200);
}

#[tokio::test]
async fn every_agent_is_told_what_the_house_says() {
    let mut settings = Settings::default();
    settings.prompt.custom = "We eat at seven.".to_owned();
    let house = House::with(Options { engine: settings, ..Options::default() }).await;
    house.model.respond(|_| Reply::text("Hello"));
    let session = house.session().await;
    let shown = house.call("GET", "/v1/house").send().await.expect(200);
    assert_eq!(shown, json!({ "custom_prompt": "We eat at seven.", "is_set": false }));
    say(&house, &session).await;
    assert!(system(&house).contains("We eat at seven."));

    let body = json!({ "custom_prompt": "Shoes off." });
    let set = house.call("PUT", "/v1/house").json(&body).send().await.expect(200);
    assert_eq!(set, json!({ "custom_prompt": "Shoes off.", "is_set": true }));
    say(&house, &session).await;
    assert!(system(&house).contains("Shoes off.") && !system(&house).contains("seven"));
    let audit = house.call("GET", "/v1/audit").send().await.expect(200);
    let entry = &audit["items"][0];
    assert_eq!((&entry["action"], &entry["detail"]["characters"]), (&json!("house.changed"), &json!(10)));

    house.call("PUT", "/v1/house").json(&json!({ "custom_prompt": null })).send().await.expect(200);
    say(&house, &session).await;
    assert!(system(&house).contains("We eat at seven."));
    for body in [json!({}), json!({ "custom_prompt": 5 }), json!({ "custom_prompt": "x", "y": 1 })] {
        house.call("PUT", "/v1/house").json(&body).send().await.refused(400, "bad_field");
    }
    let long = json!({ "custom_prompt": "x".repeat((1 << 20) + 1) });
    house.call("PUT", "/v1/house").json(&long).send().await.refused(413, "too_large");
    let (_, member) = house.person("Bea", UserRole::Member).await;
    house.call("GET", "/v1/house").key(&member).send().await.refused(403, "role_insufficient");
    house.call("PUT", "/v1/house").key(&member).json(&body).send().await.refused(403, "role_insufficient");
}
