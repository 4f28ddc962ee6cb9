//! What a person may have open at once is one number for all nodes together: three nodes are asked at the same moment, by WebSockets and by
//! requests that wait.

use crate::{
    house::PATIENCE,
    several::{Nodes, new_session},
};
use futures_util::future::join_all;
use serde_json::json;
use std::{sync::Arc, time::Duration};
use testkit::{
    client::{Answer, Client},
    model::Reply,
    program::Running,
};
use tokio::{net::TcpStream, sync::Notify, task::JoinSet, time::timeout};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{self, client::IntoClientRequest},
};

/// Of one person, and half of it of one key. Few enough that no node takes seats ahead, so that none is somewhere else.
const MOST: usize = 12;
/// Asked for at each of three nodes at once.
const EACH: usize = 8;

async fn three(setting: &str) -> Option<(Nodes, Vec<Running>)> {
    let mut nodes = Nodes::new(3).await?;
    for program in &mut nodes.programs {
        *program = program.clone().env(setting, MOST.to_string());
    }
    let running = nodes.serve_all().await;
    nodes.beat_for(3, 2).await;
    Some((nodes, running))
}

/// `None` when the person has enough of them.
async fn socket(base: &str, key: &str) -> Option<WebSocketStream<TcpStream>> {
    let address = base.strip_prefix("http://").unwrap();
    let mut request = format!("ws://{address}/ws").into_client_request().unwrap();
    request.headers_mut().insert("authorization", format!("Bearer {key}").parse().unwrap());
    let stream = TcpStream::connect(address).await.unwrap();
    match client_async(request, stream).await {
        Ok((socket, _)) => Some(socket),
        Err(tungstenite::Error::Http(refused)) => {
            assert_eq!(refused.status(), 429);
            assert!(refused.headers().contains_key("retry-after"));
            None
        }
        Err(other) => panic!("{other}"),
    }
}

async fn open(nodes: &Nodes, running: &[Running], each: usize) -> Vec<WebSocketStream<TcpStream>> {
    let all =
        (0..each * running.len()).map(|number| socket(&running[number % running.len()].base, &nodes.key));
    join_all(all).await.into_iter().flatten().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn sockets_are_counted_at_all_nodes_together() {
    let Some((nodes, mut running)) = three("MAJORDOMO_CONNECTIONS_SOCKETS_PER_PERSON").await else { return };
    let opened = open(&nodes, &running, EACH).await;
    assert_eq!(opened.len(), MOST / 2, "of one key");
    assert!(open(&nodes, &running, 1).await.is_empty(), "there are no more");
    // What ends at one node is there for the others.
    drop(opened);
    nodes.until("SELECT COALESCE(SUM(held), 0) FROM seats WHERE kind = 'socket'", "0").await;
    let opened = open(&nodes, &running[2..], MOST / 2 + 1).await;
    assert_eq!(opened.len(), MOST / 2);
    assert!(open(&nodes, &running[..2], 1).await.is_empty(), "there are no more");
    // What a node had that died is there for the others, too.
    running.pop().unwrap().kill().await.unwrap();
    let alive =
        "SELECT COUNT(*) FROM nodes WHERE lease_until >= EXTRACT(EPOCH FROM clock_timestamp()) * 1000";
    nodes.until(alive, "2").await;
    assert_eq!(open(&nodes, &running, EACH).await.len(), MOST / 2);
}

/// Each request waits for a whole reply, and no reply is given before all that are too many have been refused.
#[tokio::test(flavor = "multi_thread")]
async fn requests_are_counted_at_all_nodes_together() {
    let Some((nodes, running)) = three("MAJORDOMO_CONNECTIONS_REQUESTS_PER_PERSON").await else { return };
    let clients: Vec<Client> = running.iter().map(|node| node.client(&nodes.key)).collect();
    let held = Arc::new(Notify::new());
    let gate = held.clone();
    nodes.model.respond(move |_| Reply::text("At last.").gate(gate.clone()));
    let mut sessions = Vec::new();
    for _ in 0..3 * EACH {
        sessions.push(new_session(&clients[0]).await);
    }
    let mut asked = JoinSet::new();
    for (number, session) in sessions.into_iter().enumerate() {
        let client = clients[number % 3].clone();
        let path = format!("/v1/sessions/{session}/messages");
        asked.spawn(async move { client.post(&path, &json!({ "content": "Hello" })).await.unwrap() });
    }
    for number in 0..3 * EACH - MOST / 2 {
        let refused: Answer = timeout(PATIENCE, asked.join_next())
            .await
            .unwrap_or_else(|_| panic!("only {number} were refused"))
            .unwrap()
            .unwrap();
        assert_eq!((refused.status, refused.retry_after.is_some()), (429, true), "{}", refused.body);
    }
    nodes.model.wait_for(MOST / 2).await;
    let opening = tokio::spawn(async move {
        loop {
            held.notify_waiters();
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    while let Some(answer) = asked.join_next().await {
        assert_eq!(answer.unwrap().expect(200)["reply"], "At last.");
    }
    opening.abort();
    assert_eq!(nodes.model.request_count(), MOST / 2, "what was refused was begun all the same");
}
