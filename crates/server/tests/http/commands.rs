//! Slash commands: what people type, in every client.

use crate::support::{House, Socket, refusal};
use domain::{Scope, UserRole};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::model::Reply;
use tokio::sync::Notify;

async fn run(house: &House, session: Option<&str>, line: &str) -> Value {
    let body = json!({ "line": line, "session_id": session });
    house.call("POST", "/v1/commands").json(&body).send().await.expect(200)
}

async fn refused(house: &House, session: Option<&str>, line: &str, status: u16, code: &str) {
    let body = json!({ "line": line, "session_id": session });
    house.call("POST", "/v1/commands").json(&body).send().await.refused(status, code);
}

fn opened(answer: &Value) -> String {
    let effect = &answer["effects"][0];
    assert_eq!(effect["type"], "open_session", "{answer}");
    effect["session_id"].as_str().unwrap().to_owned()
}

/// HERO-70
#[tokio::test]
async fn help_lists_finds_and_explains() {
    let house = House::new().await;
    let short = run(&house, None, "/help").await;
    let text = short["text"].as_str().unwrap();
    for word in ["**Commands**", "- `/sessions` — ", "`/help all`"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(text.lines().count() < 20, "one screen: {text}");
    let help = run(&house, None, "/help all").await;
    assert_eq!(short["data"], help["data"], "programs are told the same");
    let text = help["text"].as_str().unwrap();
    for word in ["**Commands**", "- `/session` — ", "**Tools**", "- `add` — ", "**Elements**"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert_eq!(help["data"], house.call("GET", "/v1/help").send().await.expect(200));
    let prompt = json!({ "name": "greet", "content": "Hello", "description": "text" });
    house.call("POST", "/v1/saved-prompts").json(&prompt).send().await.expect(201);
    let ability = json!({ "name": "tidy", "type": "process", "content": "Be tidy.", "description": "a `b`", "tags": [] });
    house.call("POST", "/v1/abilities").json(&ability).send().await.expect(201);
    let help = run(&house, None, "/help all").await;
    let text = help["text"].as_str().unwrap();
    for quoted in ["- `/greet` — `text`\n", "**Abilities**\n- `_", "- `tidy` — `a 'b'`\n"] {
        assert!(text.contains(quoted), "words of people are quoted, {quoted}: {text}");
    }
    let one = run(&house, None, "/help session").await;
    assert!(one["text"].as_str().unwrap().contains("`/session fork [ID] [after_seq=N]`"), "{one}");
    let found = run(&house, None, "/help category=tools ^(add|sub)").await;
    let names: Vec<&str> = found["data"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["add", "subtract"]);
    let words = run(&house, None, "/help category=tools numbers two").await;
    assert_eq!(words["data"]["tools"][0]["name"], "add", "words in any order");
    assert!(run(&house, None, "/help zzzz").await["text"].as_str().unwrap().starts_with("Nothing found"));
    refused(&house, None, "/help (", 400, "bad_filter").await;
    refused(&house, None, "/help category=dances", 400, "bad_category").await;
    refused(&house, None, "/help detailed=perhaps", 400, "bad_command").await;
    // What would take for ever elsewhere is refused, or takes no time.
    refused(&house, None, "/help (a{500}){500}", 400, "bad_filter").await;
    run(&house, None, "/help (a*)*(a*)*(a*)*b").await;
}

/// HERO-71
#[tokio::test]
async fn sessions_are_managed() {
    let house = House::new().await;
    house.model.respond(|_| Reply::text("Noted."));
    let first = house.session().await;
    let path = format!("/v1/sessions/{first}/messages");
    house.call("POST", &path).json(&json!({ "content": "/clear" })).send().await.expect(200);
    assert_eq!(house.model.requests().len(), 1, "in a message, a slash is a sign like any other");

    let cleared = run(&house, Some(&first), "/clear").await;
    let second = opened(&cleared);
    assert_eq!(cleared["data"]["before"], json!(first));
    assert_eq!(cleared["command"], "clear");
    let kept = house.call("GET", &path).send().await.expect(200);
    assert_eq!(kept["total"], 2, "the old conversation is kept");

    let named = run(&house, Some(&second), "/session rename Tom's plan").await;
    assert_eq!(named["data"]["session"]["name"], "Tom's plan");
    let list = run(&house, Some(&second), "/sessions").await;
    assert_eq!(list["data"]["total"], 2);
    assert!(list["text"].as_str().unwrap().contains("- `Tom's plan` · idle"), "{list}");
    let shown = run(&house, Some(&second), "/session").await;
    assert_eq!(shown["data"]["session"]["id"], json!(second));
    assert_eq!(opened(&run(&house, Some(&second), &format!("/session {first}")).await), first);
    let fork = run(&house, Some(&second), &format!("/session fork {first} after_seq=0")).await;
    assert_eq!((&fork["data"]["session"]["parent_id"], opened(&fork) == first), (&json!(first), false));
    run(&house, Some(&second), "/archive").await;
    let away = run(&house, None, "/session list archived=true").await;
    assert_eq!((&away["data"]["items"][0]["id"], &away["data"]["total"]), (&json!(second), &json!(1)));
    run(&house, Some(&second), "/session unarchive").await;
    let unnamed = run(&house, Some(&second), "/session rename").await;
    assert_eq!(unnamed["data"]["session"]["name"], Value::Null);
    opened(&run(&house, None, "/session create agent=main Roses and 'thorns'").await);
}

#[tokio::test]
async fn agents_are_managed() {
    let house = House::new().await;
    let made = run(&house, None, "/agent create gardener system_prompt=\"You know plants.\"").await;
    let id = made["data"]["agent"]["id"].as_str().unwrap().to_owned();
    let settings = r#"/agent configure gardener {"limits": {"steps": 3}, "capabilities": ["test_math"]}"#;
    let changed = run(&house, None, settings).await["data"]["agent"].clone();
    assert_eq!((&changed["limits"]["steps"], &changed["limits"]["calls_per_step"]), (&json!(3), &json!(32)));
    assert_eq!(changed["system_prompt"], "You know plants.");
    run(&house, None, "/agent configure gardener limits='{\"wall_seconds\": 60}' system_prompt=null").await;
    let shown = house.call("GET", &format!("/v1/agents/{id}")).send().await.expect(200);
    assert_eq!((&shown["limits"]["steps"], &shown["limits"]["wall_seconds"]), (&json!(3), &json!(60)));
    assert_eq!((&shown["system_prompt"], &shown["capabilities"]), (&json!(""), &json!(["test_math"])));
    let session = opened(&run(&house, None, "/session create agent=gardener").await);
    assert_eq!(run(&house, Some(&session), "/agent show").await["data"]["agent"]["id"], json!(id));
    assert_eq!(run(&house, None, "/agents").await["data"]["total"], 2);
    refused(&house, None, "/agent delete gardener", 409, "agent_in_use").await;
    refused(&house, None, "/agent delete main", 409, "main_agent").await;
    run(&house, Some(&session), "/archive").await;
    run(&house, None, "/agent delete gardener").await;
    refused(&house, None, "/agent show gardener", 404, "not_found").await;
    for (line, code) in [
        ("/agent create", "missing_name"),
        ("/agent create main", "name_taken"),
        ("/agent configure main", "bad_command"),
        ("/agent configure main model", "bad_command"),
        ("/agent configure main {\"model\": ", "bad_command"),
        ("/agent configure main colour=red", "bad_command"),
        ("/agent configure main model=nobody/nothing", "unknown_model"),
    ] {
        let status = if code == "name_taken" { 409 } else { 400 };
        refused(&house, None, line, status, code).await;
    }
}

#[tokio::test]
async fn a_command_works_while_a_turn_runs() {
    let house = House::new().await;
    let session = house.session().await;
    house.model.script(Reply::pieces(["One", "two"]).gate_after_pieces(1, Arc::new(Notify::new())));
    let mut socket = house.socket_of(&house.key).await;
    socket.subscribe(&session, None).await;
    socket.send(&session, "k", "Count").await;
    socket.until("text").await;
    assert!(run(&house, Some(&session), "/session").await["text"].as_str().unwrap().contains("working"));
    refused(&house, Some(&session), "/archive", 409, "session_busy").await;
    assert_eq!(run(&house, Some(&session), "/stop").await["text"], "Stopping…");
    socket.until("turn_ended").await;
    assert_eq!(run(&house, Some(&session), "/stop").await["text"], "Nothing is running.");
    refused(&house, Some(&session), "/retry", 409, "nothing_to_retry").await;
}

#[tokio::test]
async fn a_failed_turn_runs_again() {
    let house = House::new().await;
    let session = house.session().await;
    house.model.script(Reply::status(400));
    house.model.respond(|_| Reply::text("Yes"));
    let path = format!("/v1/sessions/{session}/messages");
    let failed = house.call("POST", &path).json(&json!({ "content": "Hi" })).send().await.expect(200);
    assert_eq!(failed["outcome"], "failed");
    let retried = run(&house, Some(&session), "/retry").await;
    let effect = &retried["effects"][0];
    assert_eq!((&effect["type"], &effect["turn_id"]), (&json!("follow_turn"), &failed["turn_id"]));
    assert!(effect["cursor"].is_string());
}

#[tokio::test]
async fn what_was_sent_twice_happens_once() {
    let house = House::new().await;
    let session = house.session().await;
    let body = json!({ "line": "/clear", "session_id": session });
    let send = || house.call("POST", "/v1/commands").header("idempotency-key", "k").json(&body).send();
    assert_eq!(opened(&send().await.expect(200)), opened(&send().await.expect(200)));
    assert_eq!(run(&house, None, "/sessions").await["data"]["total"], 2);
    let long = house.call("POST", "/v1/commands").header("idempotency-key", &"k".repeat(256)).json(&body);
    long.send().await.refused(400, "bad_idempotency_key");
}

/// HERO-31
#[tokio::test]
async fn what_makes_no_sense_is_told() {
    let house = House::new().await;
    let session = house.session().await;
    for (line, code) in [
        ("/nope", "unknown_command"),
        ("", "unknown_command"),
        ("/", "unknown_command"),
        ("//help", "unknown_command"),
        ("/\u{202e}help", "unknown_command"),
        ("/session rename 'x", "bad_command"),
        ("/session dance", "bad_command"),
        ("/session fork after_seq=-1", "bad_command"),
        ("/session list archived=often", "bad_command"),
        ("/session rename a\u{202e}b", "bad_name"),
        ("/clear all of it", "bad_command"),
    ] {
        refused(&house, Some(&session), line, 400, code).await;
    }
    refused(&house, Some(&session), &format!("/help {}", "x".repeat(20_000)), 413, "too_large").await;
    for line in ["/clear", "/stop", "/retry", "/session", "/session rename x"] {
        refused(&house, None, line, 400, "no_session").await;
    }
    for body in [json!({}), json!({ "line": 5 }), json!({ "line": "/help", "as": "root" }), json!([])] {
        house.call("POST", "/v1/commands").json(&body).send().await.refused(400, "bad_field");
    }
}

/// HERO-74
#[tokio::test]
async fn somebody_elses_is_not_there() {
    let house = House::new().await;
    let session = house.session().await;
    let agent = house.main_agent().await;
    let (_, other) = house.person("Bea", UserRole::Member).await;
    let body = json!({ "line": "/help", "session_id": session });
    house.call("POST", "/v1/commands").key(&other).json(&body).send().await.refused(404, "not_found");
    for line in [
        format!("/session open {session}"),
        format!("/session {session}"),
        format!("/session rename id={session} Mine"),
        format!("/session archive {session}"),
        format!("/session fork {session}"),
        format!("/agent show {agent}"),
        format!("/agent configure {agent} model=demo"),
        format!("/agent delete {agent}"),
        format!("/session create agent={agent}"),
    ] {
        let body = json!({ "line": line });
        house.call("POST", "/v1/commands").key(&other).json(&body).send().await.refused(404, "not_found");
    }
    // The control: for its own person each of them names something.
    run(&house, None, &format!("/session open {session}")).await;
    run(&house, None, &format!("/agent show {agent}")).await;
}

#[tokio::test]
async fn a_command_reaches_no_further_than_its_route() {
    let house = House::new().await;
    let session = house.session().await;
    let chat = house.issue(house.owner().await, Scope::Chat).await;
    let try_as = async |key: &str, line: &str| {
        let body = json!({ "line": line, "session_id": session });
        house.call("POST", "/v1/commands").key(key).json(&body).send().await
    };
    for line in ["/help", "/sessions", "/session", "/clear", "/session fork", "/stop"] {
        try_as(&chat, line).await.expect(200);
    }
    for line in ["/archive", "/session rename x", "/agent list", "/agent create x", "/agent delete main"] {
        try_as(&chat, line).await.refused(403, "scope_insufficient");
        assert_ne!(try_as(&house.key, line).await.status, 403, "{line}");
    }
    let read = house.issue(house.owner().await, Scope::Read).await;
    try_as(&read, "/help").await.refused(403, "scope_insufficient");
    let (_, guest) = house.person("Gus", UserRole::Guest).await;
    for line in ["/agent create x", "/agent delete main", "/agent configure main model=x"] {
        let body = json!({ "line": line });
        let answer = house.call("POST", "/v1/commands").key(&guest).json(&body).send().await;
        answer.refused(403, "role_insufficient");
    }
}

async fn command(socket: &mut Socket, session: Option<&str>, line: &str) -> Value {
    socket
        .ask(&json!({ "type": "command", "session_id": session, "line": line, "idempotency_key": "c" }))
        .await
}

#[tokio::test]
async fn a_window_runs_commands() {
    let house = House::new().await;
    let session = house.session().await;
    let mut socket = house.socket_of(&house.key).await;
    let answer = command(&mut socket, Some(&session), "/session rename Garden").await;
    assert_eq!((&answer["type"], &answer["command"]), (&json!("command_result"), &json!("session")));
    assert_eq!((&answer["session_id"], &answer["idempotency_key"]), (&json!(session), &json!("c")));
    assert_eq!(answer["data"]["session"]["name"], "Garden");
    assert_eq!(refusal(&command(&mut socket, None, "/nope").await), (400, "unknown_command"));
    assert_eq!(refusal(&command(&mut socket, None, "/clear").await), (400, "no_session"));
    let (_, other) = house.person("Bea", UserRole::Member).await;
    let mut theirs = house.socket_of(&other).await;
    assert_eq!(refusal(&command(&mut theirs, Some(&session), "/help").await), (404, "not_found"));
    let read = house.issue(house.owner().await, Scope::Read).await;
    let mut reader = house.socket_of(&read).await;
    assert_eq!(refusal(&command(&mut reader, None, "/help").await), (403, "scope_insufficient"));
}
