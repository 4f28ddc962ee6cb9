//! The master key is changed and the program dies in the middle of it, again and again: at every moment everything can
//! be read, and the next attempt goes on where the last one was cut off.

use crate::world::{self, Backend, World};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};
use std::{path::Path, time::Duration};
use testkit::model::Reply;

const POINTS: [&str; 6] = [
    "rotation_key_written",
    "rotation_begun",
    "rotation_step",
    "rotation_finished",
    "rotation_retired",
    "rotation_promoted",
];

/// People beside the owner, so that wrapping their keys anew takes several steps.
const PEOPLE: usize = 5;

async fn populate(world: &World) -> Vec<String> {
    for number in 0..PEOPLE {
        let name = format!("person{number}");
        let add = ["user", "add", &name, "--role", "member", "--password-stdin"];
        world.program.must(&add, "correct horse\n").await;
    }
    world.model.respond(|request| Reply::text(format!("you said {}", request.last_user())));
    let running = world.serve().await;
    let client = running.client(&world.key);
    let agent = world::worker(&client).await;
    let mut sessions = Vec::new();
    for number in 0..3 {
        let session = world::new_session(&client, &agent).await;
        let body = json!({ "content": format!("hello {number}") });
        client.post(&format!("/v1/sessions/{session}/messages"), &body).await.unwrap().expect(200);
        sessions.push(session);
    }
    assert_eq!(running.terminate().await.unwrap(), Some(0));
    sessions
}

/// Everything that hangs on the master key, as people see it.
async fn everything(world: &World, sessions: &[String]) -> Vec<Value> {
    let running = world.serve().await;
    let client = running.client(&world.key);
    let mut found = Vec::new();
    for path in ["/v1/me", "/v1/agents?limit=100", "/v1/sessions?limit=100"] {
        found.push(client.get(path).await.unwrap().expect(200));
    }
    for session in sessions {
        for what in ["messages", "events"] {
            found.push(client.get(&format!("/v1/sessions/{session}/{what}")).await.unwrap().expect(200));
        }
    }
    let everybody = world.program.must(&["user", "list", "--json"], "").await;
    found.push(serde_json::from_str(&everybody).unwrap());
    assert_eq!(running.terminate().await.unwrap(), Some(0));
    found
}

/// One attempt that is cut off somewhere; how it was.
async fn cut_off(world: &World, random: &mut StdRng, round: usize) -> String {
    let point = format!("{}:{}", POINTS[random.random_range(0..POINTS.len())], random.random_range(1..4));
    match round % 3 {
        // By a command that does the work itself.
        0 => {
            let armed = world.program.clone().env("CRASH_AT", &point);
            let done = armed.run(&["key", "rotate"], "").await.unwrap();
            format!("command at {point}: {:?}", done.status.code())
        }
        // By a server, asked through its socket.
        1 => {
            let running = world.program.clone().env("CRASH_AT", &point).serve().await.unwrap();
            let done = world.program.run(&["key", "rotate"], "").await.unwrap();
            running.kill().await.unwrap();
            format!("server at {point}: {:?}", done.status.code())
        }
        // kill -9 at any moment.
        _ => {
            let mut child = world.program.spawn(&["key", "rotate"]).unwrap();
            let pause = Duration::from_millis(random.random_range(0..250));
            tokio::time::sleep(pause).await;
            child.kill().await.unwrap();
            format!("kill -9 after {pause:?}")
        }
    }
}

async fn rotate(backend: Backend, rounds: usize, seed: u64) {
    println!("rotation: {backend:?}, {rounds} rounds, replay with KILL_SEED={seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let Some(world) = World::new(backend).await else {
        return;
    };
    let sessions = populate(&world).await;
    let before = everything(&world, &sessions).await;
    for round in 0..rounds {
        let how = cut_off(&world, &mut random, round).await;
        println!("{how}");
        assert_eq!(everything(&world, &sessions).await, before, "after {how}");
    }
    let done = world.program.must(&["key", "rotate", "--json"], "").await;
    let version = serde_json::from_str::<Value>(&done).unwrap()["version"].as_u64().unwrap();
    assert_eq!(everything(&world, &sessions).await, before);
    the_new_key_alone_opens(&world, version, &sessions, &before).await;
}

async fn the_new_key_alone_opens(world: &World, version: u64, sessions: &[String], before: &[Value]) {
    let data = world.program.data();
    assert!(!data.join("master.key.next").exists());
    let retired = retired(data);
    assert_eq!(retired.len() as u64, version - 1, "each key that was in use keeps its file: {retired:?}");
    for name in &retired {
        std::fs::remove_file(data.join(name)).unwrap();
    }
    assert_eq!(everything(world, sessions).await, before, "without the keys that were in use before");
}

fn retired(data: &Path) -> Vec<String> {
    let names = std::fs::read_dir(data).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("master.key.retired-")).collect()
}

fn seed() -> u64 {
    std::env::var("KILL_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(rand::random)
}

fn rounds(default: usize) -> usize {
    testkit::shorter_without("ROTATIONS", "kills while the master key changes: a few", "make soak-rotate");
    std::env::var("ROTATIONS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(default)
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_stays_readable_on_sqlite() {
    rotate(Backend::Sqlite, rounds(5), seed()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_stays_readable_on_postgres() {
    rotate(Backend::Postgres, rounds(3), seed()).await;
}

/// Each point once, by name, so that none is left to chance.
#[tokio::test(flavor = "multi_thread")]
async fn every_step_may_be_the_last() {
    let world = World::new(Backend::Sqlite).await.unwrap();
    let sessions = populate(&world).await;
    let before = everything(&world, &sessions).await;
    for point in POINTS {
        let armed = world.program.clone().env("CRASH_AT", format!("{point}:1"));
        let done = armed.run(&["key", "rotate"], "").await.unwrap();
        assert_eq!(done.status.code(), None, "{point} was not reached");
        assert_eq!(everything(&world, &sessions).await, before, "after {point}");
    }
}
