//! Agents that work for each other while the program is killed: who waits and who works both finish, once.

use crate::world::{self, Backend, World, quiet};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};
use std::{collections::HashMap, time::Duration};
use testkit::{
    client::Client,
    model::{Recorded, Reply},
};
use tokio::time::sleep;

const POINTS: [&str; 6] = [
    "deliver_before_commit:1",
    "deliver_after_commit:1",
    "send_before_commit:1",
    "send_after_commit:1",
    "turn_before_commit:3",
    "turn_after_commit:4",
];

/// The boss tells the first something, asks the second, and makes a subagent that has an effect; each by the number of
/// the round, so that whatever happens twice is seen.
fn reply(request: &Recorded) -> Reply {
    let told = request.messages().first().map(|message| message["content"].to_string()).unwrap_or_default();
    let said = request.last_user();
    let round = said.split_whitespace().last().unwrap_or_default().to_owned();
    let slowly = |text: &str| {
        let words: Vec<String> = text.split_inclusive(' ').map(str::to_owned).collect();
        Reply::pieces(words).pace(Duration::from_millis(5))
    };
    match request.results_since_user().len() {
        0 if told.contains("You are the boss.") => Reply::calls([
            ("send_agent_message", json!({ "agent": "clerk", "message": format!("note {round}") })),
            ("delegate", json!({ "agent": "clerk", "task": format!("file {round}") })),
            (
                "spawn_agent",
                json!({ "instructions": "Be quick.", "task": format!("count {round}"), "tools": ["count_effect"] }),
            ),
        ]),
        0 if told.contains("Be quick.") => {
            Reply::calls([("count_effect", json!({ "tag": format!("tag-{round}") }))])
        }
        _ => slowly("one two three four five"),
    }
}

async fn log(client: &Client, session: &str) -> Vec<Value> {
    crate::checker::log(client, session).await
}

fn count(events: &[Value], kind: &str) -> usize {
    events.iter().filter(|event| event["type"] == kind).count()
}

/// What every child was told, and whether all of them came to rest.
async fn children(client: &Client, session: &str) -> HashMap<String, usize> {
    let mut told = HashMap::new();
    let list = client.get(&format!("/v1/sessions?parent_id={session}&limit=100")).await.unwrap().expect(200);
    for child in list["items"].as_array().unwrap() {
        let id = child["id"].as_str().unwrap();
        quiet(client, id).await;
        for event in log(client, id).await.iter().filter(|event| event["type"] == "user_message") {
            let text = event["data"]["message"]["content"].as_str().unwrap().to_owned();
            *told.entry(text).or_default() += 1;
        }
    }
    told
}

async fn check_round(client: &Client, session: &str, round: usize) {
    quiet(client, session).await;
    let told = children(client, session).await;
    for said in ["note", "file", "count"] {
        assert_eq!(told.get(&format!("{said} {round}")), Some(&1), "round {round}: {told:?}");
    }
    let events = log(client, session).await;
    let rounds = round + 1;
    assert_eq!(count(&events, "errand_started"), 2 * rounds);
    assert_eq!(count(&events, "errand_ended"), 2 * rounds, "each answer is delivered once");
    assert_eq!(count(&events, "tool_use_start"), 3 * rounds);
    assert_eq!(count(&events, "tool_result"), 3 * rounds, "each call has one result");
    let last = events.iter().rev().find(|event| event["type"] == "turn_ended").unwrap();
    assert_eq!(last["data"]["outcome"], "completed");
}

async fn killed_again_and_again(backend: Backend, rounds: usize, seed: u64) {
    let Some(world) = World::new(backend).await else {
        return;
    };
    println!("colleagues: {backend:?}, {rounds} rounds, seed {seed}");
    let mut random = StdRng::seed_from_u64(seed);
    world.model.respond(reply);
    let mut running = world.serve().await;
    let client = running.client(&world.key);
    let boss = json!({
        "name": "boss", "system_prompt": "You are the boss.", "capabilities": ["colleagues", "counting"],
        "markup": { "mode": "off" },
    });
    let boss = world::agent(&client, boss).await;
    let clerk =
        json!({ "name": "clerk", "system_prompt": "You are the clerk.", "markup": { "mode": "off" } });
    world::agent(&client, clerk).await;
    let session = world::new_session(&client, &boss).await;
    for round in 0..rounds {
        let text = format!("round {round}");
        let point = POINTS.get(round);
        if let Some(point) = point {
            assert_eq!(running.terminate().await.unwrap(), Some(0));
            running = world.program.clone().env("CRASH_AT", *point).serve().await.unwrap();
        }
        let client = running.client(&world.key);
        let body = json!({ "content": text });
        let sent = async {
            if let Ok(mut stream) = client.send_message(&session, &text, &body).await {
                while let Ok(Some(event)) = stream.next().await {
                    if event.event == "turn_ended" {
                        return;
                    }
                }
            }
        };
        match point {
            // It ends itself.
            Some(_) => sent.await,
            None => {
                let moment = Duration::from_millis(random.random_range(1..400));
                let _ = tokio::time::timeout(moment, sent).await;
                sleep(Duration::from_millis(random.random_range(0..50))).await;
            }
        }
        let _ = running.kill().await;
        running = world.serve().await;
        let client = running.client(&world.key);
        // Whoever got no answer asks again with the same key: it is the same message.
        client.send_message(&session, &text, &body).await.unwrap();
        check_round(&client, &session, round).await;
    }
    for ((tool, tag), runs) in testkit::counting::counts(&world.counter) {
        assert!(tool != "count_effect" || runs == 1, "the effect {tag} happened {runs} times");
    }
    world.model.assert_clean();
    assert_eq!(running.terminate().await.unwrap(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_finish_once_whatever_dies_on_sqlite() {
    killed_again_and_again(Backend::Sqlite, 16, 11).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_finish_once_whatever_dies_on_postgres() {
    killed_again_and_again(Backend::Postgres, 10, 12).await;
}
