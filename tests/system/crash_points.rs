//! The program ends itself at every named crash point, is started again, and must be none the worse.

use crate::{
    checker::{self, Acknowledged},
    ground,
    world::{self, Backend, World, quiet},
};
use engine::CRASH_POINTS;
use serde_json::json;
use std::{collections::HashSet, sync::Mutex, time::Duration};
use testkit::{
    client::Client,
    model::{Recorded, Reply},
    program::Running,
};
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(60);

/// What makes the program run into a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    /// A message whose turn uses tools with and without effects.
    Talk,
    /// A reply with a call in its text and a question, which is answered.
    Ask,
    /// A turn is stopped.
    Stop,
    /// A turn that failed is run once more.
    Retry,
    /// The program is started while a turn of a dead one is waiting.
    Recover,
    /// The program is asked to end in the middle of a turn.
    Terminate,
}

fn deed(point: &str) -> Option<Deed> {
    match point.split('_').next()? {
        "accept" | "turn" | "begin" | "tool" | "file" => Some(Deed::Talk),
        "intent" | "park" | "answer" => Some(Deed::Ask),
        "cancel" => Some(Deed::Stop),
        "retry" => Some(Deed::Retry),
        "claim" => Some(Deed::Recover),
        "release" => Some(Deed::Terminate),
        // Nothing leaves a turn waiting in an idle session, or one that cannot start; the engine's own tests make them by hand.
        "waiting" | "unstartable" => None,
        // There is another node only in the tests of several.
        "handover" => None,
        // No turn runs into these; the engine's own tests do.
        "upload" | "fork" | "title" | "prompt" | "reserve" | "knowledge" | "review" | "purge" | "fire"
        | "schedule" | "reminder" => None,
        // Tried by themselves: see `rotation`, `compaction`, `colleagues`, `approvals` and `programs`.
        "run" | "rotation" | "summary" | "compaction" | "deliver" | "errand" | "send" | "approval" => None,
        other => panic!("no deed for {other}: a new crash point needs one"),
    }
}

fn reply(request: &Recorded) -> Reply {
    let said = request.last_user();
    let words: Vec<String> = (0..20).map(|word| format!("word{word} ")).collect();
    match request.results_since_user().len() {
        0 if said.starts_with("talk") => Reply::pieces(words).then_calls([
            ("count_effect", json!({ "tag": said })),
            ("count_idem", json!({ "tag": said })),
            ("get_current_time", json!({})),
            ("write_file", json!({ "path": format!("/{said}"), "content": said })),
        ]),
        0 if said.starts_with("ask") => Reply::pieces([
            "First.\n".to_owned(),
            format!("@system(count_effect, {{tag: \"{said}\"}})\n"),
            "<ask>Which colour?</ask> And more.".to_owned(),
        ]),
        0 if said.starts_with("slow") => Reply::pieces(words),
        _ => Reply::text("done"),
    }
}

/// What is slow falls silent after its first words, so that there is something to stop, to leave behind, to end in. Asked
/// again, it says everything.
fn slow_at_first() -> impl Fn(&Recorded) -> Reply + Send + Sync + 'static {
    let begun = Mutex::new(HashSet::new());
    move |request| {
        let said = request.last_user();
        let first = said.starts_with("slow") && begun.lock().unwrap().insert(said);
        if first { reply(request).stall_after_pieces(3) } else { reply(request) }
    }
}

struct Trial<'a> {
    world: &'a World,
    point: &'a str,
    session: String,
}

