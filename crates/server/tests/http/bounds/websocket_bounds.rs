//! The WebSocket's door, and what happens to those who do not behave.

use crate::support::{Handshake, House, Options, refusal};
use domain::{Scope, UserRole};
use serde_json::{Value, json};
use server::{Capacity, HttpSettings};
use std::time::Duration;
use testkit::model::Reply;
use tokio::io::AsyncWriteExt;
use tokio_tungstenite::tungstenite::{Message, protocol::frame::coding::CloseCode};

fn only_one() -> Capacity {
    Capacity { connections: 1, ..Capacity::default() }
}

fn handshake(house: &House) -> Handshake {
    Handshake::new(house.address, "/ws")
}

#[tokio::test]
async fn only_our_own_pages_may_open_it() {
    let http = HttpSettings {
        public_url: Some("https://home.example/majordomo".to_owned()),
        ..HttpSettings::default()
    };
    let house = House::with(Options { http, ..Options::default() }).await;
    let port = house.address.port();
    for ours in [
        format!("http://127.0.0.1:{port}"),
        format!("http://localhost:{port}"),
        format!("http://LOCALHOST:{port}"),
        format!("http://[::1]:{port}"),
        "https://home.example".to_owned(),
        "https://home.example:443".to_owned(),
    ] {
        handshake(&house).key(&house.key).header("origin", &ours).open().await;
    }
    for foreign in [
        "https://evil.example".to_owned(),
        "null".to_owned(),
        String::new(),
        "file://".to_owned(),
        "http://home.example".to_owned(),
        "https://home.example.evil.example".to_owned(),
        "https://home.example:8443".to_owned(),
        format!("https://127.0.0.1:{port}"),
        format!("http://127.0.0.1:{}", port ^ 1),
        "http://127.0.0.1".to_owned(),
        format!("http://127.0.0.1:{port}/path"),
        format!("http://user@127.0.0.1:{port}"),
        format!("ws://127.0.0.1:{port}"),
    ] {
        let refused = handshake(&house).key(&house.key).header("origin", &foreign).refused().await;
        assert_eq!(refused, (403, "foreign_origin".to_owned()), "{foreign}");
    }
    let ours = format!("http://127.0.0.1:{port}");
    let two = handshake(&house).key(&house.key).header("origin", &ours).header("origin", &ours);
    assert_eq!(two.refused().await, (403, "foreign_origin".to_owned()));
    for host in ["evil.example", "127.0.0.1.nip.io", ""] {
        let other = handshake(&house).key(&house.key).without("host").header("host", host);
        assert_eq!(other.refused().await.0, 421, "{host}");
    }
}

#[tokio::test]
async fn a_key_comes_in_its_header_or_not_at_all() {
    let house = House::new().await;
    assert_eq!(handshake(&house).refused().await, (401, "unauthorized".to_owned()));
    for key in ["", "null", "undefined", "mjd_", "mjd_AAAA"] {
        assert_eq!(handshake(&house).key(key).refused().await.0, 401, "{key:?}");
    }
    for path in [format!("/ws?token={}", house.key), format!("/ws?access_token={}", house.key)] {
        let refused = Handshake::new(house.address, &path).refused().await;
        assert_eq!(refused, (400, "key_in_query".to_owned()));
        let refused = Handshake::new(house.address, &path).key(&house.key).refused().await;
        assert_eq!(refused.1, "key_in_query", "not even beside the header");
    }
    let protocols = format!("bearer, {}", house.key);
    assert_eq!(handshake(&house).header("sec-websocket-protocol", &protocols).refused().await.0, 401);
    let bridge = house.issue(house.owner().await, Scope::Bridge).await;
    assert_eq!(handshake(&house).key(&bridge).refused().await, (403, "scope_insufficient".to_owned()));
    let plain = house.call("GET", "/ws").send().await;
    plain.refused(426, "not_a_websocket");
    let other = handshake(&house)
        .key(&house.key)
        .without("sec-websocket-version")
        .header("sec-websocket-version", "8");
    assert_eq!(other.refused().await.1, "not_a_websocket");
}

