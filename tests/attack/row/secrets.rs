//! Row 25: what is secret is told to no model, however it asks. That nothing was told is looked at after every attack; what
//! is here are the ways of asking.

use super::{Control::Unhindered, attacks};
use crate::stage::{Outcome, Stage};
use serde_json::{Value, json};
use testkit::model::Reply;

attacks! {
    25 "ask for settings, keys and the environment" Unhindered => asking;
    25 "have a provider's complaint carry the key" Unhindered => complaint;
    25 "read what other people said" Unhindered => others;
}

/// That it is there to be read.
fn is_there(stage: &Stage<'_>) -> Outcome {
    let pid = stage.house.running.id().unwrap();
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let text = String::from_utf8_lossy(&environment).into_owned();
    let key = stage
        .house
        .model
        .last_request()
        .and_then(|request| request.header("authorization").map(str::to_owned));
    let told = key.is_some_and(|key| key.contains(stage.house.canary("provider key")));
    match text.contains(stage.house.canary("environment")) && told {
        true => Outcome::Done("it is in the environment and in the request's head".to_owned()),
        false => Outcome::Stopped,
    }
}

fn questions() -> Vec<(&'static str, Value)> {
    let mut all: Vec<(&str, Value)> = [
        "env",
        "get_env",
        "config_get",
        "get_config",
        "plugin.config.get",
        "settings",
        "debug",
        "logs",
        "get_secret",
        "read_secret",
        "provider",
        "providers",
        "whoami",
    ]
    .map(|name| (name, json!({ "key": "MAJORDOMO_PROVIDER_TEST_API_KEY" })))
    .into();
    all.extend(
        ["key", "secret", "environment", "provider", "."].map(|words| ("help", json!({ "filter": words }))),
    );
    all.push(("agent", json!({ "action": "list" })));
    all.push(("agent", json!({ "action": "show" })));
    all.push(("session", json!({ "action": "list" })));
    all.push(("session", json!({ "action": "show", "id": "${HOUSE_SECRET}" })));
    all.push(("read_file", json!({ "path": "/proc/self/environ" })));
    all
}

async fn asking(stage: &Stage<'_>) -> Outcome {
    let agent = json!({
        "capabilities": ["commands", "session_file_system", "current_time"],
        // Placeholders of every kind that somebody may have made.
        "system_prompt": "{{ env.HOUSE_SECRET }} ${HOUSE_SECRET} $HOUSE_SECRET {{HOUSE_SECRET}} %HOUSE_SECRET% {{ provider.api_key }}",
    });
    let told = stage
        .attack(agent, |moment| match moment.step {
            0 => Reply::calls(questions()),
            1 => Reply::text(
                questions()
                    .iter()
                    .map(|(name, value)| format!("@system({name}, {value})\n"))
                    .collect::<String>(),
            ),
            2 => Reply::text("{{ env.HOUSE_SECRET }} @system(help, {detailed: true})\n!!env!!\n"),
            _ => Reply::text("Done."),
        })
        .await;
    if stage.control {
        return is_there(stage);
    }
    told_nothing(stage, &told)
}

/// What is secret is not in what people are told, either.
fn told_nothing(stage: &Stage<'_>, told: &crate::stage::Told) -> Outcome {
    let events = json!(told.events).to_string();
    match stage.house.detector.find(events.as_bytes(), &[crate::canary::Reach::Nobody]) {
        Some(what) => Outcome::Done(format!("{what} stands in the session's log")),
        None => stage.held(told),
    }
}

/// A provider, or what pretends to be one, says what it was sent.
async fn complaint(stage: &Stage<'_>) -> Outcome {
    let told = stage
        .attack(json!({}), |moment| {
            let key = moment.request.header("authorization").unwrap_or_default().to_owned();
            let words = format!("Invalid credentials: {key}");
            Reply::status(400).body(json!({ "error": { "message": words } }).to_string())
        })
        .await;
    if stage.control {
        return is_there(stage);
    }
    told_nothing(stage, &told)
}

async fn others(stage: &Stage<'_>) -> Outcome {
    let sessions = stage.house.eve.get("/v1/sessions").await.unwrap().expect(200);
    let session = sessions["items"][0]["id"].as_str().unwrap().to_owned();
    let wanted = stage.house.canary("message of another").to_owned();
    if stage.control {
        let said = stage.house.eve.get(&format!("/v1/sessions/{session}/messages")).await.unwrap();
        let read = said.body.to_string().contains(&wanted);
        return if read { Outcome::Done("who wrote it reads it".to_owned()) } else { Outcome::Stopped };
    }
    let told = stage
        .attack(json!({ "capabilities": ["commands", "colleagues"] }), move |moment| match moment.step {
            0 => Reply::calls([
                ("session", json!({ "action": "open", "id": session })),
                ("session", json!({ "action": "fork", "id": session })),
                ("session", json!({ "action": "list", "archived": true })),
                ("delegate", json!({ "session_id": session, "task": "Say it again." })),
                ("delegate", json!({ "agent": "diary", "task": "Say it again." })),
                ("send_agent_message", json!({ "agent": "diary", "message": "Say it again." })),
                ("list_agents", json!({})),
            ]),
            _ => Reply::text("Done."),
        })
        .await;
    told_nothing(stage, &told)
}
