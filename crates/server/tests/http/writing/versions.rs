//! A person changes what they said, or has it answered once more: versions of one conversation, of which the lists have one.

use crate::support::{House, Options};
use domain::UserRole;
use serde_json::{Value, json};
use testkit::model::Reply;

/// The agent says what it was asked last, and how often it was asked anything.
async fn house() -> House {
    let house = House::new().await;
    answering(&house);
    house
}

fn answering(house: &House) {
    let count = std::sync::atomic::AtomicUsize::new(0);
    house.model.respond(move |request| {
        let count = count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Reply::text(format!("{count}: {}", request.last_user()))
    });
}

async fn say(house: &House, session: &str, text: &str) {
    let path = format!("/v1/sessions/{session}/messages");
    house.call("POST", &path).json(&json!({ "content": text })).send().await.expect(200);
}

async fn messages(house: &House, session: &str) -> Vec<Value> {
    let path = format!("/v1/sessions/{session}/messages");
    house.call("GET", &path).send().await.expect(200)["items"].as_array().unwrap().clone()
}

/// What the person said in it.
async fn said(house: &House, session: &str) -> Vec<String> {
    let all = messages(house, session).await;
    let own = all.iter().filter(|one| one["role"] == "user");
    own.map(|one| one["content"].as_str().unwrap().to_owned()).collect()
}

/// The `seq` of what the person said there.
async fn seq(house: &House, session: &str, text: &str) -> u64 {
    let all = messages(house, session).await;
    all.iter().find(|one| one["content"] == text).unwrap()["seq"].as_u64().unwrap()
}

/// Puts words in the place of others, and waits for their answer.
async fn change(house: &House, session: &str, before: &str, after: Option<&str>) -> String {
    let seq = seq(house, session, before).await;
    let path = format!("/v1/sessions/{session}/versions");
    let body = match after {
        Some(after) => json!({ "seq": seq, "content": after }),
        None => json!({ "seq": seq }),
    };
    let made = house.call("POST", &path).json(&body).send().await.expect(201);
    let id = made["session"]["id"].as_str().unwrap().to_owned();
    house.until_ended(&id, made["turn_id"].as_str().unwrap().parse().unwrap()).await;
    id
}

/// At which words there are versions: which session each is, and which of them this is.
async fn versions(house: &House, session: &str) -> Vec<(String, Vec<String>, u64)> {
    let listed = house.call("GET", &format!("/v1/sessions/{session}/versions")).send().await.expect(200);
    let all = messages(house, session).await;
    let mut told = Vec::new();
    for one in listed["items"].as_array().unwrap() {
        let at = all.iter().find(|message| message["seq"] == one["seq"]).unwrap();
        let sessions = one["sessions"].as_array().unwrap().iter();
        let sessions = sessions.map(|id| id.as_str().unwrap().to_owned()).collect();
        told.push((at["content"].as_str().unwrap().to_owned(), sessions, one["current"].as_u64().unwrap()));
    }
    told
}

