//! Headers on every answer, and clients that are too slow.

use crate::support::{House, Options};
use serde_json::json;
use server::{Capacity, HttpSettings};
use std::{sync::Arc, time::Duration};
use testkit::model::Reply;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    sync::Notify,
};

const SOON: Duration = Duration::from_millis(50);

#[tokio::test]
async fn every_answer_is_dressed() {
    let house = House::new().await;
    let mut seen = Vec::new();
    for path in ["/healthz", "/v1/me", "/v1/nothing"] {
        for answer in [house.call("GET", path).send().await, house.anonymous("GET", path).send().await] {
            assert_eq!(answer.header("x-content-type-options"), "nosniff");
            assert_eq!(answer.header("referrer-policy"), "no-referrer");
            assert_eq!(answer.header("cache-control"), "no-store");
            assert_eq!(
                answer.header("content-security-policy"),
                "default-src 'none'; frame-ancestors 'none'"
            );
            assert_eq!(answer.header("cross-origin-resource-policy"), "same-origin");
            assert_eq!(answer.header("access-control-allow-origin"), "");
            seen.push(answer.header("x-request-id").to_owned());
        }
    }
    let total = seen.len();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), total, "each request has an id of its own");
    assert!(seen.iter().all(|id| id.len() == 32));
}

#[tokio::test]
async fn head_is_get_without_a_body() {
    let house = House::new().await;
    let answer = house.call("HEAD", "/v1/me").send().await;
    assert_eq!((answer.status, answer.bytes.len()), (200, 0));
}

async fn until_closed(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    drop(stream.read_to_end(&mut bytes).await);
    String::from_utf8_lossy(&bytes).into_owned()
}

#[tokio::test]
async fn a_head_that_does_not_end_is_not_waited_for() {
    let http = HttpSettings { header_timeout: SOON, ..HttpSettings::default() };
    let house = House::with(Options { http, ..Options::default() }).await;
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    stream.write_all(b"GET /v1/me HTTP/1.1\r\nHost: loc").await.unwrap();
    until_closed(&mut stream).await;
    let mut idle = TcpStream::connect(house.address).await.unwrap();
    assert_eq!(until_closed(&mut idle).await, "");
}

/// One request on an open connection, and the head of its answer.
async fn ask_again(stream: &mut TcpStream) -> String {
    stream.write_all(b"HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(error) => panic!("{error} after {:?}", String::from_utf8_lossy(&head)),
        }
    }
    String::from_utf8_lossy(&head).into_owned()
}

/// A proxy keeps connections for a minute or two and takes one that seems open: what it sends must find the server there.
#[tokio::test]
async fn a_pause_between_two_requests_is_no_slow_head() {
    let http = HttpSettings { header_timeout: Duration::from_secs(1), ..HttpSettings::default() };
    let house = House::with(Options { http, ..Options::default() }).await;
    let mut kept = TcpStream::connect(house.address).await.unwrap();
    assert!(ask_again(&mut kept).await.starts_with("HTTP/1.1 200 "));
    // The pause has been longer than a head may take when a head that began after it was given up.
    let mut slow = TcpStream::connect(house.address).await.unwrap();
    slow.write_all(b"GET /healthz HTTP/1.1\r\n").await.unwrap();
    until_closed(&mut slow).await;
    assert!(ask_again(&mut kept).await.starts_with("HTTP/1.1 200 "));
    // The control: a head that has begun on the same connection must end in time.
    kept.write_all(b"GET /healthz HTTP/1.1\r\n").await.unwrap();
    until_closed(&mut kept).await;
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let http = HttpSettings { body_timeout: SOON, ..HttpSettings::default() };
    let house = House::with(Options { http, ..Options::default() }).await;
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    let head = format!(
        "POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{{\"agent_id\":",
        house.key
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let answer = until_closed(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(answer.contains("\"code\":\"body_timeout\""), "{answer}");
}

#[tokio::test]
async fn a_quiet_stream_says_that_it_is_there() {
    let http = HttpSettings { heartbeat: SOON, ..HttpSettings::default() };
    let house = House::with(Options { http, ..Options::default() }).await;
    let session = house.session().await;
    let mut events = house.call("GET", &format!("/v1/sessions/{session}/events/stream")).events().await;
    // The model thinks until the heart has beaten.
    let gate = Arc::new(Notify::new());
    house.model.script(Reply::text("Hello").gate(gate.clone()));
    let path = format!("/v1/sessions/{session}/messages");
    let sending = tokio::spawn(house.call("POST", &path).json(&json!({ "content": "Hi" })).send());
    events.until_raw("\n\n: still here\n\n").await;
    gate.notify_one();
    events.until("turn_ended").await;
    sending.await.unwrap().expect(200);
}

#[tokio::test]
async fn a_reader_that_stops_reading_loses_its_connection() {
    // With room for one connection, there is none for others until the reader is gone.
    let capacity = Capacity { connections: 1, ..Capacity::default() };
    let http = HttpSettings { write_timeout: SOON, capacity, ..HttpSettings::default() };
    let house = House::with(Options { http, send_buffer: Some(16 << 10), ..Options::default() }).await;
    let session = house.session().await;
    house.model.script(Reply::text("x".repeat(1 << 20)));
    house.say(&session, "More").await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4_096).unwrap();
    let mut slow = socket.connect(house.address).await.unwrap();
    let head = format!(
        "GET /v1/sessions/{session}/events/stream?after=0 HTTP/1.1\r\nHost: localhost\r\n\
         Authorization: Bearer {}\r\n\r\n",
        house.key
    );
    slow.write_all(head.as_bytes()).await.unwrap();
    let mut first = [0; 12];
    slow.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    house.until_room().await;
    let rest = until_closed(&mut slow).await;
    assert!(!rest.ends_with("0\r\n\r\n"), "the stream was cut, not ended");
}
