//! Questions and prompts over HTTP and the WebSocket.

use crate::support::{House, refusal};
use domain::{Scope, UserRole};
use serde_json::{Value, json};
use testkit::model::Reply;

async fn asked(house: &House) -> (String, Value) {
    house
        .model
        .queue([Reply::text("<ask options=\"red, blue\">Which colour?</ask>"), Reply::text("Thank you.")]);
    let session = house.session().await;
    let path = format!("/v1/sessions/{session}/messages");
    let waits = house.call("POST", &path).json(&json!({ "content": "Paint it" })).send().await.expect(202);
    (session, waits)
}

#[tokio::test]
async fn a_turn_that_waits_is_a_202_and_its_question_is_answered_once() {
    let house = House::new().await;
    let (session, waits) = asked(&house).await;
    assert_eq!(waits["outcome"], "input_required");
    let id = waits["waiting"][0]["question_id"].as_str().unwrap();
    let list = house.call("GET", "/v1/questions").send().await.expect(200);
    assert_eq!((&list["total"], &list["items"][0]["id"]), (&json!(1), &json!(id)));
    assert_eq!(list["items"][0]["options"], json!(["red", "blue"]));
    let path = format!("/v1/questions/{id}/answer");
    let (_, other) = house.person("Eve", UserRole::Member).await;
    let answer = |text: &str| house.call("POST", &path).json(&json!({ "answer": text }));
    answer("red").key(&other).send().await.refused(404, "not_found");
    answer(" ").send().await.refused(400, "empty_answer");
    house
        .call("POST", "/v1/questions/nothing/answer")
        .json(&json!({ "answer": "x" }))
        .send()
        .await
        .refused(404, "not_found");
    let read = house.issue(house.owner().await, Scope::Read).await;
    answer("red").key(&read).send().await.refused(403, "scope_insufficient");
    assert_eq!(answer("RED").send().await.expect(200)["answer"], "red");
    answer("blue").send().await.refused(409, "question_settled");
    assert_eq!(house.call("GET", "/v1/questions").send().await.expect(200)["total"], 0);
    let mode = json!({ "content": "more", "mode": "answer" });
    let messages = format!("/v1/sessions/{session}/messages");
    let mut socket = house.socket_of(&house.key).await;
    socket.subscribe(&session, Some("0")).await;
    socket.until("turn_ended").await;
    house.call("POST", &messages).json(&mode).send().await.refused(409, "nothing_to_answer");
}

#[tokio::test]
async fn a_window_answers_and_the_small_way_in_waits_too() {
    let house = House::new().await;
    let (session, waits) = asked(&house).await;
    let id = waits["waiting"][0]["question_id"].clone();
    let mut socket = house.socket_of(&house.key).await;
    socket.subscribe(&session, Some("0")).await;
    let (_, other) = house.person("Eve", UserRole::Member).await;
    let mut stranger = house.socket_of(&other).await;
    let response = json!({ "type": "question_answer", "question_id": id, "answer": "2" });
    assert_eq!(refusal(&stranger.ask(&response).await), (404, "not_found"));
    assert_eq!(socket.ask(&response).await["of"], "question_response");
    socket.until("turn_ended").await;
    assert_eq!(refusal(&socket.ask(&response).await), (409, "question_settled"));
    let last = house.model.last_request().unwrap().last_user();
    assert!(last.ends_with("completed:\nblue"), "{last}");

    house.model.queue([Reply::text("Before. <ask>Well?</ask>"), Reply::text("Good.")]);
    let chat = |text: &str| house.call("POST", "/v1/chat").json(&json!({ "message": text }));
    let waits = chat("Hello").send().await.expect(202);
    assert_eq!(
        (&waits["outcome"], &waits["response"]),
        (&json!("input_required"), &json!("Before. <ask>Well?</ask>"))
    );
    let named = json!({ "message": "Very", "answers": waits["waiting"][0] });
    let ended = house.call("POST", "/v1/chat").json(&named).send().await.expect(200);
    assert_eq!(ended["response"], "Good.");
}

#[tokio::test]
async fn a_prompt_takes_what_fits_it() {
    let house = House::new().await;
    let prompts = "<hml-prompt id=\"n\" type=\"number\" min=\"1\" max=\"5\">How many?</hml-prompt>\
                   <hml-prompt id=\"c\" type=\"radio\">Colour?<option value=\"r\">Red</option></hml-prompt>";
    house.model.script(Reply::text(prompts));
    let session = house.session().await;
    let path = format!("/v1/sessions/{session}/messages");
    let said = house.call("POST", &path).json(&json!({ "content": "Ask" })).send().await.expect(200);
    let message = said["message"]["id"].as_str().unwrap().to_owned();
    let at = |message: &str, prompt: &str| format!("/v1/sessions/{session}/prompts/{message}/{prompt}");
    let put = |path: String, answer: Value| house.call("POST", &path).json(&json!({ "answer": answer }));
    put(at(&message, "n"), json!("many")).send().await.refused(400, "bad_answer");
    put(at(&message, "n"), json!(7)).send().await.refused(400, "bad_answer");
    put(at(&message, "c"), json!("green")).send().await.refused(400, "bad_answer");
    put(at(&message, "x"), json!("green")).send().await.refused(404, "not_found");
    put(at("message_01980000000070008000000000000001", "n"), json!(3)).send().await.refused(404, "not_found");
    let (_, other) = house.person("Eve", UserRole::Member).await;
    put(at(&message, "n"), json!(3)).key(&other).send().await.refused(404, "not_found");
    let shown = put(at(&message, "n"), json!(3)).send().await.expect(200);
    assert!(shown["content"].as_str().unwrap().contains("<response>3</response>"), "{shown}");
    put(at(&message, "c"), json!("Red")).send().await.expect(200);
    let list = house.call("GET", &path).send().await.expect(200);
    let content = list["items"][1]["content"].as_str().unwrap();
    assert!(
        content.contains("<response>3</response>") && content.contains("<response>r</response>"),
        "{content}"
    );
    let events = house
        .call("GET", &format!("/v1/sessions/{session}/events?after=0&types=prompt_updated"))
        .send()
        .await;
    assert_eq!(events.expect(200)["items"].as_array().unwrap().len(), 2);

    // Changed until the agent has read it.
    put(at(&message, "n"), json!(4)).send().await.expect(200);
    house.model.script(Reply::text("Four, then."));
    house.call("POST", &path).json(&json!({ "content": "Go on" })).send().await.expect(200);
    let refused = put(at(&message, "n"), json!(5)).send().await.refused(409, "answer_read");
    assert!(refused.contains("Send a message with the correction."), "{refused}");
    put(at(&message, "n"), json!(4)).send().await.expect(200);
    let list = house.call("GET", &path).send().await.expect(200);
    assert!(list["items"][1]["content"].as_str().unwrap().contains("<response>4</response>"), "{list}");
}
