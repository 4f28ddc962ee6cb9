//! More messages than can be stored: the next ones are refused at once, and nothing that was taken is lost.

use crate::support::{House, Options, Socket, refusal};
use serde_json::{Value, json};
use server::HttpSettings;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use store::Tx;
use testkit::model::{Recorded, Reply};
use tokio::{
    sync::{Notify, Semaphore, oneshot},
    task::JoinSet,
};

/// More than may be on their way at once.
const MANY: usize = 100;
/// As many as may be between read and stored.
const TAKEN: usize = 64;

/// Holds the database back from storing anything until what it gives is used.
async fn stall(house: &House) -> oneshot::Sender<()> {
    let (release, released) = oneshot::channel::<()>();
    let (tell, told) = oneshot::channel::<()>();
    let store = house.engine.store().clone();
    let is_sqlite = store.kind() == "sqlite";
    let hold = move |tx: &mut Tx| {
        if !is_sqlite {
            tx.run("LOCK TABLE sessions IN EXCLUSIVE MODE", Vec::new())?;
        }
        tell.send(()).unwrap();
        // On SQLite the writer is a thread of its own, which this keeps.
        drop(released.blocking_recv());
        Ok(())
    };
    tokio::spawn(async move { store.write(hold).await });
    told.await.unwrap();
    release
}

/// The agent `main` has something that `/start` sends.
async fn give_start_up_text(house: &House) {
    let text = json!({ "name": "rules", "content": "Be kind.", "startup": true });
    house.call("POST", "/v1/abilities").json(&text).send().await.expect(201);
    let agent = format!("/v1/agents/{}", house.main_agent().await);
    house.call("PATCH", &agent).json(&json!({ "capabilities": ["rules"] })).send().await.expect(200);
}

/// On none of the three ways in; lines that ask no model pass.
async fn no_slash_line_goes_round_it(house: &House, refused: &str, socket: &mut Socket) {
    let compact = format!("/v1/sessions/{refused}/compact");
    house.call("POST", &compact).send().await.refused(503, "overloaded");
    let asking = ["/again please", "/start", "/retry", "/compact"].map(|line| (line, 503));
    for (line, status) in asking.into_iter().chain([("/help", 200)]) {
        let typed = json!({ "line": line, "session_id": refused });
        let answer = house.call("POST", "/v1/commands").json(&typed).send().await;
        assert_eq!(answer.status, status, "{line}");
        let told = house.call("POST", "/v1/chat").json(&json!({ "message": line })).send().await;
        assert_eq!(told.status, status, "{line} at /v1/chat");
        let typed = json!({ "type": "command", "session_id": refused, "line": line });
        let told = socket.ask(&typed).await;
        assert_eq!(told["type"], if status == 503 { "problem" } else { "command_result" }, "{line}: {told}");
    }
}