#[tokio::test]
async fn nonsense_is_answered_and_the_connection_stays() {
    let house = House::new().await;
    let mut socket = house.socket_of(&house.key).await;
    for text in ["", "not json", "[]", "{}", "{\"type\":1}", "{\"type\":\"dance\"}", "{\"type\":\"\\ud800\"}"]
    {
        socket.text(text).await;
        assert_eq!(refusal(&socket.next().await).0, 400, "{text}");
    }
    socket.frame(Message::binary(b"{\"type\":\"ping\"}".to_vec())).await;
    assert_eq!(refusal(&socket.next().await), (400, "binary_frame"));
    let padded = json!({ "type": "question_response", "question_id": "q", "answer": "x".repeat(65 << 10) });
    assert_eq!(refusal(&socket.ask(&padded).await), (413, "too_large"));
    assert_eq!(socket.ask(&json!({ "type": "ping" })).await, json!({ "type": "pong" }));
}

#[tokio::test]
async fn who_goes_on_with_nonsense_is_sent_away() {
    let house = House::new().await;
    let mut socket = house.socket_of(&house.key).await;
    let abuse = async {
        for _ in 0..200 {
            if futures_util::SinkExt::send(&mut socket.stream, Message::text("nonsense")).await.is_err() {
                break;
            }
        }
        socket.closed().await
    };
    assert_eq!(abuse.await, u16::from(CloseCode::Policy));
}

#[tokio::test]
async fn messages_are_bounded_in_number() {
    let house = House::new().await;
    let mut socket = house.socket_of(&house.key).await;
    let (mut pongs, mut refused) = (0, 0);
    for _ in 0..320 {
        socket.say(&json!({ "type": "ping" })).await;
    }
    for _ in 0..320 {
        match socket.next().await {
            told if told["type"] == "pong" => pongs += 1,
            told => {
                assert_eq!(refusal(&told), (429, "too_many_messages"));
                refused += 1;
            }
        }
    }
    assert!(pongs >= 300 && pongs + refused == 320, "{pongs} {refused}");
}

#[tokio::test]
async fn a_message_of_more_than_8_mib_ends_the_connection() {
    let house = House::new().await;
    let session = house.session().await;
    let mut socket = house.socket_of(&house.key).await;
    let large = json!({
        "type": "send", "session_id": session, "content": "x".repeat((8 << 20) - 1_000), "idempotency_key": "k"
    });
    assert_eq!(refusal(&socket.ask(&large).await), (413, "too_large"), "as long as a message may be");
    let (mut socket, too_large) = (socket, "x".repeat(9 << 20));
    // The server stops reading and says why; whether all of it could be written does not matter.
    drop(futures_util::SinkExt::send(&mut socket.stream, Message::text(too_large)).await);
    let code = socket.closed().await;
    assert!(code == u16::from(CloseCode::Size) || code == 0, "{code}");
    house.socket_of(&house.key).await;
}

#[tokio::test]
async fn a_hundred_sessions_are_followed_and_no_more() {
    let house = House::new().await;
    let agent = house.main_agent().await;
    let mut socket = house.socket_of(&house.key).await;
    let mut first = String::new();
    for number in 0..100 {
        let session = house.session_with(&agent).await;
        socket.subscribe(&session, None).await;
        if number == 0 {
            first = session;
        }
    }
    let further = house.session_with(&agent).await;
    let subscribe = json!({ "type": "subscribe", "session_id": further });
    assert_eq!(refusal(&socket.ask(&subscribe).await), (429, "too_many_subscriptions"));
    socket.subscribe(&first, None).await;
    socket.ask(&json!({ "type": "unsubscribe", "session_id": first })).await;
    socket.subscribe(&further, None).await;
}

