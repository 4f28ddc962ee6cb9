//! Prompts that people keep, links that show a conversation to others, and conversations as files.

use crate::support::House;
use domain::{Scope, UserRole};
use engine::KeepMany;
use serde_json::{Value, json};
use testkit::model::Reply;

async fn talk(house: &House, words: &str) -> String {
    let body = json!({ "agent_id": house.main_agent().await });
    let made = house.call("POST", "/v1/sessions").json(&body).send().await.expect(201);
    let id = made["id"].as_str().unwrap().to_owned();
    say(house, &id, words).await;
    id
}

async fn say(house: &House, session: &str, words: &str) -> Value {
    let path = format!("/v1/sessions/{session}/messages");
    house.call("POST", &path).json(&json!({ "content": words })).send().await.expect(200)
}

#[tokio::test]
async fn a_prompt_is_sent_by_its_name() {
    let house = House::new().await;
    house.model.respond(|request| Reply::text(format!("<{}>", request.last_user())));
    let session = talk(&house, "Hello").await;
    let new = json!({ "name": "translate", "content": "Into {{language}}: {{text}}" });
    let made = house.call("POST", "/v1/saved-prompts").json(&new).send().await.expect(201);
    let run = async |line: &str| {
        let body = json!({ "line": line, "session_id": session });
        house.call("POST", "/v1/commands").json(&body).send().await
    };
    let answer = run("/translate Greek good {{language}} morning").await.expect(200);
    assert_eq!(
        (&answer["command"], &answer["effects"][0]["type"]),
        (&json!("prompt"), &json!("follow_turn"))
    );
    let path = format!("/v1/sessions/{session}/messages");
    let said = house.call("GET", &path).send().await.expect(200).to_string();
    assert!(said.contains("Into Greek: good {{language}} morning"), "{said}");
    run("/translate Greek").await.refused(400, "bad_command");
    run("/translates").await.refused(400, "unknown_command");
    let help = house.call("GET", "/v1/help").send().await.expect(200);
    assert_eq!(help["prompts"][0]["usage"], "/translate LANGUAGE TEXT");
    let help = run("/help").await.expect(200);
    assert!(help["text"].as_str().unwrap().contains("/translate LANGUAGE TEXT"), "{help}");
    let path = format!("/v1/saved-prompts/{}", made["id"].as_str().unwrap());
    let other = json!({ "name": "short", "content": "Be brief.", "description": "less" });
    house.call("PUT", &path).json(&other).send().await.expect(200);
    run("/short Why?").await.expect(200);
    assert_eq!(house.call("DELETE", &path).send().await.status, 204);
    run("/short Why?").await.refused(400, "unknown_command");
}

#[tokio::test]
async fn a_prompt_takes_files_along_and_no_other_command_does() {
    let house = House::new().await;
    house.model.respond(|request| Reply::text(format!("<{}>", request.last_user())));
    let session = talk(&house, "Hello").await;
    let new = json!({ "name": "sum", "content": "Sum it up." });
    house.call("POST", "/v1/saved-prompts").json(&new).send().await.expect(201);
    let file = house.upload("notes.txt", "text/plain", b"milk, bread").await.to_string();
    let run = async |body: Value| house.call("POST", "/v1/commands").json(&body).send().await;
    let with = |line: &str| json!({ "line": line, "session_id": session, "attachments": [file] });
    run(with("/sum")).await.expect(200);
    let path = format!("/v1/sessions/{session}/messages");
    let said = house.call("GET", &path).send().await.expect(200).to_string();
    assert!(said.contains("notes.txt"), "{said}");
    run(with("/help")).await.refused(400, "bad_command");
    let model = json!({ "line": "/help", "session_id": session, "model": "test/scripted" });
    run(model).await.refused(400, "bad_command");
    let unknown = json!({ "line": "/sum", "session_id": session, "model": "no/such" });
    run(unknown).await.refused(400, "unknown_model");
}

#[tokio::test]
async fn a_prompt_that_cannot_be_is_refused() {
    let house = House::new().await;
    let prompt = |name: &str, content: &str| json!({ "name": name, "content": content });
    for (body, status, code) in [
        (prompt("help", "x"), 409, "name_taken"),
        (prompt("new", "x"), 409, "name_taken"),
        (prompt("Up", "x"), 400, "bad_name"),
        (prompt("a b", "x"), 400, "bad_name"),
        (prompt(&"a".repeat(41), "x"), 400, "bad_name"),
        (prompt("a", " "), 400, "bad_prompt"),
        (prompt("a", "bell\u{7}"), 400, "bad_prompt"),
        (prompt("a", &"x".repeat(20_001)), 400, "bad_prompt"),
        (json!({ "name": "a", "content": "x", "description": "two\nlines" }), 400, "bad_prompt"),
    ] {
        house.call("POST", "/v1/saved-prompts").json(&body).send().await.refused(status, code);
    }
    house.call("POST", "/v1/saved-prompts").json(&prompt("a", "x")).send().await.expect(201);
    house.call("POST", "/v1/saved-prompts").json(&prompt("a", "y")).send().await.refused(409, "name_taken");
}

