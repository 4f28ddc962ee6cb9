//! Rules about what peers of a bridge may be told.

use super::bridges::Visit;
use crate::support::{House, Options};
use serde_json::json;
use testkit::model::Reply;

/// A rule about telling peers decides about the end of a reply, and about what the agent says before it asks its person.
/// THREAT[chat-04]
async fn a_rule_decides_what_a_stranger_is_told(house: House) {
    let visit = Visit::on(house).await;
    let owner = visit.house.give_password("Ada").await;
    owner.confirm().await;
    visit.house.model.respond(|request| match request.last_user().contains("question") {
        true => Reply::text("It rains. <ask>Shall I go on?</ask>"),
        false => Reply::text("It rains."),
    });
    let say = |sender: String, text: &str| {
        let body = json!({ "message": text, "source": "signal", "sender": sender });
        visit.house.call("POST", "/chat").key(&visit.bridge).json(&body).send()
    };
    // The first is the control.
    for (action, told, status) in [
        ("allow", "It rains.", 200),
        ("ask", "I need an approval before I can answer this.", 202),
        ("deny", "I am not allowed to answer this.", 200),
    ] {
        let rule = json!({ "subject": owner.id, "tool": "tell_peer", "action": action });
        let rule = owner.call("POST", "/v1/rules").json(&rule).send().await.expect(201);
        let waits = say(format!("{action}-1"), "a question").await;
        let body = waits.json();
        assert_eq!(waits.status, 202, "{action}: {body}");
        assert!(body["waiting"][0]["question_id"].is_string(), "{action}: its person is asked: {body}");
        let response = body["response"].as_str().unwrap();
        assert!(response.starts_with(told), "{action}: {body}");
        assert_eq!(response.contains("rains"), action == "allow", "{action}: {body}");
        assert_eq!(visit.waiting().await.len(), 0, "{action}: no person is asked about a reply that goes on");
        let reply = say(format!("{action}-2"), "and now?").await;
        let body = reply.json();
        assert_eq!(reply.status, status, "{action}: {body}");
        assert!(body["response"].as_str().unwrap().starts_with(told), "{action}: {body}");
        assert_eq!(body.to_string().contains("rains"), action == "allow", "{action}: {body}");
        assert_eq!(visit.waiting().await.len(), usize::from(action == "ask"), "{action}");
        for approval in visit.waiting().await {
            visit.decide(&approval, "deny").await;
        }
        let path = format!("/v1/rules/{}", rule["id"].as_str().unwrap());
        assert!(owner.call("DELETE", &path).send().await.status < 300);
    }
}

#[tokio::test]
async fn a_rule_decides_what_a_stranger_is_told_on_sqlite() {
    a_rule_decides_what_a_stranger_is_told(House::new().await).await;
}

#[tokio::test]
async fn a_rule_decides_what_a_stranger_is_told_on_postgres() {
    if let Some(house) = House::on_postgres(Options::default()).await {
        a_rule_decides_what_a_stranger_is_told(house).await;
    }
}
