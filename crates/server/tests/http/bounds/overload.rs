//! More messages than can be stored: the next ones are refused at once, and nothing that was taken is lost.

use crate::support::{House, Options, Socket};
use serde_json::{Value, json};
use server::HttpSettings;
use std::time::Duration;
use store::Tx;
use testkit::model::Reply;
use tokio::{sync::oneshot, task::JoinSet};

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

/// On none of the three ways in; lines that ask no model pass.
async fn no_slash_line_goes_round_it(house: &House, refused: &str, socket: &mut Socket) {
    for (line, status) in [("/again please", 503), ("/retry", 503), ("/compact", 503), ("/help", 200)] {
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
    assert_eq!(crate::support::refusal(&told), (503, "overloaded"));
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
