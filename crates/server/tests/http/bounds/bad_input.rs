//! What a client may send by mistake or on purpose: each gets its clear answer, and none of them a 5xx.

use crate::support::{Call, House};
use serde_json::{Value, json};
use testkit::model::Reply;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

#[tokio::test]
async fn wrong_types_and_unknown_fields_are_named() {
    let house = House::new().await;
    let session = house.session().await;
    let messages = format!("/v1/sessions/{session}/messages");
    let agent = format!("/v1/agents/{}", house.main_agent().await);
    let table: [(&str, &str, Value, &str); 16] = [
        ("POST", &messages, json!({ "content": 1 }), "content"),
        ("POST", &messages, json!({ "content": null }), "content"),
        ("POST", &messages, json!({}), "content"),
        ("POST", &messages, json!({ "content": "x", "mode": "whenever" }), "mode"),
        ("POST", &messages, json!({ "content": "x", "mode": 1 }), "mode"),
        ("POST", &messages, json!({ "content": "x", "attachments": [{}] }), "upload_id"),
        ("POST", &messages, json!(["x"]), "object"),
        ("POST", &messages, json!("x"), "object"),
        ("POST", "/v1/sessions", json!({ "agent_id": "x" }), "agent_id"),
        ("POST", "/v1/sessions", json!({ "agent_id": 7 }), "agent_id"),
        ("POST", "/v1/sessions", json!({ "name": "x" }), "agent_id"),
        ("POST", "/v1/agents", json!({ "name": "x", "colour": "red" }), "colour"),
        ("POST", "/v1/agents", json!({ "name": ["x"] }), "name"),
        ("PATCH", &agent, json!({ "limits": { "steps": -1 } }), "limits.steps"),
        ("PATCH", &agent, json!({ "limits": { "leaps": 1 } }), "leaps"),
        ("PATCH", &agent, json!({ "status": "asleep" }), "status"),
    ];
    for (method, path, body, named) in table {
        let detail = house.call(method, path).json(&body).send().await.refused(400, "bad_field");
        assert!(detail.contains(named), "{method} {path} {body}: {detail}");
    }
}

#[tokio::test]
async fn bodies_that_are_no_json_are_refused() {
    let house = House::new().await;
    let path = format!("/v1/sessions/{}/messages", house.session().await);
    let post = |body: Vec<u8>| house.call("POST", &path).body("application/json", body);
    let deep = format!("{{\"content\": {}", "[".repeat(200_000));
    for body in [
        Vec::new(),
        b"{".to_vec(),
        b"content=x".to_vec(),
        b"\xff\xfe".to_vec(),
        b"{\"content\": \"\xc3\x28\"}".to_vec(),
    ] {
        post(body).send().await.refused(400, "bad_json");
    }
    assert_eq!(post(deep.into_bytes()).send().await.status, 400);
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
        let answer = house.call("POST", &path).body(kind, r#"{"content":"x"}"#).send().await;
        answer.refused(415, "unsupported_media_type");
    }
    house.call("POST", &path).send().await.refused(415, "unsupported_media_type");
}

#[tokio::test]
async fn empty_and_huge_messages() {
    let house = House::new().await;
    let path = format!("/v1/sessions/{}/messages", house.session().await);
    let send = |content: String| house.call("POST", &path).json(&json!({ "content": content })).send();
    for empty in ["", " ", "\n\t"] {
        send(empty.to_owned()).await.refused(400, "empty_message");
    }
    send("x".repeat((1 << 20) + 1)).await.refused(413, "too_large");
    house.model.respond(|_| Reply::text("That was long."));
    let whole = send("x".repeat(1 << 20)).await.expect(200);
    assert!(whole["outcome"].is_string());
    let list = house.call("GET", &path).send().await.expect(200);
    assert_eq!(list["items"][0]["content"].as_str().unwrap().len(), 1 << 20);
}

#[tokio::test]
async fn a_body_that_says_it_is_too_long_is_not_read() {
    let house = House::new().await;
    let path = format!("/v1/sessions/{}/messages", house.session().await);
    for (path, length) in [(path.as_str(), 60 << 20), ("/v1/agents", 5 << 20), ("/v1/sessions", 65 << 10)] {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n",
            house.key
        );
        // Nothing of the body is sent; the answer comes all the same.
        let answer = raw(&house, head.as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
        assert!(answer.contains("\"code\":\"too_large\""), "{answer}");
    }
}