/// What is written into an earlier message later, and how the conversation is called later, came later.
#[tokio::test]
async fn others_read_no_answer_and_no_name_of_later() {
    let house = House::new().await;
    let agent = format!("/v1/agents/{}", house.main_agent().await);
    let markup = json!({ "markup": { "mode": "on" } });
    house.call("PATCH", &agent).json(&markup).send().await.expect(200);
    let ask = |id: &str| format!("<hml-prompt id=\"{id}\" type=\"text\">Colour?</hml-prompt>");
    let asked = ["a", "b", "c"].map(ask).join("\n");
    house.model.respond(move |_| Reply::text(asked.clone()));
    house.give_password("Ada").await;
    let (ada, bob) = (house.signed_in("Ada").await, house.resident("bob", UserRole::Guest).await);
    let session = talk(&house, "marmalade").await;
    let path = format!("/v1/sessions/{session}");
    let called = async |name: &str| {
        house.call("PATCH", &path).json(&json!({ "name": name })).send().await.expect(200);
    };
    let listed = house.call("GET", &format!("{path}/messages")).send().await.expect(200);
    let message = listed["items"][1]["id"].as_str().unwrap().to_owned();
    let answers = async |prompt: &str, answer: &str| {
        let path = format!("{path}/prompts/{message}/{prompt}");
        house.call("POST", &path).json(&json!({ "answer": answer })).send().await.expect(200);
    };
    called("Breakfast").await;
    answers("a", "amber").await;
    answers("b", "beige").await;
    let shown = async |link: &Value| {
        let path = format!("/v1/shared/{}", link["secret"].as_str().unwrap());
        bob.call("GET", &path).send().await.expect(200)
    };
    let early = ada.call("POST", &format!("{path}/links")).send().await.expect(201);
    called("The secret party").await;
    answers("b", "blood red").await;
    answers("c", "cyan").await;
    let told = shown(&early).await;
    assert_eq!(told["name"], "Breakfast");
    let told = told["items"].to_string();
    assert!(told.contains("amber") && told.contains("beige"), "{told}");
    assert!(!told.contains("blood red") && !told.contains("cyan"), "{told}");
    // The control: a link that is made now shows them.
    let late = ada.call("POST", &format!("{path}/links")).send().await.expect(201);
    let told = shown(&late).await;
    assert_eq!(told["name"], "The secret party");
    let told = told["items"].to_string();
    assert!(told.contains("blood red") && told.contains("cyan") && !told.contains("beige"), "{told}");
}

#[tokio::test]
async fn others_read_what_was_said_until_then() {
    let house = House::new().await;
    house.model.respond(|request| Reply::text(format!("You said {}.", request.last_user())));
    house.give_password("Ada").await;
    let (ada, bob) = (house.signed_in("Ada").await, house.resident("bob", UserRole::Guest).await);
    let session = talk(&house, "marmalade").await;
    let links = format!("/v1/sessions/{session}/links");
    house.call("POST", &links).send().await.refused(403, "scope_insufficient");
    let link = ada.call("POST", &links).send().await.expect(201);
    say(&house, &session, "a later secret").await;
    let path = format!("/v1/shared/{}", link["secret"].as_str().unwrap());
    let shown = bob.call("GET", &path).send().await.expect(200);
    assert_eq!((&shown["shared_by"], shown["items"].as_array().unwrap().len()), (&json!("Ada"), 2));
    assert_eq!(shown["items"][1]["content"], "You said marmalade.");
    assert!(!shown.to_string().contains("later"), "{shown}");
    let piece = bob.call("GET", &format!("{path}?limit=1")).send().await.expect(200);
    let next = piece["next_cursor"].as_str().unwrap();
    let rest = bob.call("GET", &format!("{path}?after_seq={next}")).send().await.expect(200);
    assert_eq!((&rest["items"], &rest["next_cursor"]), (&json!([shown["items"][1]]), &json!(null)));
    house.anonymous("GET", &path).send().await.refused(401, "unauthorized");
    let chat = house.issue(bob.id, Scope::Chat).await;
    house.anonymous("GET", &path).key(&chat).send().await.refused(403, "scope_insufficient");
    bob.call("GET", &format!("/v1/shared/{}", "0".repeat(64))).send().await.refused(404, "not_found");
    bob.call("GET", "/v1/shared/%00").send().await.refused(404, "not_found");

    let listed = ada.call("GET", &links).send().await.expect(200);
    assert_eq!(listed["items"], json!([link]));
    let revoke = format!("/v1/links/{}", link["id"].as_str().unwrap());
    bob.call("DELETE", &revoke).send().await.refused(404, "not_found");
    assert_eq!(ada.call("DELETE", &revoke).send().await.status, 204);
    bob.call("GET", &path).send().await.refused(404, "not_found");
    // A deleted conversation is shown to no one, also while its deletion can be taken back.
    let link = ada.call("POST", &links).send().await.expect(201);
    let path = format!("/v1/shared/{}", link["secret"].as_str().unwrap());
    bob.call("GET", &path).send().await.expect(200);
    let many =
        KeepMany { ids: vec![session.parse().unwrap()], action: domain::KeepAction::Delete, folder_id: None };
    house.engine.keep_sessions(house.owner().await, many).await.unwrap();
    bob.call("GET", &path).send().await.refused(404, "not_found");
}

