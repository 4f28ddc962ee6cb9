//! The default model: of agents that have none of their own, chosen by an admin, on every server of one database.

use crate::support::{House, Options};
use domain::UserRole;
use serde_json::{Value, json};
use testkit::model::{ModelServer, Reply};

const PATH: &str = "/v1/models/default";

async fn add(house: &House, name: &str, model: &str) -> ModelServer {
    let server = ModelServer::start().await;
    server.models([model]);
    let words = model.to_owned();
    server.respond(move |_| Reply::text(words.clone()));
    let body = json!({ "base_url": server.url(), "price": "free" });
    house.call("PUT", &format!("/v1/providers/{name}")).json(&body).send().await.expect(200);
    server
}

async fn say(house: &House, session: &str) -> Value {
    let path = format!("/v1/sessions/{session}/messages");
    house.call("POST", &path).json(&json!({ "content": "Hi" })).send().await.expect(200)
}

async fn choose(house: &House, model: Value) -> Value {
    house.call("PUT", PATH).json(&json!({ "model": model })).send().await.expect(200)
}

#[tokio::test]
async fn an_admin_chooses_the_model_of_agents_that_have_none() {
    let house = House::new().await;
    house.model.respond(|_| Reply::text("scripted"));
    let _second = add(&house, "second", "large").await;
    let session = house.session().await;
    let own = json!({ "name": "stubborn", "model": "test/scripted" });
    let own = house.call("POST", "/v1/agents").json(&own).send().await.expect(201);
    let own = house.session_with(own["id"].as_str().unwrap()).await;
    let shown = house.call("GET", PATH).send().await.expect(200);
    let found = json!({ "model": "test/scripted", "source": "found", "configured": null, "problem": null });
    assert_eq!(shown, found);
    assert_eq!(say(&house, &session).await["reply"], "scripted");

    let set = choose(&house, json!("second/large")).await;
    let chosen = json!({ "model": "second/large", "source": "chosen", "configured": null, "problem": null });
    assert_eq!(set, chosen);
    assert_eq!(say(&house, &session).await["reply"], "large", "without a restart");
    assert_eq!(say(&house, &own).await["reply"], "scripted", "it has one of its own");
    let models = house.call("GET", "/v1/models").send().await.expect(200);
    let named: Vec<&Value> =
        models["items"].as_array().unwrap().iter().filter(|model| model["default"] == true).collect();
    assert_eq!((named.len(), &named[0]["id"]), (1, &json!("second/large")));
    let audit = house.call("GET", "/v1/audit").send().await.expect(200);
    let entry = &audit["items"][0];
    assert_eq!(
        (&entry["action"], &entry["subject"], &entry["detail"]["model"]),
        (&json!("house.changed"), &json!("default_model"), &json!("second/large"))
    );

    assert_eq!(choose(&house, Value::Null).await, found, "back to what holds without a choice");
    assert_eq!(say(&house, &session).await["reply"], "scripted");
    assert_eq!(choose(&house, json!("demo")).await["model"], "demo");
}

/// No other model is taken for it: it may cost more, and another vendor would read what was meant for this one.
#[tokio::test]
async fn without_its_provider_agents_say_so_and_no_other_model_answers() {
    let house = House::new().await;
    house.model.respond(|_| Reply::text("scripted"));
    let _second = add(&house, "second", "large").await;
    choose(&house, json!("second/large")).await;
    let session = house.session().await;
    house.call("DELETE", "/v1/providers/second").send().await;
    let shown = house.call("GET", PATH).send().await.expect(200);
    assert_eq!((&shown["model"], &shown["source"]), (&json!("second/large"), &json!("chosen")));
    assert!(shown["problem"].as_str().unwrap().contains("Settings, Models"), "{shown}");
    let before = house.model.request_count();
    let said = say(&house, &session).await.to_string();
    assert!(said.contains("default model") && said.contains("Settings, Models"), "{said}");
    assert_eq!(house.model.request_count(), before, "nothing was sent elsewhere");
    choose(&house, Value::Null).await;
    assert_eq!(say(&house, &session).await["reply"], "scripted");
}

#[tokio::test]
async fn bad_choices_and_other_people_are_refused() {
    let house = House::new().await;
    for (body, code) in [
        (json!({}), "bad_field"),
        (json!({ "model": 5 }), "bad_field"),
        (json!({ "model": "demo", "more": 1 }), "bad_field"),
        (json!({ "model": "" }), "unknown_model"),
        (json!({ "model": "nowhere/large" }), "unknown_model"),
    ] {
        house.call("PUT", PATH).json(&body).send().await.refused(400, code);
    }
    let (_, member) = house.person("Bea", UserRole::Member).await;
    house.anonymous("GET", PATH).key(&member).send().await.expect(200);
    let put = house.anonymous("PUT", PATH).key(&member).json(&json!({ "model": "demo" }));
    put.send().await.refused(403, "role_insufficient");
}

/// Two servers on one database: the second one uses what was changed on the first, although neither was started again and
/// the second has never heard of the provider.
async fn two_servers(url: String) {
    let first = House::with(Options { url: Some(url.clone()), ..Options::default() }).await;
    let mut second = House::with(Options { url: Some(url), empty: true, ..Options::default() }).await;
    second.key.clone_from(&first.key);
    second.model.respond(|_| Reply::text("scripted"));
    let session = second.session().await;
    assert_eq!(say(&second, &session).await["reply"], "scripted");
    let _third = add(&first, "third", "large").await;
    choose(&first, json!("third/large")).await;
    assert_eq!(say(&second, &session).await["reply"], "large");
    let shown = second.call("GET", PATH).send().await.expect(200);
    assert_eq!((&shown["model"], &shown["problem"]), (&json!("third/large"), &Value::Null));
    choose(&first, Value::Null).await;
    let shown = second.call("GET", PATH).send().await.expect(200);
    assert_eq!(shown["model"], "test/scripted");
    assert_eq!(say(&second, &session).await["reply"], "scripted");
}

#[tokio::test]
async fn a_second_server_sees_the_change() {
    let folder = tempfile::TempDir::new().unwrap();
    two_servers(format!("sqlite:{}", folder.path().join("shared.db").display())).await;
}

#[tokio::test]
async fn a_second_server_on_postgres_sees_the_change() {
    let start = || testkit::postgres::Cluster::shared().unwrap().map(|cluster| cluster.database().unwrap());
    let Some(url) = tokio::task::spawn_blocking(start).await.unwrap() else { return };
    two_servers(url).await;
}
