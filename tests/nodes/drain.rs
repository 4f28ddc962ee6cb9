//! A node that is asked to go while others serve: what runs ends or goes on there, and its clients are told to go there, too.

use crate::{
    house::{House, Node, PATIENCE, until_text},
    load::{Load, reply},
    readers::held_reply,
};
use futures_util::StreamExt as _;
use serde_json::json;
use std::{collections::HashMap, path::PathBuf, sync::Arc};
use testkit::{client::Answer, counting::counts, model::Reply};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::Notify,
    task::JoinHandle,
    time::timeout,
};
use tokio_tungstenite::{
    client_async,
    tungstenite::{Message, client::IntoClientRequest},
};

const PEOPLE: usize = 2;

fn counter(house: &House) -> PathBuf {
    house.programs[0].data().parent().unwrap().join("counter")
}

/// How often each effect happened.
fn effects(house: &House) -> HashMap<String, usize> {
    counts(&counter(house)).into_iter().map(|((_, tag), count)| (tag, count)).collect()
}

async fn until_said(house: &House, sql: &str, wanted: &str) {
    let asking = async {
        while house.cluster.ask(&house.database, sql).unwrap() != wanted {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    };
    assert!(timeout(PATIENCE, asking).await.is_ok(), "{sql} does not say {wanted}");
}

/// Asks a node to go, and waits until it says that it takes no new work.
async fn ask_to_go(house: &House, node: &Node) {
    node.running.signal("TERM").await.unwrap();
    until_said(house, "SELECT COUNT(*) FROM nodes WHERE state = 'draining'", "1").await;
}

/// A session whose agent may do something that is counted.
async fn counting_talk(node: &Node) -> String {
    let rules = json!([{ "tool": "count_effect", "action": "allow" }]);
    node.talk(json!({ "name": "counting", "capabilities": ["counting"], "tool_rules": rules })).await
}

fn batch(node: &Node, session: &str, words: &str) -> JoinHandle<Answer> {
    let (client, path) = (node.client.clone(), format!("/v1/sessions/{session}/messages"));
    let (key, body) = (words.to_owned(), json!({ "content": words }));
    tokio::spawn(async move { client.post_once(&path, &key, &body).await.unwrap() })
}

/// Waits for the first request and lets its reply make a call, which is the end of the first step.
fn step_held(house: &House) -> Arc<Notify> {
    let held = Arc::new(Notify::new());
    let call = Reply::calls([("count_effect", json!({ "tag": "once" }))]).gate(held.clone());
    house.model.queue([call, Reply::text("Done elsewhere.")]);
    held
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_is_handed_over_at_its_next_step() {
    let Some(house) = House::new(2).await else { return };
    let held = step_held(&house);
    let (a, b) = (house.serve(0).await, house.serve(1).await);
    let session = counting_talk(&a).await;
    let waits = batch(&a, &session, "work");
    house.model.wait_for(1).await;
    let behind = batch(&b, &session, "and-then");
    until_said(&house, "SELECT COUNT(*) FROM turns WHERE status = 'queued'", "1").await;
    ask_to_go(&house, &a).await;
    let refused = a.client.get("/readyz").await.unwrap();
    assert_eq!((refused.status, refused.retry_after.is_some()), (503, true), "{}", refused.body);
    let refused = batch(&a, &session, "too-late").await.unwrap();
    assert_eq!((refused.status, refused.retry_after.is_some()), (503, true), "{}", refused.body);
    assert_eq!(b.client.get("/readyz").await.unwrap().status, 200);
    house.model.respond(|_| Reply::text("And then."));
    held.notify_one();
    // Who waits for the answer at the node that goes has it there.
    let answer = waits.await.unwrap().expect(200);
    assert_eq!(answer["reply"], "Done elsewhere.");
    assert_eq!(behind.await.unwrap().expect(200)["reply"], "And then.");
    assert_eq!(a.running.wait().await.unwrap(), Some(0));
    let said = "SELECT attempt, outcome FROM turns ORDER BY position";
    assert_eq!(house.cluster.ask(&house.database, said).unwrap(), "2|completed\n1|completed");
    assert_eq!(house.model.request_count(), 3, "no step was asked for twice");
    assert_eq!(effects(&house), HashMap::from([("once".to_owned(), 1)]));
    assert_eq!(house.cluster.ask(&house.database, "SELECT COUNT(*) FROM nodes").unwrap(), "1");
}

/// A stream that its client reads byte by byte, to its end.
async fn raw_stream(node: &Node, key: &str, session: &str) -> JoinHandle<String> {
    let address = node.running.base.strip_prefix("http://").unwrap().to_owned();
    let mut connection = TcpStream::connect(&address).await.unwrap();
    let head = format!(
        "GET /v1/sessions/{session}/events/stream HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {key}\r\nconnection: close\r\n\r\n"
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    let mut opening = vec![0; 4_096];
    let read = connection.read(&mut opening).await.unwrap();
    assert!(opening[..read].starts_with(b"HTTP/1.1 200"));
    tokio::spawn(async move {
        let mut rest = Vec::new();
        connection.read_to_end(&mut rest).await.unwrap();
        String::from_utf8_lossy(&rest).into_owned()
    })
}

/// A window; gives the code with which the server closes it.
async fn window(node: &Node, key: &str) -> JoinHandle<Option<u16>> {
    let address = node.running.base.strip_prefix("http://").unwrap();
    let mut request = format!("ws://{address}/ws").into_client_request().unwrap();
    request.headers_mut().insert("authorization", format!("Bearer {key}").parse().unwrap());
    let (mut window, _) = client_async(request, TcpStream::connect(address).await.unwrap()).await.unwrap();
    tokio::spawn(async move {
        while let Some(Ok(frame)) = window.next().await {
            if let Message::Close(Some(close)) = frame {
                return Some(close.code.into());
            }
        }
        None
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_are_told_to_go_to_another_node() {
    let Some(house) = House::new(2).await else { return };
    let never = Arc::new(Notify::new());
    house.model.queue([held_reply(&never)]);
    let (a, b) = (house.serve(0).await, house.serve(1).await);
    let session = a.plain_talk().await;
    let waits = batch(&a, &session, "hello");
    let mut elsewhere = b.client.follow(&session, Some("0")).await.unwrap();
    until_text(&mut elsewhere, "nebenan, ").await;
    let (follows, windows) = (raw_stream(&a, &house.key, &session).await, window(&a, &house.key).await);
    ask_to_go(&house, &a).await;
    let rest = timeout(PATIENCE, follows).await.expect("the stream goes on").unwrap();
    assert!(rest.contains("retry: 100\n"), "{rest}");
    assert_eq!(timeout(PATIENCE, windows).await.expect("the window stays").unwrap(), Some(1012));
    // One that comes now is sent on.
    assert_eq!(a.client.follow(&session, None).await.unwrap().status, 503);
    // The reply does not end in time: it begins again at the other node, where the same key has the answer.
    house.model.script(Reply::text("From the start."));
    let refused = waits.await.unwrap();
    assert_eq!((refused.status, refused.retry_after.is_some()), (503, true), "{}", refused.body);
    assert!(refused.text("/detail").contains("Idempotency-Key"), "{}", refused.body);
    let answer = batch(&b, &session, "hello").await.unwrap().expect(200);
    assert_eq!(answer["reply"], "From the start.");
    assert_eq!(a.running.wait().await.unwrap(), Some(0));
    assert_eq!(
        house.cluster.ask(&house.database, "SELECT attempt, outcome FROM turns").unwrap(),
        "2|completed"
    );
}

/// Alone, everything is as on one machine: a stream ends, and the reply goes on at the next start.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_is_alone_leaves_its_turns_for_the_next_start() {
    let Some(house) = House::new(1).await else { return };
    let held = step_held(&house);
    let a = house.serve(0).await;
    let session = counting_talk(&a).await;
    let waits = batch(&a, &session, "work");
    house.model.wait_for(1).await;
    let windows = window(&a, &house.key).await;
    ask_to_go(&house, &a).await;
    held.notify_one();
    assert_eq!(waits.await.unwrap().expect(200)["reply"], "Done elsewhere.");
    assert_eq!(windows.await.unwrap(), Some(1001));
    assert_eq!(a.running.wait().await.unwrap(), Some(0));
    assert_eq!(
        house.cluster.ask(&house.database, "SELECT attempt, outcome FROM turns").unwrap(),
        "1|completed"
    );
}

/// It dies in the middle of handing over.
#[tokio::test(flavor = "multi_thread")]
async fn a_crash_while_a_turn_is_handed_over_costs_nothing() {
    for point in ["handover_before_commit", "handover_after_commit"] {
        let Some(mut house) = House::new(2).await else { return };
        house.programs =
            house.programs.into_iter().map(|program| program.env("MAJORDOMO_LIMITS_LEASE", "3s")).collect();
        let held = step_held(&house);
        let a = house.serve_as(&house.programs[0].clone().env("CRASH_AT", format!("{point}:1"))).await;
        let b = house.serve(1).await;
        let session = counting_talk(&a).await;
        drop(a.say(&session, "work", "work").await);
        house.model.wait_for(1).await;
        ask_to_go(&house, &a).await;
        held.notify_one();
        assert_eq!(a.running.wait().await.unwrap(), None, "{point} was not reached");
        let answer = batch(&b, &session, "work").await.unwrap().expect(200);
        assert_eq!(answer["reply"], "Done elsewhere.", "{point}");
        assert_eq!(effects(&house), HashMap::from([("once".to_owned(), 1)]), "{point}");
        assert_eq!(house.model.request_count(), 2, "{point}");
    }
}

/// Every node is restarted once while people talk to all of them.
#[tokio::test(flavor = "multi_thread")]
async fn a_rolling_restart_leaves_no_message_without_its_answer() {
    let Some(house) = House::new(3).await else { return };
    house.model.respond(reply);
    let mut nodes = Vec::new();
    for place in 0..3 {
        nodes.push(Some(house.serve(place).await));
    }
    let bases = nodes.iter().map(|node| node.as_ref().unwrap().running.base.clone()).collect();
    let load = Load::new(&house.key, bases);
    let talkers = load.begin(PEOPLE).await;
    for (place, held) in nodes.iter_mut().enumerate() {
        let works = "SELECT COUNT(*) > 2 FROM turns WHERE status = 'running'";
        until_said(&house, works, "t").await;
        let node = held.take().unwrap();
        assert_eq!(node.running.terminate().await.unwrap(), Some(0));
        let node = house.serve(place).await;
        load.moved(place, &node.running.base);
        *held = Some(node);
    }
    let said = load.end(talkers).await;
    println!("{} messages over three restarts", said.len());
    check(&house, &said);
}

/// Each message had one turn, which ended well, and one effect.
pub fn check(house: &House, said: &[String]) {
    let outcomes =
        house.cluster.ask(&house.database, "SELECT outcome, COUNT(*) FROM turns GROUP BY outcome").unwrap();
    assert_eq!(outcomes, format!("completed|{}", said.len()));
    let once: HashMap<String, usize> = said.iter().map(|words| (words.clone(), 1)).collect();
    assert_eq!(effects(house), once);
    let doubled = "SELECT COUNT(*) FROM (SELECT session_id, seq FROM events GROUP BY session_id, seq HAVING COUNT(*) > 1) d";
    assert_eq!(house.cluster.ask(&house.database, doubled).unwrap(), "0");
}
