//! Approvals and rules over HTTP and the WebSocket.

use crate::support::{House, Options, refusal};
use domain::{Scope, UserRole};
use serde_json::{Value, json};
use testkit::model::Reply;

/// A session with an agent whose calculator asks first.
async fn careful(house: &House) -> (String, String) {
    house.model.respond(|request| match request.results_since_user().len() {
        0 if request.last_user() == "Add" => Reply::calls([("add", json!({ "a": 2, "b": 3 }))]),
        _ => Reply::text("Done."),
    });
    let fields = json!({
        "name": "careful", "capabilities": ["test_math"],
        "tool_rules": [{ "tool": "add", "action": "ask" }],
    });
    let agent = house.call("POST", "/v1/agents").json(&fields).send().await.expect(201);
    let agent = agent["id"].as_str().unwrap().to_owned();
    let session = house.call("POST", "/v1/sessions").json(&json!({ "agent_id": agent })).send().await;
    (agent, session.expect(201)["id"].as_str().unwrap().to_owned())
}

async fn asked(house: &House, session: &str) -> Value {
    let path = format!("/v1/sessions/{session}/messages");
    let waits = house.call("POST", &path).json(&json!({ "content": "Add" })).send().await.expect(202);
    assert_eq!(waits["outcome"], "input_required");
    let list = house.call("GET", "/v1/approvals").send().await.expect(200);
    assert_eq!(waits["waiting"][0]["approval_id"], list["items"][0]["id"]);
    list["items"][0].clone()
}

fn path(approval: &Value) -> String {
    format!("/v1/approvals/{}", approval["id"].as_str().unwrap())
}

fn yes(approval: &Value) -> Value {
    json!({ "decision": "approve", "digest": approval["digest"] })
}

#[tokio::test]
async fn a_yes_is_said_once_by_its_person_with_the_digest() {
    let house = House::new().await;
    let (_, session) = careful(&house).await;
    let approval = asked(&house, &session).await;
    assert_eq!((&approval["tool"], &approval["status"]), (&json!("add"), &json!("pending")));
    assert_eq!(approval["arguments"], json!({ "a": 2, "b": 3 }));
    let path = path(&approval);
    let answer = |body: Value| house.call("POST", &path).json(&body);
    let (_, other) = house.person("Eve", UserRole::Admin).await;
    answer(yes(&approval)).key(&other).send().await.refused(404, "not_found");
    for scope in [Scope::Read, Scope::Chat] {
        let key = house.issue(house.owner().await, scope).await;
        answer(yes(&approval)).key(&key).send().await.refused(403, "scope_insufficient");
    }
    answer(json!({ "decision": "approve" })).send().await.refused(400, "bad_field");
    answer(json!({ "decision": "maybe", "digest": "x" })).send().await.refused(400, "bad_field");
    answer(json!({ "decision": "approve", "digest": "x" })).send().await.refused(409, "digest_mismatch");
    let mut always = yes(&approval);
    always["scope"] = json!("always");
    answer(always).send().await.refused(403, "scope_insufficient");
    assert_eq!(answer(yes(&approval)).send().await.expect(200)["status"], "approved");
    answer(yes(&approval)).send().await.refused(409, "approval_settled");
    let mut socket = house.socket_of(&house.key).await;
    socket.subscribe(&session, Some("0")).await;
    socket.until("turn_ended").await;
    assert_eq!(house.call("GET", "/v1/approvals").send().await.expect(200)["total"], 0);
}

