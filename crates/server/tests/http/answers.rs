//! A message answers what it names, and nothing else; what it names must still wait. And a client that waits for the end of a
//! turn is told at once when a person has to say something first, wherever that is.

use crate::support::{Answer, Call, House, Options, refusal};
use domain::{Scope, UserRole};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::model::Reply;

const PATIENCE: Duration = Duration::from_secs(60);

/// Both databases, where there are two.
async fn houses() -> Vec<House> {
    let postgres = House::on_postgres(Options::default()).await;
    [Some(House::new().await), postgres].into_iter().flatten().collect()
}

async fn heard(call: Call) -> Answer {
    tokio::time::timeout(PATIENCE, call.send()).await.expect("an answer while a person is waited for")
}

fn say(house: &House, session: &str, body: &Value) -> Call {
    house.call("POST", &format!("/v1/sessions/{session}/messages")).json(body)
}

fn contents(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().unwrap();
    items.iter().map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

async fn messages(house: &House, session: &str) -> Vec<String> {
    contents(&house.call("GET", &format!("/v1/sessions/{session}/messages")).send().await.expect(200))
}

async fn open(house: &House, what: &str) -> Vec<Value> {
    let list = house.call("GET", &format!("/v1/{what}")).send().await.expect(200);
    list["items"].as_array().unwrap().clone()
}

/// A session whose agent asks before it deletes, and says what it was told afterwards.
async fn asked(house: &House) -> (String, String) {
    house.model.respond(|request| match request.last_user().as_str() {
        "Clean up" => Reply::text("<ask options=\"keep everything, delete everything\">What may I do?</ask>"),
        other => Reply::text(format!("Heard: {other}")),
    });
    let session = house.session().await;
    let waits = heard(say(house, &session, &json!({ "content": "Clean up" }))).await.expect(202);
    (session, waits["waiting"][0]["question_id"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn a_message_that_names_no_question_answers_none_whatever_its_mode() {
    for house in houses().await {
        let (session, question) = asked(&house).await;
        // A second device has not seen the question; its words were meant for something else.
        let mut other_device = house.socket_of(&house.key).await;
        let sent = other_device.send(&session, "device-2", "2").await;
        assert_eq!(sent["of"], "send");
        for mode in ["queue", "steer"] {
            let body = json!({ "content": format!("2 ({mode})"), "mode": mode });
            let waits = heard(say(&house, &session, &body)).await.expect(202);
            assert_eq!(waits["outcome"], "input_required");
            assert_eq!(
                waits["waiting"],
                json!([{ "question_id": question }]),
                "what has to be answered first"
            );
        }
        let bare = json!({ "content": "2", "mode": "answer" });
        say(&house, &session, &bare).send().await.refused(409, "nothing_to_answer");
        let still = open(&house, "questions").await;
        assert_eq!((still.len(), &still[0]["id"]), (1, &json!(question)));

        let body = json!({ "content": "1", "answers": { "question_id": question } });
        let ended = heard(say(&house, &session, &body)).await.expect(200);
        assert_eq!(ended["outcome"], "completed");
        assert_eq!(open(&house, "questions").await.len(), 0);
        let mut socket = house.socket_of(&house.key).await;
        socket.subscribe(&session, Some("0")).await;
        for _ in 0..3 {
            socket.until("turn_ended").await;
        }
        let requests = house.model.requests();
        let told: Vec<String> =
            requests.iter().map(|request| json!(request.messages()).to_string()).collect();
        assert!(told[1].contains("completed:\\nkeep everything"), "{}", told[1]);
        assert!(!told.iter().any(|told| told.contains("completed:\\ndelete everything")));
        let asked: Vec<String> = requests.iter().map(|request| request.last_user()).collect();
        assert_eq!(asked[1..], ["2 (steer)", "2", "2 (queue)"], "each in its place");
    }
}

#[tokio::test]
async fn a_window_answers_what_it_shows() {
    let house = House::new().await;
    let (session, question) = asked(&house).await;
    let mut window = house.socket_of(&house.key).await;
    window.subscribe(&session, Some("0")).await;
    let answer = |key: &str, answers: Value| json!({ "type": "send", "session_id": session, "content": "1", "idempotency_key": key, "answers": answers });
    let both = json!({ "question_id": question, "approval_id": "approval_01980000000070008000000000000001" });
    assert_eq!(refusal(&window.ask(&answer("a", both)).await), (400, "bad_field"));
    assert_eq!(refusal(&window.ask(&answer("b", json!({}))).await), (400, "bad_field"));
    let told = window.ask(&answer("k", json!({ "question_id": question }))).await;
    assert_eq!(told["of"], "send", "{told}");
    window.until("turn_ended").await;
    // The acknowledgement was lost, and the same thing is said again: it is the same answer.
    let again = window.ask(&answer("k", json!({ "question_id": question }))).await;
    assert_eq!(again["turn_id"], told["turn_id"]);
    assert_eq!(
        refusal(&window.ask(&answer("l", json!({ "question_id": question }))).await),
        (409, "question_settled")
    );
}

#[tokio::test]
async fn an_answer_to_what_waits_no_longer_is_refused_and_is_no_message() {
    for house in houses().await {
        let (session, question) = asked(&house).await;
        let other = house.session().await;
        let named = |question: &str| json!({ "content": "1", "answers": { "question_id": question } });
        let before = messages(&house, &session).await;
        // Of another conversation, of nobody, of somebody else.
        heard(say(&house, &other, &named(&question))).await.refused(404, "not_found");
        let unknown = "question_01980000000070008000000000000001";
        heard(say(&house, &session, &named(unknown))).await.refused(404, "not_found");
        let (_, eve) = house.person("Eve", UserRole::Member).await;
        heard(say(&house, &session, &named(&question)).key(&eve)).await.refused(404, "not_found");
        say(&house, &session, &json!({ "content": " ", "answers": { "question_id": question } }))
            .send()
            .await
            .refused(400, "empty_message");
        let long = json!({ "content": "x".repeat(33 << 10), "answers": { "question_id": question } });
        say(&house, &session, &long).send().await.refused(413, "too_large");
        assert_eq!(messages(&house, &session).await, before);
        assert_eq!(open(&house, "questions").await.len(), 1);

        let path = format!("/v1/questions/{question}/answer");
        house.call("POST", &path).json(&json!({ "answer": "keep everything" })).send().await.expect(200);
        let detail = heard(say(&house, &session, &named(&question))).await.refused(409, "question_settled");
        assert!(detail.contains("already answered"), "{detail}");
        assert!(!messages(&house, &session).await.contains(&"1".to_owned()), "it was stored as a message");
        assert!(messages(&house, &other).await.is_empty());
    }
}

/// A session with an agent whose calculator asks first.
async fn careful(house: &House) -> (String, Value) {
    house.model.respond(|request| match (request.results_since_user().len(), request.last_user().as_str()) {
        (0, "Add") => Reply::calls([("add", json!({ "a": 2, "b": 3 })), ("add", json!({ "a": 4, "b": 5 }))]),
        (_, other) => Reply::text(format!("Heard: {other}")),
    });
    let fields = json!({
        "name": "careful", "capabilities": ["test_math"],
        "tool_rules": [{ "tool": "add", "action": "ask" }],
    });
    let agent = house.call("POST", "/v1/agents").json(&fields).send().await.expect(201);
    let session = house.session_with(agent["id"].as_str().unwrap()).await;
    let waits = heard(say(house, &session, &json!({ "content": "Add" }))).await.expect(202);
    (session, waits["waiting"].clone())
}

#[tokio::test]
async fn words_deny_the_approval_that_they_name_and_no_other() {
    for house in houses().await {
        let (session, waiting) = careful(&house).await;
        assert_eq!(waiting.as_array().unwrap().len(), 2);
        let waits = heard(say(&house, &session, &json!({ "content": "and buy milk" }))).await.expect(202);
        assert_eq!(waits["waiting"], waiting, "nothing was decided");
        let named = |words: &str| json!({ "content": words, "answers": waiting[0] });
        // A message has no digest: it never permits.
        for yes in ["yes", " Y ", "Approve!", "always"] {
            say(&house, &session, &named(yes)).send().await.refused(400, "decision_needed");
        }
        let chat = house.issue(house.owner().await, Scope::Chat).await;
        say(&house, &session, &named("no")).key(&chat).send().await.refused(403, "scope_insufficient");
        let (other, _) = careful_again(&house).await;
        say(&house, &other, &named("no")).send().await.refused(404, "not_found");

        let denied = heard(say(&house, &session, &named("use the other numbers"))).await.expect(202);
        assert_eq!(denied["waiting"], json!([waiting[1]]), "the other one waits on");
        say(&house, &session, &named("again")).send().await.refused(409, "approval_settled");
        let denied = json!({ "content": "no", "answers": waiting[1] });
        heard(say(&house, &session, &denied)).await.expect(200);
        let told: Vec<String> =
            house.model.requests().iter().flat_map(|request| request.results_since_user()).collect();
        assert!(told.iter().any(|result| result.contains("use the other numbers")), "{told:?}");
        assert!(!told.iter().any(|result| result.contains("buy milk")), "{told:?}");
    }
}

async fn careful_again(house: &House) -> (String, Value) {
    let agents = house.call("GET", "/v1/agents").send().await.expect(200);
    let careful =
        agents["items"].as_array().unwrap().iter().find(|agent| agent["name"] == "careful").cloned();
    let session = house.session_with(careful.unwrap()["id"].as_str().unwrap()).await;
    let waits = heard(say(house, &session, &json!({ "content": "Add" }))).await.expect(202);
    (session, waits["waiting"].clone())
}

#[tokio::test]
async fn the_small_way_in_answers_by_name_and_a_bridge_answers_nothing() {
    let house = House::new().await;
    // What a bridge delivers has a header.
    house.model.respond(|request| match request.last_user() {
        hello if hello.ends_with("Hello") => Reply::text("Before. <ask>Well?</ask>"),
        other => Reply::text(format!("Heard: {other}")),
    });
    let chat = |body: Value| house.call("POST", "/v1/chat").json(&body);
    let waits = heard(chat(json!({ "message": "Hello" }))).await.expect(202);
    assert_eq!(
        (&waits["outcome"], &waits["response"]),
        (&json!("input_required"), &json!("Before. <ask>Well?</ask>"))
    );
    let queued = heard(chat(json!({ "message": "And then?" }))).await.expect(202);
    assert_eq!(queued["waiting"], waits["waiting"]);
    assert!(
        queued["response"].as_str().unwrap().contains("is queued"),
        "such clients show nothing else: {queued}"
    );
    for wrong in [json!("question"), json!({}), json!({ "question_id": 5 }), json!(["x"])] {
        let answer = chat(json!({ "message": "Very", "answers": wrong })).send().await;
        assert_eq!((answer.status, &answer.json()["code"]), (400, &json!("bad_field")));
    }
    let named = json!({ "message": "Very", "answers": waits["waiting"][0] });
    let ended = heard(chat(named.clone())).await.expect(200);
    assert!(ended["response"].as_str().unwrap().ends_with("Very"), "{ended}");

    let bridge = house.issue(house.owner().await, Scope::Bridge).await;
    let peer = |body: Value| {
        let mut body = body;
        body["source"] = json!("signal");
        body["sender"] = json!("+1");
        house.call("POST", "/v1/chat").key(&bridge).json(&body)
    };
    let waits = heard(peer(json!({ "message": "Hello" }))).await.expect(202);
    let queued = heard(peer(json!({ "message": "Very" }))).await.expect(202);
    assert_eq!(queued["waiting"], waits["waiting"]);
    let answer = peer(json!({ "message": "Very", "answers": waits["waiting"][0] })).send().await;
    assert_eq!((answer.status, &answer.json()["code"]), (403, &json!("scope_insufficient")));
    assert_eq!(open(&house, "questions").await.len(), 1, "its person answers it");
}

#[tokio::test]
async fn what_a_colleague_waits_for_is_told_at_once() {
    for house in houses().await {
        house.model.respond(|request| {
            let system = request.messages()[0]["content"].to_string();
            let results = request.results_since_user().len();
            match (system.contains("You cook."), results) {
                (true, 0) if request.last_user().contains("Make soup") => {
                    Reply::text("<ask options=\"leek, onion\">Which soup?</ask>")
                }
                (true, _) => Reply::text("Soup is ready."),
                (false, 0) => Reply::calls([("delegate", json!({ "agent": "cook", "task": "Make soup" }))]),
                (false, _) => Reply::text("Dinner is served."),
            }
        });
        let main = house.main_agent().await;
        let cook = json!({ "name": "cook", "system_prompt": "You cook." });
        house.call("POST", "/v1/agents").json(&cook).send().await.expect(201);
        let fields = json!({ "capabilities": ["colleagues"] });
        house.call("PATCH", &format!("/v1/agents/{main}")).json(&fields).send().await.expect(200);
        let session = house.session_with(&main).await;
        let body = json!({ "content": "Dinner, please" });
        let waits = heard(say(&house, &session, &body).header("idempotency-key", "dinner")).await.expect(202);
        let questions = open(&house, "questions").await;
        assert_eq!(waits["waiting"], json!([{ "question_id": questions[0]["id"] }]));
        assert_ne!(questions[0]["session_id"], json!(session), "the colleague's own conversation");
        // Whoever asks again while it still waits hears the same.
        let again = heard(say(&house, &session, &body).header("idempotency-key", "dinner")).await.expect(202);
        assert_eq!(again, waits);
        let chat = heard(house.call("POST", "/chat").json(&json!({ "message": "Dinner, please" }))).await;
        assert_eq!(chat.expect(202)["waiting"].as_array().unwrap().len(), 1);

        let path = format!("/v1/questions/{}/answer", questions[0]["id"].as_str().unwrap());
        house.call("POST", &path).json(&json!({ "answer": "leek" })).send().await.expect(200);
        let ended = heard(say(&house, &session, &body).header("idempotency-key", "dinner")).await.expect(200);
        assert_eq!(ended["message"]["content"], "Dinner is served.");
    }
}
