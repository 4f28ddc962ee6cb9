//! A turn runs at one node; who reads at the other is shown the same.

use crate::house::{House, Node, PATIENCE, data, durable, next, text, until, until_text};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use testkit::{client::SseStream, model::Reply, sse::SseEvent};
use tokio::{net::TcpStream, sync::Notify, time::timeout};
use tokio_tungstenite::{
    client_async,
    tungstenite::{Message, client::IntoClientRequest},
};

const FIRST: &str = "Grüße von nebenan, ";
const WHOLE: &str = "Grüße von nebenan, und gute Reise.";

/// A reply that stops after its first words until it is let go on.
pub fn held_reply(held: &Arc<Notify>) -> Reply {
    let rest = WHOLE.strip_prefix(FIRST).unwrap();
    let pieces: Vec<String> = FIRST.chars().map(String::from).collect();
    let count = pieces.len();
    Reply::pieces(pieces.into_iter().chain([rest.to_owned()])).gate_after_pieces(count, held.clone())
}

/// Two nodes, and a session of the first in which a reply is being written.
async fn two_nodes() -> Option<(House, Node, Node, String, Arc<Notify>, SseStream)> {
    let house = House::new(2).await?;
    let held = Arc::new(Notify::new());
    house.model.script(held_reply(&held));
    let (a, b) = (house.serve(0).await, house.serve(1).await);
    let session = a.plain_talk().await;
    let stream = a.say(&session, "k1", "hello").await;
    Some((house, a, b, session, held, stream))
}

