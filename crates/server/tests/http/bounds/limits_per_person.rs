//! Many requests at once: one person cannot use up what others need, and each refusal says why.

use crate::support::{Events, Handshake, House, Options};
use domain::{Scope, UserRole};
use serde_json::{Value, json};
use server::{Capacity, HttpSettings};
use std::{net::SocketAddr, time::Duration};
use store::Tx;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::oneshot,
};

const EVENTS: &str = "/v1/events/stream";

async fn house_for(capacity: Capacity, public_url: Option<&str>) -> House {
    let http = HttpSettings {
        // Nobody is sent away by the clock here.
        header_timeout: Duration::from_secs(600),
        body_timeout: Duration::from_secs(600),
        public_url: public_url.map(str::to_owned),
        capacity,
        ..HttpSettings::default()
    };
    House::with(Options { http, ..Options::default() }).await
}

async fn house_of(capacity: Capacity) -> House {
    house_for(capacity, None).await
}

async fn follow(house: &House, key: &str) -> Events {
    house.call("GET", EVENTS).key(key).events().await
}

#[tokio::test]
async fn silent_strangers_keep_nobody_out() {
    let house = house_of(Capacity { connections: 8, ..Capacity::default() }).await;
    let mut silent = Vec::new();
    for _ in 0..100 {
        silent.push(TcpStream::connect(house.address).await.unwrap());
    }
    house.anonymous("GET", "/healthz").send().await.expect(200);
    let (_, guest) = house.person("Bea", UserRole::Guest).await;
    house.call("GET", "/v1/me").key(&guest).send().await.expect(200);
    // They were let in because those who had been silent longest went.
    assert_eq!(silent[0].read(&mut [0; 8]).await.unwrap(), 0);
}

#[tokio::test]
async fn who_is_being_served_is_not_sent_away() {
    let house = house_of(Capacity { connections: 3, ..Capacity::default() }).await;
    let mut events = follow(&house, &house.key).await;
    let mut silent = Vec::new();
    for _ in 0..100 {
        silent.push(TcpStream::connect(house.address).await.unwrap());
    }
    house.session().await;
    events.until("session_created").await;
}

#[tokio::test]
async fn a_persons_streams_are_bounded_and_nobody_elses() {
    let house = house_of(Capacity { streams_per_person: 5, ..Capacity::default() }).await;
    let (bea, first) = house.person("Bea", UserRole::Guest).await;
    let second = house.issue(bea, Scope::Full).await;
    let mut open = Vec::new();
    for _ in 0..3 {
        open.push(follow(&house, &first).await);
    }
    let refused = house.call("GET", EVENTS).key(&first).send().await;
    assert_eq!(refused.header("retry-after"), "2");
    let detail = refused.refused(429, "too_many_at_once");
    assert!(detail.starts_with("This sign-in or API key has 3 event streams open"), "{detail}");
    for _ in 0..2 {
        open.push(follow(&house, &second).await);
    }
    let refused = house.call("GET", EVENTS).key(&second).send().await;
    let detail = refused.refused(429, "too_many_at_once");
    assert!(detail.starts_with("You have 5 event streams open"), "{detail}");
    // Everything else goes on: for her, and for others.
    house.call("GET", "/v1/me").key(&first).send().await.expect(200);
    follow(&house, &house.key).await;
    // The control: one less, and there is room for one.
    drop(open.pop());
    while house.call("GET", EVENTS).key(&second).send().await.status == 429 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_persons_sockets_are_bounded() {
    let house = house_of(Capacity { sockets_per_person: 2, ..Capacity::default() }).await;
    let mut open = house.socket_of(&house.key).await;
    let (status, body) = Handshake::new(house.address, "/ws").key(&house.key).refused().await;
    assert_eq!(status, 429, "{body}");
    assert_eq!(open.ask(&json!({ "type": "ping" })).await, json!({ "type": "pong" }));
    drop(open);
    loop {
        match Handshake::new(house.address, "/ws").key(&house.key).status().await {
            429 => tokio::time::sleep(Duration::from_millis(5)).await,
            status => break assert_eq!(status, 101),
        }
    }
}

#[tokio::test]
async fn when_everybody_is_served_there_is_a_reserve() {
    let house = house_of(Capacity { connections: 2, ..Capacity::default() }).await;
    let (_, bea) = house.person("Bea", UserRole::Guest).await;
    let streams = (follow(&house, &bea).await, follow(&house, &bea).await);
    let refused = house.call("GET", "/v1/me").key(&bea).send().await;
    assert_eq!(refused.header("retry-after"), "2");
    refused.refused(503, "crowded");
    for path in ["/healthz", "/readyz", "/"] {
        assert_eq!(house.anonymous("GET", path).send().await.status, 200, "{path}");
    }
    house.call("GET", "/v1/me").send().await.expect(200);
    house.control("GET", "/v1/me").send().await.expect(200);
    let mut owners = follow(&house, &house.key).await;
    house.session().await;
    owners.until("session_created").await;
    drop((streams, owners));
    house.until_room().await;
}

/// Holds the database back from reading anything until what it gives is dropped.
async fn stall_readers(house: &House) -> Vec<oneshot::Sender<()>> {
    let mut holds = Vec::new();
    // More than there are readers: what comes later waits behind these.
    for _ in 0..16 {
        let (release, released) = oneshot::channel::<()>();
        let store = house.engine.store().clone();
        let hold = move |_: &mut Tx| {
            drop(released.blocking_recv());
            Ok(())
        };
        tokio::spawn(async move { store.read(hold).await });
        holds.push(release);
    }
    holds
}

/// What a connection of its own hears; nothing where it is closed before it is heard.
async fn heard(address: SocketAddr, path: &str, headers: String) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n");
    let mut answer = String::new();
    if stream.write_all(head.as_bytes()).await.is_ok() {
        drop(stream.read_to_string(&mut answer).await);
    }
    answer
}

