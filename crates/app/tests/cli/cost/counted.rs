//! The program under valgrind's heap counter, while it does a known amount of work.

use super::lock_step::LockStep;
use crate::BINARY;
use serde_json::{Value, json};
use std::{collections::HashMap, fs, os::unix::fs::PermissionsExt as _, path::Path, process::Command};
use testkit::{
    client::{Client, SseStream},
    left_out,
    program::{Program, Running},
};

/// What the program is made to do.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// One after the other, in one session.
    pub turns: u32,
    /// Of each reply. The next one is sent when every reader has had the one before.
    pub pieces: u32,
    pub readers: u32,
    /// Replies that are being written at the end, each in a session of its own.
    pub open: u32,
}

/// The functions in which SQLite opens a connection and reads the schema for it, hundreds of allocations each time. How many
/// connections the program opens depends on which reads happen to meet, not on the work.
const OPENING: [&str; 2] = ["openDatabase", "sqlite3InitOne"];

/// What it has cost from the start of the program on; allocations and bytes without those of opening connections.
#[derive(Default)]
pub struct Counts {
    pub instructions: u64,
    pub allocations: u64,
    /// On the heap at the end.
    pub live_bytes: u64,
    /// How often each place in the code has allocated, named by the functions that were running.
    places: HashMap<Vec<String>, u64>,
}

impl Counts {
    /// How often a place allocates for each of `units` that `more` has had beyond these. Background jobs allocate by the clock,
    /// so a slow machine sees more of them; what a place has done for less than half of the units is theirs and not counted.
    pub fn allocations_of_each(&self, more: &Counts, units: u64) -> u64 {
        let beyond = |(place, count): (&Vec<String>, &u64)| {
            let extra = count.saturating_sub(self.places.get(place).copied().unwrap_or(0));
            (extra + units / 2) / units
        };
        more.places.iter().map(beyond).sum()
    }
}

/// Is there something to count with? If not, the run says so.
pub fn is_possible() -> bool {
    let is_here =
        Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success());
    if !is_here {
        left_out("what a piece, a turn and a stream cost: valgrind is not installed");
    }
    is_here
}

pub async fn counted(work: Work) -> Counts {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("house");
    let model = LockStep::start(work.pieces, work.open == 0);
    let setting = |program: Program| {
        program
            .model(&format!("http://{}/v1", model.address))
            .env("MAJORDOMO_PROVIDER_TEST_PRICE", "free")
            .env("MAJORDOMO_LOG", "error")
            // One thread after the other anyway; so they do not look for each other's work.
            .env("TOKIO_WORKER_THREADS", "1")
    };
    let key = setting(Program::new(BINARY, &data)).set_up().await;
    let running = setting(Program::new(watched(folder.path()), &data)).serve().await.unwrap();
    let client = running.client(&key);
    let sessions = sessions(&client, work.open + 1).await;
    for turn in 0..work.turns {
        talk(&client, &model, &sessions[0], turn, work).await;
    }
    let open = open(&client, &model, &sessions[1..], work.pieces).await;
    end(running).await;
    drop(open);
    let counts = read(folder.path());
    let Counts { instructions, allocations, live_bytes, .. } = counts;
    println!("{work:?}: {instructions} instructions, {allocations} allocations, {live_bytes} bytes");
    counts
}

/// A command that runs the program under valgrind, and has the counts written beside it.
fn watched(folder: &Path) -> std::path::PathBuf {
    let script = folder.join("watched");
    let lines = format!(
        "#!/bin/sh\nexec valgrind --tool=dhat --num-callers=40 --dhat-out-file='{0}/counts.json' --log-file='{0}/log' '{BINARY}' \"$@\"\n",
        folder.display()
    );
    fs::write(&script, lines).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).unwrap();
    script
}

async fn sessions(client: &Client, count: u32) -> Vec<String> {
    // It has no tool but the clock, so that a turn is counted and not what it is told of tools.
    let agent = json!({ "name": "plain", "capabilities": ["current_time"] });
    let agent = client.post("/v1/agents", &agent).await.unwrap().expect(201);
    let mut ids = Vec::new();
    for _ in 0..count {
        let new = json!({ "agent_id": agent["id"] });
        let made = client.post("/v1/sessions", &new).await.unwrap().expect(201);
        ids.push(made["id"].as_str().unwrap().to_owned());
    }
    ids
}

async fn talk(client: &Client, model: &LockStep, session: &str, turn: u32, work: Work) {
    model.allow(0);
    let mut readers = Vec::new();
    for _ in 1..work.readers {
        readers.push(client.follow(session, None).await.unwrap());
    }
    let message = json!({ "content": "hello" });
    readers.push(client.send_message(session, &format!("turn {turn}"), &message).await.unwrap());
    for piece in 1..=work.pieces {
        model.allow(piece);
        for reader in &mut readers {
            until(reader, "text").await;
        }
    }
    for reader in &mut readers {
        until(reader, "turn_ended").await;
    }
}

/// Replies in so many sessions, all of them where the last piece was read.
async fn open(client: &Client, model: &LockStep, sessions: &[String], pieces: u32) -> Vec<SseStream> {
    let mut streams = Vec::new();
    model.allow(pieces);
    for session in sessions {
        let message = json!({ "content": "hello" });
        let mut stream = client.send_message(session, "open", &message).await.unwrap();
        let last = format!("word {:05}", pieces - 1);
        loop {
            let event = until(&mut stream, "text").await;
            if event["data"]["text"].as_str().unwrap().contains(&last) {
                break;
            }
        }
        streams.push(stream);
    }
    streams
}

async fn until(stream: &mut SseStream, name: &str) -> Value {
    loop {
        let event = stream.next().await.unwrap().expect("the stream has ended");
        if event.event == name {
            return event.data;
        }
    }
}

/// At once, where it stands: an end in good order would be work of its own, and would free what is to be counted. By a signal that
/// the program leaves alone, and that no shell has it ignore.
async fn end(running: Running) {
    let pid = running.id().unwrap().to_string();
    assert!(Command::new("kill").args(["-USR2", &pid]).status().unwrap().success());
    running.wait().await.unwrap();
}

fn read(folder: &Path) -> Counts {
    let counts: Value = serde_json::from_slice(&fs::read(folder.join("counts.json")).unwrap()).unwrap();
    assert_eq!(counts["tu"], "instrs");
    let mut sum = Counts { instructions: counts["te"].as_u64().unwrap(), ..Counts::default() };
    let mut openings = 0;
    for place in counts["pps"].as_array().unwrap() {
        let frames = frames(&counts["ftbl"], place);
        let blocks = place["tbk"].as_u64().unwrap();
        if frames.iter().any(|frame| OPENING.iter().any(|name| frame.starts_with(name))) {
            openings += blocks;
            continue;
        }
        sum.allocations += blocks;
        sum.live_bytes += place["eb"].as_u64().unwrap();
        *sum.places.entry(frames).or_default() += blocks;
    }
    assert!(openings > 0, "no connection was opened, or its functions have other names now");
    sum
}

/// "0x4C2A1B: engine::follow::feed::Feed::push (feed.rs:81)": the address is left out.
fn frames(table: &Value, place: &Value) -> Vec<String> {
    let name = |frame: &Value| {
        let text = table[frame.as_u64().unwrap() as usize].as_str().unwrap();
        text.split_once(": ").map_or(text, |(_, name)| name).to_owned()
    };
    place["fs"].as_array().unwrap().iter().map(name).collect()
}