#[tokio::test]
async fn a_conversation_becomes_a_file() {
    let house = House::new().await;
    house.model.respond(|_| Reply::text("**Marmalade**, of course."));
    let session = talk(&house, "What goes on bread?").await;
    for _ in 0..60 {
        say(&house, &session, "And on toast?").await;
    }
    let path = format!("/v1/sessions/{session}/export");
    let answer = house.call("GET", &path).send().await;
    assert_eq!(answer.status, 200);
    let text = String::from_utf8(answer.bytes.to_vec()).unwrap();
    assert!(text.starts_with("# ") && text.contains("## You · "), "{text}");
    assert_eq!(text.matches("**Marmalade**, of course.").count(), 61);
    let answer = house.call("GET", &format!("{path}?format=json")).send().await.expect(200);
    assert_eq!(answer["messages"].as_array().unwrap().len(), 122, "in pieces, and whole");
    assert_eq!(answer["session"]["id"], session);
    house.call("GET", &format!("{path}?format=pdf")).send().await.refused(400, "bad_query");
}

#[tokio::test]
async fn a_file_is_in_the_words_and_the_time_of_its_person() {
    let house = House::new().await;
    house.model.respond(|_| Reply::text("Gerne."));
    let me = json!({ "language": "de-AT", "time_zone": "Asia/Kathmandu" });
    house.call("PATCH", "/v1/me").json(&me).send().await.expect(200);
    let upload = async |name: &str, kind: &str, content: &[u8]| {
        let head = format!(
            "--xyz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: {kind}\r\n\r\n"
        );
        let body = [head.as_bytes(), content, b"\r\n--xyz--\r\n"].concat();
        let kind = "multipart/form-data; boundary=xyz";
        house.call("POST", "/v1/uploads").body(kind, body).send().await.expect(201)["id"].clone()
    };
    let picture =
        upload("Kessel.png", "image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x01").await;
    let notes = upload("Notizen.txt", "text/plain", b"Milch, Brot").await;
    let session = talk(&house, "Hallo").await;
    let attached = json!([{ "upload_id": picture }, { "upload_id": notes }]);
    let said = json!({ "content": "Schau", "attachments": attached, "model": "test/scripted-vision" });
    let path = format!("/v1/sessions/{session}/messages");
    house.call("POST", &path).json(&said).send().await.expect(200);
    let answer = house.call("GET", &format!("/v1/sessions/{session}/export")).send().await;
    let text = String::from_utf8(answer.bytes.to_vec()).unwrap();
    assert!(text.contains("\n\nSchau\n\nAngehängt: Kessel.png, Notizen.txt\n"), "{text}");
    assert!(text.contains("\n## Agent · ") && !text.contains("You"), "{text}");
    // No raw instant: the day, the month in words, and a clock 5 h 45 min ahead.
    let heads: Vec<&str> = text.lines().filter(|line| line.starts_with("## Sie · ")).collect();
    assert_eq!(heads.len(), 2, "{text}");
    let messages = house.call("GET", &path).send().await.expect(200);
    let at = messages["items"].as_array().unwrap().iter().find(|one| one["content"] == "Hallo").unwrap();
    let minute: u32 = at["created_at"].as_str().unwrap()[14..16].parse().unwrap();
    assert!(heads[0].ends_with(&format!(":{:02}", (minute + 45) % 60)), "{} {at}", heads[0]);
    assert!(!text.contains('Z'), "{text}");
}

#[tokio::test]
async fn a_link_says_who_wrote_what() {
    let house = House::new().await;
    house.model.respond(|_| Reply::text("Hello."));
    house.give_password("Ada").await;
    let (ada, bob) = (house.signed_in("Ada").await, house.resident("bob", UserRole::Guest).await);
    let key = house.bridge(house.owner().await, "signal").await;
    let said = json!({ "message": "Hi", "source": "signal", "sender": "Zoe" });
    let told = house.call("POST", "/chat").key(&key).json(&said).send().await.expect(200);
    let session = told["session_id"].as_str().unwrap();
    let own = talk(&house, "From me").await;
    for (session, author) in [(session, json!("Zoe")), (own.as_str(), json!(null))] {
        let link = ada.call("POST", &format!("/v1/sessions/{session}/links")).send().await.expect(201);
        let path = format!("/v1/shared/{}", link["secret"].as_str().unwrap());
        let shown = bob.call("GET", &path).send().await.expect(200);
        assert_eq!((&shown["items"][0]["author"], &shown["items"][1]["author"]), (&author, &json!(null)));
    }
}