async fn the_next_are_refused_at_once(house: House) {
    house.model.respond(|_| Reply::text("done"));
    give_start_up_text(&house).await;
    let mut sessions = Vec::new();
    for _ in 0..MANY {
        sessions.push(house.session().await);
    }
    let release = stall(&house).await;
    let send = |session: &str| {
        let path = format!("/v1/sessions/{session}/messages");
        house.call("POST", &path).header("idempotency-key", session).json(&json!({ "content": "Hi" })).send()
    };
    let mut sending = JoinSet::new();
    for session in sessions {
        let sent = send(&session);
        sending.spawn(async move { (session, sent.await) });
    }
    // Nothing that was taken comes to its end while the database is held, so those that end were refused.
    let mut refused = String::new();
    for _ in 0..MANY - TAKEN {
        let (session, answer) = sending.join_next().await.unwrap().unwrap();
        assert_eq!(answer.header("retry-after"), "2");
        answer.refused(503, "overloaded");
        refused = session;
    }
    // Before anything was done for it: the server did not ask whose key it is.
    let path = format!("/v1/sessions/{refused}/messages");
    let unknown = house.call("POST", &path).key("mj_unknown").json(&json!({ "content": "Hi" }));
    unknown.send().await.refused(503, "overloaded");
    // Everything else goes on.
    house.anonymous("GET", "/healthz").send().await.expect(200);
    house.call("GET", "/v1/me").send().await.expect(200);
    let body = json!({ "message": "Hi" });
    house.call("POST", "/v1/chat").json(&body).send().await.refused(503, "overloaded");
    // Also a stop, which is told by its words alone.
    for path in ["/v1/chat", "/chat"] {
        let stop = house.call("POST", path).json(&json!({ "message": "/stop" })).send().await.expect(200);
        assert_eq!(stop["response"], "Aborted.");
    }
    let mut socket = house.socket_of(&house.key).await;
    let told = socket.send(&refused, "once", "Hi").await;
    assert_eq!(refusal(&told), (503, "overloaded"));
    no_slash_line_goes_round_it(&house, &refused, &mut socket).await;
    release.send(()).unwrap();
    assert_eq!(sending.len(), TAKEN);
    while let Some(sent) = sending.join_next().await {
        let (session, answer) = sent.unwrap();
        assert_eq!(answer.expect(200)["reply"], "done", "{session}");
    }
    // Nothing was stored of what was refused, and there is room for it now.
    let messages = house.call("GET", &format!("/v1/sessions/{refused}/messages")).send().await.expect(200);
    assert_eq!(messages["items"], Value::Array(Vec::new()));
    assert_eq!(send(&refused).await.expect(200)["reply"], "done");
}