#[tokio::test]
async fn always_takes_a_login_that_was_confirmed_and_becomes_a_rule() {
    let house = House::new().await;
    let ada = house.resident("carla", UserRole::Member).await;
    careful(&house).await;
    let fields = json!({
        "name": "careful", "capabilities": ["test_math"],
        "tool_rules": [{ "tool": "add", "action": "ask" }],
    });
    let agent = ada.call("POST", "/v1/agents").json(&fields).send().await.expect(201)["id"].clone();
    let session = ada.call("POST", "/v1/sessions").json(&json!({ "agent_id": agent })).send().await;
    let session = session.expect(201)["id"].as_str().unwrap().to_owned();
    let messages = format!("/v1/sessions/{session}/messages");
    ada.call("POST", &messages).json(&json!({ "content": "Add" })).send().await.expect(202);
    let approval = ada.call("GET", "/v1/approvals").send().await.expect(200)["items"][0].clone();
    let mut always = yes(&approval);
    always["scope"] = json!("always");
    let say = || ada.call("POST", &path(&approval)).json(&always);
    say().send().await.refused(403, "confirmation_required");
    ada.confirm().await;
    say().send().await.expect(200);
    let rules = ada.call("GET", "/v1/rules").send().await.expect(200);
    let rule = &rules["items"][0];
    assert_eq!((&rule["subject"], &rule["tool"], &rule["action"]), (&agent, &json!("add"), &json!("allow")));
    assert_eq!(rule["arguments"], json!({ "exact": { "a": 2, "b": 3 } }));
    assert_eq!(house.call("GET", "/v1/rules").send().await.expect(200)["total"], 0, "nobody else's");
}

#[tokio::test]
async fn a_window_says_yes_or_no() {
    let house = House::new().await;
    let (_, session) = careful(&house).await;
    let approval = asked(&house, &session).await;
    let mut socket = house.socket_of(&house.key).await;
    socket.subscribe(&session, Some("0")).await;
    let response = json!({
        "type": "approval_response", "approval_id": approval["id"], "decision": "deny", "scope": "once",
        "digest": approval["digest"], "reason": "not today",
    });
    let (_, other) = house.person("Eve", UserRole::Member).await;
    let mut stranger = house.socket_of(&other).await;
    assert_eq!(refusal(&stranger.ask(&response).await), (404, "not_found"));
    let chat = house.issue(house.owner().await, Scope::Chat).await;
    let mut small = house.socket_of(&chat).await;
    assert_eq!(refusal(&small.ask(&response).await), (403, "scope_insufficient"));
    assert_eq!(socket.ask(&response).await["of"], "approval_response");
    socket.until("turn_ended").await;
    assert_eq!(refusal(&socket.ask(&response).await), (409, "approval_settled"));
    let told = house.model.last_request().unwrap().results_since_user();
    assert!(told[0].contains("The person denied this call: not today"), "{told:?}");
}

#[tokio::test]
async fn who_may_make_which_rule() {
    let house = House::new().await;
    let (agent, session) = careful(&house).await;
    let member = house.resident("bob", UserRole::Member).await;
    let me = member.id.to_string();
    let make = |body: Value| member.call("POST", "/v1/rules").json(&body);
    let rule = |subject: &str, action: &str| json!({ "subject": subject, "tool": "add", "action": action });
    make(rule("*", "deny")).send().await.refused(403, "role_insufficient");
    make(rule(&session, "deny")).send().await.refused(404, "not_found");
    make(rule(&agent, "deny")).send().await.refused(404, "not_found");
    make(rule("nobody", "deny")).send().await.refused(400, "bad_field");
    make(rule(&me, "allow")).send().await.refused(403, "confirmation_required");
    let deny = make(rule(&me, "deny")).send().await.expect(201);
    let taken_back = format!("/v1/rules/{}", deny["id"].as_str().unwrap());
    member.call("DELETE", &taken_back).send().await.refused(403, "confirmation_required");
    member.confirm().await;
    for (change, value) in [
        ("tool", json!("*")),
        ("tool", json!("rm -rf")),
        ("tool", json!("unheard_of")),
        ("scope", json!("session")),
        ("expires_at", json!("2001-01-01T00:00:00Z")),
        ("arguments", json!({ "template": { "a": "2*" } })),
    ] {
        let mut wrong = rule(&me, "allow");
        wrong[change] = value;
        make(wrong.clone()).send().await.refused(400, "bad_rule");
    }
    let mut once = rule(&me, "deny");
    once["scope"] = json!("once");
    make(once).send().await.refused(400, "bad_rule");
    let allow = make(rule(&me, "allow")).send().await.expect(201);
    let path = format!("/v1/rules/{}", allow["id"].as_str().unwrap());
    house.call("DELETE", &path).send().await.refused(404, "not_found");
    // With a key nobody widens anything; what narrows is taken.
    let key = house.issue(member.id, Scope::Full).await;
    house
        .call("POST", "/v1/rules")
        .json(&rule(&me, "allow"))
        .key(&key)
        .send()
        .await
        .refused(403, "scope_insufficient");
    house.call("POST", "/v1/rules").json(&rule(&me, "ask")).key(&key).send().await.expect(201);
    member.call("DELETE", &path).send().await.expect(204);
    member.call("DELETE", &taken_back).send().await.expect(204);
    member.call("DELETE", &taken_back).send().await.refused(404, "not_found");
    let house_rule =
        house.call("POST", "/v1/rules").json(&rule("*", "ask_every_time")).send().await.expect(201);
    let listed = member.call("GET", "/v1/rules").send().await.expect(200);
    assert!(listed["items"].as_array().unwrap().contains(&house_rule), "the rules of the house are seen");
    let of_house = format!("/v1/rules/{}", house_rule["id"].as_str().unwrap());
    member.call("DELETE", &of_house).send().await.refused(403, "role_insufficient");
}