async fn health(house: &House) -> String {
    heard(house.address, "/healthz", String::new()).await
}

/// Requests of which the house does not know yet whose they are take places, too: when they have those of the reserve,
/// there is none for a health check.
#[tokio::test(flavor = "multi_thread")]
async fn who_finds_no_place_at_all_is_told_so() {
    let house = house_of(Capacity { connections: 1, ..Capacity::default() }).await;
    assert!(health(&house).await.starts_with("HTTP/1.1 200 "));
    let holds = stall_readers(&house).await;
    let mut waiting = Vec::new();
    for _ in 0..1 + 64 {
        let (address, key) = (house.address, format!("Authorization: Bearer {}\r\n", house.key));
        // Who is sent away comes again.
        waiting.push(tokio::spawn(async move {
            while !heard(address, "/v1/me", key.clone()).await.starts_with("HTTP/1.1 200 ") {}
        }));
    }
    let refused = loop {
        let answer = health(&house).await;
        if answer.starts_with("HTTP/1.1 503 ") {
            break answer;
        }
    };
    let (head, body) = refused.split_once("\r\n\r\n").unwrap();
    for line in ["retry-after: 2", "connection: close", "content-type: application/problem+json"] {
        assert!(head.contains(&format!("\r\n{line}")), "{head}");
    }
    assert!(head.contains(&format!("\r\ncontent-length: {}", body.len())), "{refused}");
    assert_eq!(serde_json::from_str::<Value>(body).unwrap()["code"], "crowded");
    drop(holds);
    for waited in waiting {
        waited.await.unwrap();
    }
    assert!(health(&house).await.starts_with("HTTP/1.1 200 "));
}

/// A request whose body does not come.
async fn begun(house: &House, path: &str, headers: &str) -> TcpStream {
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    // The handler has asked for the body: it is being served.
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 100");
    stream
}

#[tokio::test]
async fn a_persons_uploads_are_bounded() {
    let house = house_of(Capacity { uploads_per_person: 2, ..Capacity::default() }).await;
    let kind = "multipart/form-data; boundary=xyz";
    let headers = format!("Authorization: Bearer {}\r\nContent-Type: {kind}\r\n", house.key);
    let slow = begun(&house, "/v1/uploads", &headers).await;
    let another = || house.call("POST", "/v1/uploads").body(kind, "--xyz--\r\n").send();
    another().await.refused(429, "too_many_at_once");
    drop(slow);
    while another().await.status == 429 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn strangers_are_counted_by_their_address_and_take_nothing_from_people() {
    let capacity = Capacity { strangers: 3, strangers_per_address: 2, ..Capacity::default() };
    let house = house_for(capacity, Some("https://home.example")).await;
    let slow = async |address: &str| {
        let headers = format!("X-Forwarded-For: {address}\r\nContent-Type: application/json\r\n");
        begun(&house, "/v1/login", &headers).await
    };
    let page =
        async |address: &str| house.anonymous("GET", "/").header("x-forwarded-for", address).send().await;
    let held = (slow("203.0.113.1").await, slow("203.0.113.1").await);
    page("203.0.113.1").await.refused(429, "too_many_at_once");
    assert_eq!(page("203.0.113.2").await.status, 200, "another address is not concerned");
    let other = slow("203.0.113.2").await;
    page("203.0.113.3").await.refused(503, "crowded");
    // People who have proved who they are, and health checks, are counted apart.
    house.call("GET", "/v1/me").header("x-forwarded-for", "203.0.113.1").send().await.expect(200);
    house.anonymous("GET", "/healthz").send().await.expect(200);
    drop((held, other));
    while page("203.0.113.3").await.status != 200 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// What comes from a proxy that is not listed has the address of the proxy, whatever it says.
#[tokio::test]
async fn a_proxy_that_is_not_listed_is_not_believed() {
    for (listed, status) in [("192.0.2.1", 429), ("127.0.0.0/8", 200)] {
        let http = HttpSettings {
            header_timeout: Duration::from_secs(600),
            body_timeout: Duration::from_secs(600),
            public_url: Some("https://home.example".to_owned()),
            proxies: vec![listed.parse().unwrap()],
            capacity: Capacity { strangers_per_address: 1, ..Capacity::default() },
            ..HttpSettings::default()
        };
        let house = House::with(Options { http, ..Options::default() }).await;
        let headers = "X-Forwarded-For: 203.0.113.1\r\nContent-Type: application/json\r\n";
        let _held = begun(&house, "/v1/login", headers).await;
        let other = house.anonymous("GET", "/").header("x-forwarded-for", "203.0.113.2").send().await;
        assert_eq!(other.status, status, "{listed}");
    }
}