impl Trial<'_> {
    fn text(&self, kind: &str) -> String {
        format!("{kind}-{}", self.point.replace([':'], "-"))
    }

    async fn armed(&self) -> Running {
        self.world.program.clone().env("CRASH_AT", self.point).serve().await.unwrap()
    }

    /// Sends it until it is acknowledged or the program is gone.
    async fn say(&self, client: &Client, text: &str) -> Option<Acknowledged> {
        let body = json!({ "content": text });
        let mut stream = client.send_message(&self.session, text, &body).await.ok()?;
        let first = stream.next().await.ok()??;
        let turn = first.data["turn_id"].as_str()?.to_owned();
        Some(Acknowledged { session: self.session.clone(), text: text.to_owned(), turn })
    }

    /// Waits for the first words of a reply.
    async fn words(&self, client: &Client) {
        let mut stream = client.follow(&self.session, Some("0")).await.unwrap();
        loop {
            let event = timeout(PATIENCE, stream.next()).await.expect("no words came");
            if event.unwrap().expect("the stream ended early").event == "text" {
                return;
            }
        }
    }

    /// Leads the program into its crash. Gives the text it was told.
    async fn provoke(&self, deed: Deed) -> String {
        let key = &self.world.key;
        match deed {
            Deed::Talk => {
                let running = self.armed().await;
                let text = self.text("talk");
                self.say(&running.client(key), &text).await;
                self.crashed(running).await;
                text
            }
            Deed::Ask => {
                let running = self.armed().await;
                let (client, text) = (running.client(key), self.text("ask"));
                self.say(&client, &text).await;
                let path = format!("/v1/sessions/{}", self.session);
                // Either it ends itself on the way to the question, or when it is answered.
                while let Ok(state) = client.get(&path).await {
                    if state.body["status"] == "input_required" {
                        self.answer(&client).await;
                        break;
                    }
                    tokio::task::yield_now().await;
                }
                self.crashed(running).await;
                text
            }
            Deed::Stop => {
                let running = self.armed().await;
                let (client, text) = (running.client(key), self.text("slow"));
                self.say(&client, &text).await.unwrap();
                self.words(&client).await;
                let _ = client.post(&format!("/v1/sessions/{}/abort", self.session), &json!({})).await;
                self.crashed(running).await;
                text
            }
            Deed::Retry => {
                let running = self.armed().await;
                let (client, text) = (running.client(key), self.text("talk"));
                self.world.model.script(Reply::status(401));
                self.say(&client, &text).await.unwrap();
                quiet(&client, &self.session).await;
                let _ = client.post(&format!("/v1/sessions/{}/retry", self.session), &json!({})).await;
                self.crashed(running).await;
                text
            }
            Deed::Recover => {
                let running = self.world.serve().await;
                let (client, text) = (running.client(key), self.text("slow"));
                self.say(&client, &text).await.unwrap();
                self.words(&client).await;
                running.kill().await.unwrap();
                // It recovers while it begins to listen, so it may end itself before it does or after.
                if let Ok(running) = self.world.program.clone().env("CRASH_AT", self.point).serve().await {
                    self.crashed(running).await;
                }
                text
            }
            Deed::Terminate => {
                let running = self.armed().await;
                let (client, text) = (running.client(key), self.text("slow"));
                self.say(&client, &text).await.unwrap();
                self.words(&client).await;
                assert_eq!(running.terminate().await.unwrap(), None, "{} was not reached", self.point);
                text
            }
        }
    }

    async fn answer(&self, client: &Client) {
        let Ok(list) = client.get("/v1/questions?limit=100").await else { return };
        for question in list.body["items"].as_array().into_iter().flatten() {
            let path = format!("/v1/questions/{}/answer", question["id"].as_str().unwrap());
            let _ = client.post(&path, &json!({ "answer": "blue" })).await;
        }
    }

    async fn crashed(&self, running: Running) {
        assert_eq!(running.wait().await.unwrap(), None, "{} was not reached", self.point);
    }
}

/// Whoever wrote it, died and wrote it again says that it was made, not that it was there.
async fn every_file_was_made_once(client: &Client, session: &str) {
    let path = format!("/v1/sessions/{session}/messages?limit=100");
    let messages = client.get(&path).await.unwrap().expect(200);
    let parts = messages["items"].as_array().unwrap().iter().flat_map(|message| {
        message["parts"].as_array().unwrap().iter().map(move |part| (&message["content"], part))
    });
    for (whole, part) in parts.filter(|(_, part)| part["type"] == "result" && part["name"] == "write_file") {
        let content = part["content"].as_str().or(whole.as_str()).unwrap();
        assert!(content.contains("\"created\":true") || part["status"] != "ok", "{part}");
    }
}

async fn every_crash_point(backend: Backend, points: &[&str]) {
    let Some(world) = World::new(backend).await else {
        return;
    };
    world.model.respond(slow_at_first());
    let running = world.serve().await;
    let client = running.client(&world.key);
    let agent = world::worker(&client).await;
    let mut tried = Vec::new();
    let mut sessions = Vec::new();
    for point in points.iter().filter(|point| deed(point).is_some()) {
        sessions.push((*point, world::new_session(&client, &agent).await));
    }
    assert_eq!(running.terminate().await.unwrap(), Some(0));
    for (name, session) in sessions {
        let point = format!("{name}:1");
        let trial = Trial { world: &world, point: &point, session: session.clone() };
        let text = trial.provoke(deed(name).unwrap()).await;
        let running = world.serve().await;
        let client = running.client(&world.key);
        // Whoever got no answer asks again with the same key: it is the same message.
        let acknowledged = trial.say(&client, &text).await.unwrap();
        world::answer_until_quiet(&client, &session, "blue").await;
        let report = checker::check(&world, &client, std::slice::from_ref(&session), &[acknowledged]).await;
        every_file_was_made_once(&client, &session).await;
        tried.push((name, report.outcomes));
        assert_eq!(running.terminate().await.unwrap(), Some(0));
        ground::check_nothing_left(world.program.data());
    }
    println!("{backend:?}: {tried:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_crash_point_on_sqlite() {
    every_crash_point(Backend::Sqlite, CRASH_POINTS).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_commits_crash_points_on_postgres() {
    let points = [
        "accept_after_commit",
        "turn_before_commit",
        "turn_after_commit",
        "tool_after_run",
        "intent_after_commit",
        "park_after_commit",
        "answer_after_commit",
        "file_after_commit",
    ];
    every_crash_point(Backend::Postgres, &points).await;
}