#[tokio::test]
async fn a_body_without_a_length_is_counted() {
    let house = House::new().await;
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    let head = format!(
        "POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
        house.key
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let chunk = format!("1000\r\n{}\r\n", " ".repeat(0x1000));
    for _ in 0..17 {
        stream.write_all(chunk.as_bytes()).await.unwrap();
    }
    let answer = read_head(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
}

/// A connection that the server closes while its client still writes is a broken connection to the client, and no refusal.
#[tokio::test]
async fn a_client_that_is_refused_keeps_its_connection() {
    let house = House::new().await;
    let body = "{\"name\":\"main\"}";
    let head = format!(
        "POST /v1/agents HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer wrong\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    for number in 0..100 {
        stream.write_all(head.as_bytes()).await.unwrap();
        // The server has the head before it has the body: it answers another request in between.
        house.call("GET", "/healthz").send().await.expect(200);
        stream.write_all(body.as_bytes()).await.unwrap();
        let answer = read_head(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 401 "), "request {number}: {answer:?}");
    }
}

#[tokio::test]
async fn sixty_megabytes_are_refused_wherever_they_are_sent() {
    let house = House::new().await;
    let path = format!("/v1/sessions/{}/messages", house.session().await);
    let body = format!("{{\"content\":\"{}\"}}", "x".repeat(60 << 20));
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        house.key,
        body.len()
    );
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let answer = read_head(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    // The server goes on, whatever becomes of the rest.
    drop(stream.write_all(body.as_bytes()).await);
    house.call("GET", "/v1/me").send().await.expect(200);
}

#[tokio::test]
async fn queries_are_read_strictly() {
    let house = House::new().await;
    for limit in ["0", "101", "-1", "x", "", "1.5", "99999999999999999999"] {
        house.call("GET", &format!("/v1/agents?limit={limit}")).send().await.refused(400, "bad_limit");
    }
    for query in ["colour=red", "limit=1&limit=2"] {
        house.call("GET", &format!("/v1/agents?{query}")).send().await.refused(400, "bad_query");
    }
    for path in ["/v1/agents?cursor=nonsense", "/v1/sessions?cursor=%ff%fe"] {
        house.call("GET", path).send().await.refused(400, "bad_cursor");
    }
    for path in ["/v1/sessions?archived=maybe", "/v1/sessions?agent_id=agent_1"] {
        house.call("GET", path).send().await.refused(400, "bad_query");
    }
    let messages = format!("/v1/sessions/{}/messages", house.session().await);
    for query in ["before_seq=x", "before_seq=1&after_seq=2", "after_seq=-1", "after_seq=+1"] {
        house.call("GET", &format!("{messages}?{query}")).send().await.refused(400, "bad_query");
    }
    house.call("GET", &format!("{messages}?before_seq={}", u64::MAX)).send().await.expect(200);
}

#[tokio::test]
async fn idempotency_keys_have_a_form() {
    let house = House::new().await;
    let path = format!("/v1/sessions/{}/messages", house.session().await);
    let send = || house.call("POST", &path).json(&json!({ "content": "x" }));
    send().header("idempotency-key", "").send().await.refused(400, "bad_idempotency_key");
    send().header("idempotency-key", &"k".repeat(256)).send().await.refused(400, "bad_idempotency_key");
    send().header("idempotency-key", "schlüssel").send().await.refused(400, "bad_header");
    let twice = send().header("idempotency-key", "a").header("idempotency-key", "a");
    twice.send().await.refused(400, "bad_header");
    assert_eq!(house.call("GET", &path).send().await.expect(200)["total"], 0);
}

#[tokio::test]
async fn unknown_addresses_and_methods_have_their_answer() {
    let house = House::new().await;
    for path in
        ["/v1", "/v1/", "/v1/nothing", "/v2/agents", "/v1/agents/", "/api", "/v1/v1/me", "/v1/%2e%2e/me"]
    {
        house.call("GET", path).send().await.refused(404, "unknown_route");
    }
    let wrong = house.call("PUT", "/v1/agents").send().await;
    let mut allowed: Vec<&str> = wrong.header("allow").split(',').map(str::trim).collect();
    allowed.sort_unstable();
    assert_eq!(allowed, ["GET", "HEAD", "POST"]);
    wrong.refused(405, "method_not_allowed");
    house.call("OPTIONS", "/v1/agents").send().await.refused(405, "method_not_allowed");
    house.call("POST", "/healthz").send().await.refused(405, "method_not_allowed");
}

#[tokio::test]
async fn requests_that_are_no_http_end_the_connection() {
    let house = House::new().await;
    for bytes in [&b"\x16\x03\x01\x02\x00\x01\x00"[..], b"GET\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"] {
        let answer = raw(&house, bytes).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
    }
    let many: String = (0..200).map(|number| format!("X-{number}: x\r\n")).collect();
    let many = raw(&house, format!("GET /v1/me HTTP/1.1\r\nHost: localhost\r\n{many}\r\n").as_bytes()).await;
    assert!(many.starts_with("HTTP/1.1 431 "), "{many}");
    // What is left unread may take the answer with it when the connection closes.
    let long = format!("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Long: {}\r\n\r\n", "x".repeat(100_000));
    let long = raw(&house, long.as_bytes()).await;
    assert!(long.is_empty() || long.starts_with("HTTP/1.1 431 "), "{long}");
    let without_host = raw(&house, b"GET /v1/me HTTP/1.0\r\n\r\n").await;
    assert!(without_host.starts_with("HTTP/1.0 421 "), "{without_host}");
    Call::tcp(house.address, "GET", "/healthz").send().await.expect(200);
}

/// Sends these bytes and reads what comes until the server closes or has answered.
async fn raw(house: &House, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    drop(stream.write_all(bytes).await);
    read_head(&mut stream).await
}

/// Reads an answer with a short body.
async fn read_head(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    let mut buffer = [0; 4_096];
    while !answer.ends_with(b"}") {
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => break,
            Ok(read) => answer.extend_from_slice(&buffer[..read]),
        }
    }
    String::from_utf8_lossy(&answer).into_owned()
}