fn same(seen: &[Value], log: &[Value]) {
    assert_eq!(durable(seen), durable(log), "the other node shows something else");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_at_the_other_node_shows_the_same() {
    let Some((_house, a, b, session, held, own)) = two_nodes().await else { return };
    let mut stream = b.follow(&session).await;
    let mut seen = until_text(&mut stream, FIRST).await;
    assert!(
        seen.iter().all(|event| event.event != "message_complete"),
        "only the finished message was shown"
    );
    held.notify_one();
    seen.extend(until(&mut stream, "turn_ended").await);
    let own = own.collect().await.unwrap();
    assert_eq!(text(&own), WHOLE);
    assert!(WHOLE.starts_with(&text(&seen)), "{:?}", text(&seen));
    same(&data(&seen), &a.log(&session).await);
}

/// The control: without the bus the other node is shown nothing of it.
#[tokio::test(flavor = "multi_thread")]
async fn without_the_bus_the_other_node_hears_nothing() {
    let Some(house) = House::new(2).await else { return };
    let (a, b) = (house.serve_without(0, "guard_bus").await, house.serve_without(1, "guard_bus").await);
    let session = a.plain_talk().await;
    let mut stream = b.follow(&session).await;
    house.model.script(Reply::text("unheard"));
    let events = a.say(&session, "k1", "hello").await.collect().await.unwrap();
    assert_eq!(events.last().unwrap().event, "turn_ended");
    let heard =
        timeout(Duration::from_secs(4), async { while next(&mut stream).await.event != "turn_ended" {} });
    assert!(heard.await.is_err(), "it was shown without the bus: the other tests prove nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_at_the_other_node_shows_the_same() {
    let Some((house, a, b, session, held, own)) = two_nodes().await else { return };
    let address = b.running.base.strip_prefix("http://").unwrap();
    let mut request = format!("ws://{address}/ws").into_client_request().unwrap();
    request.headers_mut().insert("authorization", format!("Bearer {}", house.key).parse().unwrap());
    let (mut window, _) = client_async(request, TcpStream::connect(address).await.unwrap()).await.unwrap();
    let subscribe = json!({ "type": "subscribe", "session_id": session, "after": "0" });
    window.send(Message::text(subscribe.to_string())).await.unwrap();
    let mut seen: Vec<Value> = Vec::new();
    let mut said = String::new();
    while seen.last().is_none_or(|event| event["type"] != "turn_ended") {
        let frame = timeout(PATIENCE, window.next()).await.expect("nothing came").unwrap().unwrap();
        let Message::Text(frame) = frame else { continue };
        let event: Value = serde_json::from_str(&frame).unwrap();
        // What it says to the window itself has no number.
        if event["session_id"] != session.as_str() || !event["seq"].is_u64() {
            continue;
        }
        if event["type"] == "text" {
            said.push_str(event["data"]["text"].as_str().unwrap());
            if said == FIRST {
                held.notify_one();
            }
        }
        seen.push(event);
    }
    assert!(said.starts_with(FIRST) && WHOLE.starts_with(&said), "{said:?}");
    drop(own);
    same(&seen, &a.log(&session).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_follows_everything_at_the_other_node_is_shown_the_same() {
    let Some(house) = House::new(2).await else { return };
    house.model.respond(|_| Reply::text("Good morning."));
    let (a, b) = (house.serve(0).await, house.serve(1).await);
    let mut everything = b.client.follow_everything().await.unwrap();
    assert_eq!(everything.status, 200);
    let session = a.plain_talk().await;
    let own = a.say(&session, "k1", "hello").await.collect().await.unwrap();
    assert_eq!(own.last().unwrap().event, "turn_ended");
    let mut seen: Vec<SseEvent> = Vec::new();
    while seen.last().is_none_or(|event| event.event != "turn_ended") {
        let event = next(&mut everything).await;
        if event.data["session_id"] == session.as_str() && event.data["seq"].is_u64() {
            seen.push(event);
        }
    }
    same(&data(&seen), &a.log(&session).await);
}

/// Nothing is told but that the nodes are there: what was stored is found all the same.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_told_is_found() {
    let Some(house) = House::new(2).await else { return };
    house.model.respond(|_| Reply::text("Good evening."));
    let (a, b) = (house.serve_without(0, "guard_notes").await, house.serve(1).await);
    let session = a.plain_talk().await;
    let mut stream = b.follow(&session).await;
    let mut everything = b.client.follow_everything().await.unwrap();
    a.say(&session, "k1", "hello").await.collect().await.unwrap();
    let seen = until(&mut stream, "turn_ended").await;
    same(&data(&seen), &a.log(&session).await);
    while next(&mut everything).await.event != "turn_ended" {}
}

/// As above, with sessions of which the reader knew nothing: they come with everything that happened in them, and go.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_was_not_told_of_is_found() {
    let Some(house) = House::new(2).await else { return };
    house.model.respond(|_| Reply::text("Good evening."));
    let (a, b) = (house.serve_without(0, "guard_notes").await, house.serve(1).await);
    let mut everything = b.client.follow_everything().await.unwrap();
    assert_eq!(next(&mut everything).await.event, "snapshot");
    let session = a.plain_talk().await;
    a.say(&session, "k1", "hello").await.collect().await.unwrap();
    let seen = until(&mut everything, "turn_ended").await;
    assert_eq!((seen[0].event.as_str(), &seen[0].data["session_id"]), ("session_created", &json!(session)));
    same(&data(&seen[1..]), &a.log(&session).await);
    assert_eq!(a.client.delete(&format!("/v1/sessions/{session}")).await.unwrap().status, 204);
    let gone = until(&mut everything, "session_deleted").await;
    assert_eq!(gone.last().unwrap().data["session_id"], json!(session));
}

/// The connections on which the nodes hear each other are cut in the middle of a reply.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_whose_ear_is_cut_hears_again() {
    let Some((house, a, b, session, held, own)) = two_nodes().await else { return };
    let mut stream = b.follow(&session).await;
    let mut seen = until_text(&mut stream, FIRST).await;
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'";
    house.cluster.ask(&house.database, cut).unwrap();
    held.notify_one();
    own.collect().await.unwrap();
    seen.extend(until(&mut stream, "turn_ended").await);
    assert!(WHOLE.starts_with(&text(&seen)), "{:?}", text(&seen));
    same(&data(&seen), &a.log(&session).await);
}
