//! What agents do at their times, as a program outside asks for it.

use crate::support::House;
use serde_json::{Value, json};
use std::time::Duration;
use testkit::model::Reply;

const PATIENCE: Duration = Duration::from_secs(60);

/// The runs of a schedule, as soon as the newest has an outcome.
async fn settled(house: &House, id: &str) -> Value {
    let path = format!("/v1/schedules/{id}/runs");
    let looks = async {
        loop {
            let runs = house.call("GET", &path).send().await.expect(200);
            if runs["items"][0]["ended_at"].is_string() {
                return runs;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, looks).await.expect("it does not run")
}

#[tokio::test]
async fn one_moment_that_is_over_is_made_up_for_at_once() {
    let house = House::new().await;
    house.model.respond(|request| Reply::text(format!("<{}>", request.last_user())));
    let session = house.session_with(&house.main_agent().await).await;
    let when = json!({ "kind": "once", "at": "2026-01-01T08:00:00Z" });
    let new = json!({ "when": when, "note": "Water the plants.", "place": "here", "session_id": session });
    let made = house.call("POST", "/v1/schedules").json(&new).send().await.expect(201);
    assert_eq!((&made["number"], &made["state"]), (&json!(1), &json!("active")));
    let id = made["id"].as_str().unwrap();
    let runs = settled(&house, id).await;
    assert_eq!((&runs["total"], &runs["items"][0]["outcome"]), (&json!(1), &json!("completed")));
    let path = format!("/v1/sessions/{session}/messages");
    let said = house.call("GET", &path).send().await.expect(200).to_string();
    assert!(said.contains("[Cron entry 1 has fired] Water the plants."), "{said}");
    let path = format!("/v1/schedules/{id}");
    let found = house.call("GET", &path).send().await.expect(200);
    assert_eq!(
        (&found["state"], &found["next_at"], &found["runs"]),
        (&json!("ended"), &Value::Null, &json!(1))
    );
    house.call("POST", &format!("{path}/resume")).send().await.refused(409, "schedule_over");
    assert_eq!(house.call("DELETE", &path).send().await.status, 204);
    house.call("GET", &path).send().await.refused(404, "not_found");
}

#[tokio::test]
async fn it_is_shown_before_it_is_made_and_changed_afterwards() {
    let house = House::new().await;
    let agent = house.main_agent().await;
    let cron = |pattern: &str| json!({ "kind": "cron", "pattern": pattern, "zone": "Europe/Athens" });
    let preview =
        |when: Value| house.call("POST", "/v1/schedules/preview").json(&json!({ "when": when })).send();
    let shown = preview(cron("0 8 * * *")).await.expect(200);
    assert_eq!(
        (shown["times"].as_array().unwrap().len(), &shown["description"]),
        (5, &json!("At 08:00 (Europe/Athens)"))
    );
    preview(cron("0 0 31 2 *")).await.refused(400, "bad_schedule");
    let new = json!({ "when": cron("0 8 * * *"), "note": "Look.", "place": "fresh", "agent_id": agent });
    let made = house.call("POST", "/v1/schedules").json(&new).send().await.expect(201);
    assert_eq!(made["next_at"], shown["times"][0], "what was shown is what comes");
    let path = format!("/v1/schedules/{}", made["id"].as_str().unwrap());
    let changed = house.call("PATCH", &path).json(&json!({ "note": "Look again." })).send().await.expect(200);
    assert_eq!(
        (&changed["note"], &changed["revision"], &changed["when"]),
        (&json!("Look again."), &json!(2), &made["when"])
    );
    let paused = house.call("POST", &format!("{path}/pause")).send().await.expect(200);
    assert_eq!((&paused["state"], &paused["next_at"]), (&json!("paused"), &Value::Null));
    let resumed = house.call("POST", &format!("{path}/resume")).send().await.expect(200);
    assert_eq!((&resumed["state"], &resumed["next_at"]), (&json!("active"), &made["next_at"]));
    let list = house.call("GET", "/v1/schedules").send().await.expect(200);
    assert_eq!((&list["total"], &list["items"][0]["id"]), (&json!(1), &made["id"]));
}