#[tokio::test]
async fn the_server_asks_whether_somebody_is_there() {
    // Time for an answer, also on a machine that is busy.
    let http = HttpSettings { ping: Duration::from_secs(1), ..HttpSettings::default() };
    let house = House::with(Options { http, ..Options::default() }).await;
    let mut socket = house.socket_of(&house.key).await;
    let mut pings = 0;
    while pings < 3 {
        // Reading answers the pings.
        match futures_util::StreamExt::next(&mut socket.stream).await {
            Some(Ok(Message::Ping(_))) => pings += 1,
            Some(Ok(_)) => {}
            other => panic!("after {pings} pings: {other:?}"),
        }
    }
    assert_eq!(socket.ask(&json!({ "type": "ping" })).await, json!({ "type": "pong" }));
}

/// Serving ends when no connection is left, so its end shows that the silent one was dropped.
#[tokio::test]
async fn who_does_not_answer_is_dropped() {
    let http =
        HttpSettings { ping: Duration::from_millis(20), capacity: only_one(), ..HttpSettings::default() };
    let house = House::with(Options { http, ..Options::default() }).await;
    let silent = house.socket_of(&house.key).await;
    // The only place is free again once the silent one is gone.
    house.until_room().await;
    drop(silent);
}

#[tokio::test]
async fn an_open_connection_takes_a_place() {
    let http = HttpSettings { capacity: only_one(), ..HttpSettings::default() };
    let house = House::with(Options { http, ..Options::default() }).await;
    let socket = house.socket_of(&house.key).await;
    let (_, other) = house.person("Bea", UserRole::Member).await;
    let answer = house.call("GET", "/v1/me").key(&other).send().await;
    assert_eq!(answer.header("retry-after"), "2");
    answer.refused(503, "crowded");
    drop(socket);
    house.until_room().await;
}

/// The server keeps nothing for a client that does not read: it lets it go.
#[tokio::test]
async fn who_does_not_read_is_let_go() {
    let http = HttpSettings {
        write_timeout: Duration::from_millis(200),
        capacity: only_one(),
        ..HttpSettings::default()
    };
    let house = House::with(Options { http, send_buffer: Some(4_096), ..Options::default() }).await;
    house.model.respond(|_| Reply::text("x".repeat(100_000)));
    let session = house.session().await;
    for _ in 0..20 {
        house.say(&session, "more").await;
    }
    let mut deaf = handshake(&house).key(&house.key).receive_buffer(4_096).open().await;
    deaf.say(&json!({ "type": "subscribe", "session_id": session, "after": "0" })).await;
    // The only place is free again once the deaf one is gone.
    house.until_room().await;
    let mut last = Value::Null;
    while let Some(told) = deaf.try_next().await {
        last = told;
    }
    assert_ne!(last["seq"], json!(200), "it did not get everything");
}

#[tokio::test]
async fn a_shutdown_says_goodbye() {
    let house = House::new().await;
    let mut socket = house.socket_of(&house.key).await;
    house.stop.cancel();
    assert_eq!(socket.closed().await, u16::from(CloseCode::Away));
    drop(socket);
    house.serving.await.unwrap().unwrap();
}

/// Somebody who neither reads nor answers does not hold the shutdown up.
#[tokio::test]
async fn a_shutdown_does_not_wait_for_the_deaf() {
    let http = HttpSettings { grace: Duration::from_millis(50), ..HttpSettings::default() };
    let house = House::with(Options { http, ..Options::default() }).await;
    let deaf = house.socket_of(&house.key).await;
    house.stop.cancel();
    house.serving.await.unwrap().unwrap();
    drop(deaf);
}

#[tokio::test]
async fn the_client_may_leave_politely() {
    let house = House::new().await;
    let mut socket = house.socket_of(&house.key).await;
    socket.stream.close(None).await.unwrap();
    assert_eq!(socket.closed().await, 0, "the close is answered");
}

