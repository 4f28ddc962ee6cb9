//! What no other node tells it, a node finds: each way of hearing is taken away here, and the other one has to do. The lease is so long that no test
//! outlasts the takeovers that go by it.

use crate::{
    house::{House, Node, PATIENCE, until},
    several::{Nodes, new_session},
};
use serde_json::json;
use std::sync::Arc;
use testkit::{
    counting::counts,
    holding::GATE,
    model::{Recorded, Reply},
};
use tokio::{net::TcpListener, sync::Notify, time::timeout};

const LONG: &str = "5m";

/// Two nodes with a long lease, both without this guard.
pub async fn two_without(house: &mut House, guard: &str) -> (Node, Node) {
    for program in &mut house.programs {
        *program = program.clone().env("MAJORDOMO_LIMITS_LEASE", LONG);
    }
    match guard {
        "" => (house.serve(0).await, house.serve(1).await),
        guard => (house.serve_without(0, guard).await, house.serve_without(1, guard).await),
    }
}

async fn until_said(house: &House, sql: &str, wanted: &str) {
    let asking = async {
        while house.cluster.ask(&house.database, sql).unwrap() != wanted {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    };
    assert!(timeout(PATIENCE, asking).await.is_ok(), "{sql} does not say {wanted}");
}

/// One call of a turn holds, so that its worker is there; another one waits for a yes, which is given at the other node.
async fn is_approved_elsewhere(guard: &str) {
    let Some(mut house) = House::new(2).await else { return };
    let gate = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = gate.local_addr().unwrap().to_string();
    house.programs = house.programs.into_iter().map(|program| program.env(GATE, address.as_str())).collect();
    house.model.respond(|request| match request.results_since_user().len() {
        0 => Reply::calls([("hold", json!({})), ("count_effect", json!({ "tag": "once" }))]),
        _ => Reply::text("Done."),
    });
    let (a, b) = two_without(&mut house, guard).await;
    let rules = json!([{ "tool": "count_effect", "action": "ask" }, { "tool": "hold", "action": "allow" }]);
    let agent = json!({ "name": "careful", "capabilities": ["counting", "holding"], "tool_rules": rules });
    let session = a.talk(agent).await;
    let mut own = a.follow(&session).await;
    drop(a.say(&session, "k1", "count").await);
    until(&mut own, "approval_request").await;
    let (held, _) = timeout(PATIENCE, gate.accept()).await.expect("nothing holds").unwrap();
    let list = b.client.get("/v1/approvals").await.unwrap().expect(200);
    let approval = list["items"].as_array().unwrap().first().unwrap().clone();
    let path = format!("/v1/approvals/{}", approval["id"].as_str().unwrap());
    let yes = json!({ "decision": "approve", "digest": approval["digest"] });
    b.client.post(&path, &yes).await.unwrap().expect(200);
    // The other call still holds: this one runs because its worker has heard of the yes.
    let events = until(&mut own, "tool_result").await;
    assert_eq!(events.last().unwrap().data["data"]["status"], "ok");
    let counter = house.programs[0].data().parent().unwrap().join("counter");
    assert_eq!(counts(&counter).values().sum::<usize>(), 1);
    assert_eq!(house.cluster.ask(&house.database, "SELECT epoch FROM turns").unwrap(), "1", "it was parked");
    drop(held);
    until(&mut own, "turn_ended").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_at_another_node_is_told_to_a_worker() {
    is_approved_elsewhere("guard_looks").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_was_not_told_is_found_by_its_worker() {
    is_approved_elsewhere("guard_notes").await;
}

/// The one word that a node says as it goes is lost.
#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_was_given_up_without_a_word_is_found() {
    let Some(mut house) = House::new(2).await else { return };
    let held = Arc::new(Notify::new());
    let call = Reply::calls([("count_effect", json!({ "tag": "once" }))]).gate(held.clone());
    house.model.queue([call, Reply::text("Done elsewhere.")]);
    let (a, _b) = two_without(&mut house, "guard_notes").await;
    let rules = json!([{ "tool": "count_effect", "action": "allow" }]);
    let agent = json!({ "name": "counting", "capabilities": ["counting"], "tool_rules": rules });
    let session = a.talk(agent).await;
    drop(a.say(&session, "work", "work").await);
    house.model.wait_for(1).await;
    a.running.signal("TERM").await.unwrap();
    until_said(&house, "SELECT COUNT(*) FROM nodes WHERE state = 'draining'", "1").await;
    held.notify_one();
    until_said(&house, "SELECT attempt, outcome FROM turns", "2|completed").await;
    assert_eq!(house.model.request_count(), 2, "no step was asked for twice");
}

/// The turn before it ends at a node that begins nothing any more, and the word that it left this one is lost.
#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_waits_where_nothing_begins_is_found() {
    let Some(mut house) = House::new(2).await else { return };
    let held = Arc::new(Notify::new());
    let gate = held.clone();
    house.model.respond(move |request| match request.last_user().as_str() {
        "first" => Reply::text("Done here.").gate(gate.clone()),
        _ => Reply::text("Done elsewhere."),
    });
    let (a, _b) = two_without(&mut house, "guard_notes").await;
    let session = a.talk(json!({ "name": "plain", "markup": { "mode": "off" } })).await;
    drop(a.say(&session, "k1", "first").await);
    house.model.wait_for(1).await;
    drop(a.say(&session, "k2", "second").await);
    until_said(&house, "SELECT COUNT(*) FROM turns WHERE status = 'queued'", "1").await;
    a.running.signal("TERM").await.unwrap();
    until_said(&house, "SELECT COUNT(*) FROM nodes WHERE state = 'draining'", "1").await;
    held.notify_one();
    until_said(&house, "SELECT attempt, outcome, COUNT(*) FROM turns GROUP BY 1, 2", "1|completed|2").await;
    assert_eq!(house.model.request_count(), 2, "no step was asked for twice");
}

/// The boss asks the clerk, whose answer is held.
fn asks_the_clerk(request: &Recorded, held: &Arc<Notify>) -> Reply {
    let told = request.messages().first().map(|message| message["content"].to_string()).unwrap_or_default();
    match request.results_since_user().len() {
        0 if told.contains("You are the boss.") => {
            Reply::calls([("delegate", json!({ "agent": "clerk", "task": "file it" }))])
        }
        _ if told.contains("You are the boss.") => Reply::text("It is filed."),
        _ => Reply::text("Filed.").gate(held.clone()),
    }
}

async fn boss_talk(node: &Node) -> String {
    let clerk =
        json!({ "name": "clerk", "system_prompt": "You are the clerk.", "markup": { "mode": "off" } });
    node.client.post("/v1/agents", &clerk).await.unwrap().expect(201);
    let boss = json!({
        "name": "boss", "system_prompt": "You are the boss.", "capabilities": ["colleagues"],
        "markup": { "mode": "off" },
    });
    node.talk(boss).await
}

/// Who works ends where nothing begins any more; who waits for it goes on at the other node.
#[tokio::test(flavor = "multi_thread")]
async fn an_errand_that_ends_at_a_node_that_goes_is_delivered_at_another() {
    is_delivered_elsewhere("").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_errand_that_was_left_without_a_word_is_found() {
    is_delivered_elsewhere("guard_notes").await;
}

async fn is_delivered_elsewhere(guard: &str) {
    let Some(mut house) = House::new(2).await else { return };
    let held = Arc::new(Notify::new());
    let gate = held.clone();
    house.model.respond(move |request| asks_the_clerk(request, &gate));
    let (a, b) = two_without(&mut house, guard).await;
    let session = boss_talk(&a).await;
    drop(a.say(&session, "k1", "See to it.").await);
    house.model.wait_for(2).await;
    until_said(&house, "SELECT COUNT(*) FROM turns WHERE status = 'parked'", "1").await;
    let mut elsewhere = b.follow(&session).await;
    a.running.signal("TERM").await.unwrap();
    until_said(&house, "SELECT COUNT(*) FROM nodes WHERE state = 'draining'", "1").await;
    held.notify_one();
    until(&mut elsewhere, "turn_ended").await;
    until_said(&house, "SELECT outcome, COUNT(*) FROM turns GROUP BY outcome", "completed|2").await;
    assert_eq!(a.running.wait().await.unwrap(), Some(0));
}

/// The wire is cut while the COMMIT of a message is under way: the database stores it, and the node does not hear that.
#[tokio::test(flavor = "multi_thread")]
async fn a_turn_whose_commit_had_no_answer_gets_a_worker() {
    let Some(mut nodes) = Nodes::new(1).await else { return };
    nodes.programs[0] = nodes.programs[0].clone().env("MAJORDOMO_LIMITS_LEASE", LONG);
    let (running, wire) = nodes.serve_by_wire(0).await;
    let client = running.client(&nodes.key);
    let session = new_session(&client).await;
    nodes.model.respond(|_| Reply::text("Here I am."));
    drop(nodes.ask(
        "CREATE FUNCTION takes_its_time() RETURNS trigger LANGUAGE plpgsql AS \
         'BEGIN PERFORM pg_sleep(2); RETURN NULL; END'; \
         CREATE CONSTRAINT TRIGGER takes_its_time AFTER INSERT ON turns DEFERRABLE INITIALLY DEFERRED \
         FOR EACH ROW EXECUTE FUNCTION takes_its_time()",
    ));
    let (sender, path) = (client.clone(), format!("/v1/sessions/{session}/messages"));
    let sent = tokio::spawn(async move {
        sender.post_once(&path, "once", &json!({ "content": "Are you there?" })).await
    });
    let sleeps =
        "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()";
    nodes.until(sleeps, "1").await;
    wire.cut();
    nodes.until("SELECT status FROM turns", "running").await;
    let refused = sent.await.unwrap().unwrap();
    assert_eq!((refused.status, refused.retry_after.is_some()), (503, true), "{}", refused.body);
    wire.mend();
    nodes.until("SELECT attempt, outcome FROM turns", "2|completed").await;
    assert_eq!(nodes.model.request_count(), 1);
}