/// Of those of one conversation; another one has as many.
#[tokio::test]
async fn a_conversation_has_so_many_rules_and_no_more() {
    let postgres = House::on_postgres(Options::default()).await;
    for house in [Some(House::new().await), postgres].into_iter().flatten() {
        let (agent, session) = careful(&house).await;
        let other = house.session_with(&agent).await;
        let make = |session: &str| {
            let rule = json!({ "subject": session, "tool": "add", "action": "deny" });
            house.call("POST", "/v1/rules").json(&rule).send()
        };
        for _ in 0..200 {
            make(&session).await.expect(201);
        }
        make(&session).await.refused(409, "too_many_rules");
        make(&other).await.expect(201);
        make(&session).await.refused(409, "too_many_rules");
        let rules = house.call("GET", "/v1/rules").send().await.expect(200);
        assert_eq!(rules["total"], 201);
    }
}

/// HOUSE-13
#[tokio::test]
async fn a_model_without_a_price_is_asked_about_where_a_budget_is_kept() {
    let house = House::with(Options { unpriced: true, ..Options::default() }).await;
    house.model.respond(|_| Reply::text("Hello.").usage(100, 10, 0));
    let budget = json!({ "per_turn_microusd": 1_000_000 });
    let fields = json!({ "name": "thrifty", "capabilities": [], "budget": budget });
    let agent = house.call("POST", "/v1/agents").json(&fields).send().await.expect(201)["id"].clone();
    let session = house.call("POST", "/v1/sessions").json(&json!({ "agent_id": agent })).send().await;
    let session = session.expect(201)["id"].as_str().unwrap().to_owned();
    let approval = asked(&house, &session).await;
    assert_eq!(approval["tool"], "use_model");
    let why = approval["why"][0].as_str().unwrap();
    assert!(
        why.starts_with("The agent thrifty wants to use ") && why.contains("a budget of $1.00 a reply"),
        "{why}"
    );
    let model = &approval["arguments"]["model"];
    assert_eq!(approval["shown"], json!([{ "name": "model", "value": model }]));
    let answer = house.call("POST", &path(&approval)).json(&yes(&approval)).send().await;
    assert_eq!(answer.expect(200)["status"], "approved");
    let mut socket = house.socket_of(&house.key).await;
    socket.subscribe(&session, Some("0")).await;
    socket.until("turn_ended").await;
    let messages = house.call("GET", &format!("/v1/sessions/{session}/messages")).send().await.expect(200);
    let last = messages["items"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["content"], &last["usage"]["cost_microusd"]), (&json!("Hello."), &Value::Null));
    let rule = json!({
        "subject": agent, "tool": "use_model", "action": "deny", "scope": "always",
        "arguments": { "exact": { "model": model } },
    });
    house.call("POST", "/v1/rules").json(&rule).send().await.expect(201);
    let messages = format!("/v1/sessions/{session}/messages");
    let ended = house.call("POST", &messages).json(&json!({ "content": "And now?" })).send().await;
    assert_eq!(ended.expect(200)["outcome"], "limit");
}