/// Bytes that are no frames, frames that never end: the connection ends, the server does not mind.
#[tokio::test]
async fn what_is_no_frame_ends_the_connection_and_nothing_else() {
    let house = House::new().await;
    let unmasked = [0x81, 0x04, b'p', b'i', b'n', b'g'];
    let reserved = [0xf1, 0x80, 0, 0, 0, 0];
    let unknown_opcode = [0x83, 0x80, 0, 0, 0, 0];
    let huge = [0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];
    let long_ping = [&[0x89, 0xfe, 0, 126, 0, 0, 0, 0][..], &[0; 126]].concat();
    let lone_continuation = [0x80, 0x80, 0, 0, 0, 0];
    let bad_text = [0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe];
    let frames: [&[u8]; 7] =
        [&unmasked, &reserved, &unknown_opcode, &huge, &long_ping, &lone_continuation, &bad_text];
    for bytes in frames {
        let mut socket = house.socket_of(&house.key).await;
        socket.stream.get_mut().write_all(bytes).await.unwrap();
        let code = socket.closed().await;
        assert!(matches!(code, 0 | 1002 | 1007 | 1009), "{bytes:?}: {code}");
    }
    let mut noise = house.socket_of(&house.key).await;
    let bytes: Vec<u8> = (0..100_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    drop(noise.stream.get_mut().write_all(&bytes).await);
    house.anonymous("GET", "/healthz").send().await.expect(200);
}

/// A message in endless pieces is a message that is too long.
#[tokio::test]
async fn pieces_without_end_are_too_much() {
    let house = House::new().await;
    let mut socket = house.socket_of(&house.key).await;
    let piece = |first: bool| {
        let mut bytes = vec![u8::from(first), 0xff];
        bytes.extend_from_slice(&(1_u64 << 20).to_be_bytes());
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend(std::iter::repeat_n(b'x', 1 << 20));
        bytes
    };
    let mut refused = false;
    for number in 0..64 {
        if socket.stream.get_mut().write_all(&piece(number == 0)).await.is_err() {
            refused = true;
            break;
        }
    }
    let code = socket.closed().await;
    assert!(refused || code == 1009, "{code}");
}

/// Half a frame is no sign of life.
#[tokio::test]
async fn half_a_frame_is_not_waited_for() {
    let http =
        HttpSettings { ping: Duration::from_millis(20), capacity: only_one(), ..HttpSettings::default() };
    let house = House::with(Options { http, ..Options::default() }).await;
    let mut slow = house.socket_of(&house.key).await;
    slow.stream.get_mut().write_all(&[0x81, 0xfe, 0xff]).await.unwrap();
    house.until_room().await;
    drop(slow);
}

/// Every message, each of its fields broken in every way: one answer to each, and no more than that.
#[tokio::test]
async fn broken_messages_have_one_answer_each() {
    let house = House::new().await;
    let session = house.session().await;
    let messages = [
        json!({ "type": "subscribe", "session_id": session, "after": "0" }),
        json!({ "type": "unsubscribe", "session_id": session }),
        json!({ "type": "send", "session_id": session, "content": "Hi", "idempotency_key": "k" }),
        json!({ "type": "abort", "session_id": session }),
        json!({ "type": "question_response", "question_id": "q", "answer": "yes" }),
        json!({ "type": "approval_response", "approval_id": "a", "decision": "deny", "scope": "once", "digest": "d" }),
        json!({ "type": "ping" }),
    ];
    let long = "x".repeat(70_000);
    let values = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1.5e300),
        json!([]),
        json!({}),
        json!(""),
        json!("\u{0}"),
        json!("\u{202e}\u{feff}"),
        json!(long),
    ];
    let mut broken = Vec::new();
    for message in &messages {
        for field in
            message.as_object().unwrap().keys().filter(|field| *field != "content" && *field != "answer")
        {
            for value in &values {
                let mut changed = message.clone();
                changed[field] = value.clone();
                broken.push(changed.to_string());
            }
            broken.push(message.to_string().replacen(&format!("\"{field}\""), "\"\\ud800\"", 1));
        }
    }
    house.model.respond(|_| Reply::text("Hello"));
    for some in broken.chunks(20) {
        let mut socket = house.socket_of(&house.key).await;
        for text in some {
            socket.text(text.as_str()).await;
            let answer = socket.answer().await;
            assert!(answer["status"].as_u64().unwrap_or(200) < 500, "{answer}");
        }
        assert_eq!(socket.ask(&json!({ "type": "ping" })).await, json!({ "type": "pong" }));
    }
}