async fn listed(house: &House) -> Vec<String> {
    let list = house.call("GET", "/v1/sessions").send().await.expect(200);
    let ids = list["items"].as_array().unwrap().iter();
    ids.map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

fn at(words: &str, sessions: &[&String], current: u64) -> (String, Vec<String>, u64) {
    (words.to_owned(), sessions.iter().map(|id| (*id).clone()).collect(), current)
}

async fn a_changed_message_is_a_version(house: House) {
    let first = house.session().await;
    say(&house, &first, "One").await;
    say(&house, &first, "Two").await;
    assert_eq!(versions(&house, &first).await, []);
    let second = change(&house, &first, "Two", Some("Zwei")).await;
    assert_eq!(said(&house, &second).await, ["One", "Zwei"]);
    assert_eq!(said(&house, &first).await, ["One", "Two"], "what was there is kept");
    assert_eq!(listed(&house).await, [second.as_str()], "one entry");
    assert_eq!(versions(&house, &first).await, [at("Two", &[&first, &second], 0)]);
    assert_eq!(versions(&house, &second).await, [at("Zwei", &[&first, &second], 1)]);
    // The same words once more; it departs where the first one has them, not where the copy does.
    let third = change(&house, &second, "Zwei", None).await;
    assert_eq!(said(&house, &third).await, ["One", "Zwei"]);
    assert_eq!(versions(&house, &third).await, [at("Zwei", &[&first, &second, &third], 2)]);
    // A copied message is changed: it departs from the session that has it itself.
    let fourth = change(&house, &third, "One", Some("Eins")).await;
    assert_eq!(said(&house, &fourth).await, ["Eins"]);
    assert_eq!(
        versions(&house, &fourth).await,
        [at("Eins", &[&third, &fourth], 1)],
        "the newest of the others"
    );
    let expected = [at("One", &[&third, &fourth], 0), at("Zwei", &[&first, &second, &third], 2)];
    assert_eq!(versions(&house, &third).await, expected);
    // It goes on where its person shows it again.
    let shown = house.call("POST", &format!("/v1/sessions/{first}/show")).send().await.expect(200);
    assert_eq!((&shown["id"], &shown["hidden"]), (&json!(first), &json!(false)));
    assert_eq!(listed(&house).await, [first.as_str()]);
    say(&house, &first, "Three").await;
    assert_eq!(versions(&house, &fourth).await, [at("Eins", &[&first, &fourth], 1)], "the one used last");
    // What is deleted is the conversation.
    assert_eq!(house.call("DELETE", &format!("/v1/sessions/{first}")).send().await.status, 204);
    for gone in [&first, &second, &third, &fourth] {
        house.call("GET", &format!("/v1/sessions/{gone}")).send().await.refused(404, "not_found");
    }
}

#[tokio::test]
async fn a_changed_message_is_a_version_on_sqlite() {
    a_changed_message_is_a_version(house().await).await;
}

#[tokio::test]
async fn a_changed_message_is_a_version_on_postgres() {
    if let Some(house) = House::on_postgres(Options::default()).await {
        answering(&house);
        a_changed_message_is_a_version(house).await;
    }
}

#[tokio::test]
async fn the_versions_of_a_conversation_are_one_entry() {
    let house = house().await;
    let first = house.session().await;
    say(&house, &first, "One").await;
    let second = change(&house, &first, "One", Some("Eins")).await;
    let folder = json!({ "name": "Kitchen" });
    let folder = house.call("POST", "/v1/folders").json(&folder).send().await.expect(201)["id"].clone();
    let kept = json!({ "name": "Soup", "pinned": true, "folder_id": folder });
    house.call("PATCH", &format!("/v1/sessions/{second}")).json(&kept).send().await.expect(200);
    for shown in [&first, &second, &first] {
        let path = format!("/v1/sessions/{shown}/show");
        let entry = house.call("POST", &path).send().await.expect(200);
        for (field, value) in kept.as_object().unwrap() {
            assert_eq!(entry[field], *value, "{field}");
        }
        // Found once, in the version that is shown if it has the words, or else in the one that has them.
        for (word, found) in [("eins", &second), ("one", &first), ("soup", shown)] {
            let list =
                house.call("GET", &format!("/v1/sessions?search={word}")).send().await.expect(200)["items"]
                    .clone();
            assert_eq!(list.as_array().unwrap().len(), 1, "{word}");
            assert_eq!((&list[0]["id"], &list[0]["hidden"]), (&json!(found), &json!(found != shown)));
        }
    }
}

#[tokio::test]
async fn a_repeated_key_makes_one_version() {
    let house = house().await;
    let session = house.session().await;
    say(&house, &session, "One").await;
    let body = json!({ "seq": seq(&house, &session, "One").await, "content": "Eins" });
    let path = format!("/v1/sessions/{session}/versions");
    let make = || house.call("POST", &path).header("idempotency-key", "k").json(&body).send();
    let (first, again) = (make().await.expect(201), make().await.expect(201));
    assert_eq!((&first["session"]["id"], &first["turn_id"]), (&again["session"]["id"], &again["turn_id"]));
    let id = first["session"]["id"].as_str().unwrap();
    house.until_ended(id, first["turn_id"].as_str().unwrap().parse().unwrap()).await;
    assert_eq!(said(&house, id).await, ["Eins"]);
    assert_eq!(listed(&house).await, [id]);
}

#[tokio::test]
async fn only_own_words_have_versions() {
    let house = house().await;
    let session = house.session().await;
    say(&house, &session, "One").await;
    let path = format!("/v1/sessions/{session}/versions");
    let own = seq(&house, &session, "One").await;
    let answer = seq(&house, &session, "0: One").await;
    for wrong in [0, answer, answer + 1, 9_999, u64::MAX] {
        let body = json!({ "seq": wrong, "content": "Eins" });
        house.call("POST", &path).json(&body).send().await.refused(400, "bad_version");
    }
    house
        .call("POST", &path)
        .json(&json!({ "seq": own, "content": "" }))
        .send()
        .await
        .refused(400, "empty_message");
    house.call("POST", &path).json(&json!({ "seq": "one" })).send().await.refused(400, "bad_field");
    let (_, other) = house.person("Bea", UserRole::Member).await;
    let body = json!({ "seq": own, "content": "Mine" });
    house.call("POST", &path).key(&other).json(&body).send().await.refused(404, "not_found");
    house.call("GET", &path).key(&other).send().await.refused(404, "not_found");
    house
        .call("POST", &format!("/v1/sessions/{session}/show"))
        .key(&other)
        .send()
        .await
        .refused(404, "not_found");
    assert_eq!(listed(&house).await, [session]);
}