/// The line ends at a number here: how fast this machine is does not matter.
fn patient() -> Options {
    let http = HttpSettings { storing_patience: Duration::from_secs(3_600), ..HttpSettings::default() };
    Options { http, ..Options::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_are_refused_at_once_on_sqlite() {
    the_next_are_refused_at_once(House::with(patient()).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_are_refused_at_once_on_postgres() {
    if let Some(house) = House::on_postgres(patient()).await {
        the_next_are_refused_at_once(house).await;
    }
}

/// As many as PostgreSQL stores at once; where so many wait, the line is full when the oldest has waited too long.
const SUMMARIES: usize = 12;

fn asks_for_summary(request: &Recorded) -> bool {
    let system = request.messages()[0]["content"].as_str().unwrap_or_default();
    system.starts_with("Summarise the conversation") || system.starts_with("Turn the conversation")
}

/// Summaries in the making: each is held until its gate opens.
struct HeldSummaries {
    gates: Vec<Arc<Notify>>,
    /// One for each that the model was asked for.
    asked: Arc<Semaphore>,
}

impl HeldSummaries {
    /// The model holds so many back, and answers everything else.
    fn of(house: &House, many: usize) -> Self {
        let gates: Vec<Arc<Notify>> = (0..many).map(|_| Arc::default()).collect();
        let asked = Arc::new(Semaphore::new(0));
        let (next, waiting, counted) = (AtomicUsize::new(0), gates.clone(), asked.clone());
        house.model.respond(move |request| {
            if !asks_for_summary(request) {
                return Reply::text("An answer of some length. ".repeat(8));
            }
            counted.add_permits(1);
            let summary = Reply::text("## Key facts\nNone.\n## Current conversation\nThey talked.");
            match waiting.get(next.fetch_add(1, Ordering::Relaxed)) {
                Some(gate) => summary.gate(gate.clone()),
                None => summary,
            }
        });
        Self { gates, asked }
    }

    async fn until_all_are_asked_for(&self) {
        let many = u32::try_from(self.gates.len()).unwrap();
        self.asked.acquire_many(many).await.unwrap().forget();
    }

    fn release(&self) {
        self.gates.iter().for_each(|gate| gate.notify_one());
    }
}

/// A session in which enough was said for a summary.
async fn long_session(house: &House) -> String {
    let session = house.session().await;
    for _ in 0..3 {
        house.say(&session, &"and so on ".repeat(30)).await;
    }
    session
}

/// A message waits for no model that makes the summaries of others.
async fn summaries_hold_up_no_message(house: House) {
    let held = HeldSummaries::of(&house, SUMMARIES);
    let (mut typed, mut sockets) = (JoinSet::new(), Vec::new());
    for number in 0..SUMMARIES {
        let session = long_session(&house).await;
        if number % 2 == 0 {
            let line = json!({ "line": "/compact", "session_id": session });
            typed.spawn(house.call("POST", "/v1/commands").json(&line).send());
        } else {
            let mut socket = house.socket_of(&house.key).await;
            socket.say(&json!({ "type": "command", "line": "/compact", "session_id": session })).await;
            sockets.push(socket);
        }
    }
    held.until_all_are_asked_for().await;
    let session = house.session().await;
    let hello = json!({ "content": "Hello" });
    let path = format!("/v1/sessions/{session}/messages");
    house.call("POST", &path).json(&hello).send().await.expect(200);
    held.release();
    while let Some(answer) = typed.join_next().await {
        assert_eq!(answer.unwrap().expect(200)["data"]["compacted"], true);
    }
    for mut socket in sockets {
        assert_eq!(socket.answer().await["data"]["compacted"], true);
    }
}

/// A line that is not short is full as soon as anything waits in it.
fn impatient() -> Options {
    let http = HttpSettings { storing_patience: Duration::ZERO, ..HttpSettings::default() };
    Options { http, ..Options::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn summaries_hold_up_no_message_on_sqlite() {
    summaries_hold_up_no_message(House::with(impatient()).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn summaries_hold_up_no_message_on_postgres() {
    if let Some(house) = House::on_postgres(impatient()).await {
        summaries_hold_up_no_message(house).await;
    }
}

/// Only so many conversations are held in memory by what runs.
fn for_one() -> Options {
    Options { http: HttpSettings { most_running: 1, ..HttpSettings::default() }, ..Options::default() }
}

async fn every_way_in_is_closed(house: &House, session: &str) {
    let hello = json!({ "content": "Hello" });
    for path in ["messages", "messages/stream", "compact", "retry"] {
        let path = format!("/v1/sessions/{session}/{path}");
        house.call("POST", &path).json(&hello).send().await.refused(503, "overloaded");
    }
    let chat = json!({ "message": "Hello" });
    house.call("POST", "/v1/chat").json(&chat).send().await.refused(503, "overloaded");
    let mut socket = house.socket_of(&house.key).await;
    assert_eq!(refusal(&socket.send(session, "refused", "Hello").await), (503, "overloaded"));
    no_slash_line_goes_round_it(house, session, &mut socket).await;
}

/// The turns have ended, and nothing holds their conversations any more.
async fn until_nothing_runs(house: &House) {
    while house.engine.running_turns() > 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_way_in_begins_more_turns_than_may_run() {
    let house = House::with(for_one()).await;
    let gate = Arc::new(Notify::new());
    house.model.script(Reply::text("At last.").gate(gate.clone()));
    house.model.respond(|_| Reply::text("done"));
    let (running, other) = (house.session().await, house.session().await);
    let ask = |session: &str| {
        let path = format!("/v1/sessions/{session}/messages");
        house.call("POST", &path).json(&json!({ "content": "Hello" })).send()
    };
    let asked = tokio::spawn(ask(&running));
    house.model.wait_for(1).await;
    every_way_in_is_closed(&house, &other).await;
    gate.notify_one();
    asked.await.unwrap().expect(200);
    until_nothing_runs(&house).await;
    let mut socket = house.socket_of(&house.key).await;
    assert_eq!(socket.send(&other, "taken", "Hello").await["type"], "ack");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_summary_in_the_making_counts_as_a_turn_that_runs() {
    let house = House::with(for_one()).await;
    let held = HeldSummaries::of(&house, 1);
    let (long, other) = (long_session(&house).await, house.session().await);
    until_nothing_runs(&house).await;
    let compact = format!("/v1/sessions/{long}/compact");
    let summary = tokio::spawn(house.call("POST", &compact).send());
    held.until_all_are_asked_for().await;
    every_way_in_is_closed(&house, &other).await;
    held.release();
    assert_eq!(summary.await.unwrap().expect(200)["compacted"], true);
    let path = format!("/v1/sessions/{other}/messages");
    house.call("POST", &path).json(&json!({ "content": "Hello" })).send().await.expect(200);
}
