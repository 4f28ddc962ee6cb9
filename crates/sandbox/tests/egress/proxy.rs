//! The door for programs in a cage has the same checks.

use crate::world::{PUBLIC, Server, World, ok, redirect};
use sandbox::egress::{HostList, Limits, Policy, PrivateHost, proxy};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

struct Door {
    at: SocketAddr,
    serving: JoinHandle<()>,
}

impl Door {
    async fn open(world: &Arc<World>, policy: Policy) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at = listener.local_addr().unwrap();
        let serving = tokio::spawn(proxy::serve(listener, world.egress(), policy, Limits::default()));
        Self { at, serving }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.at).await.unwrap()
    }

    async fn ask(&self, request: &str) -> String {
        let mut stream = self.connect().await;
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }
}

fn listed() -> Policy {
    let hosts = HostList { allow: Some(vec!["www.example.com".parse().unwrap()]), deny: vec![] };
    Policy { hosts, ..Policy::default() }
}

#[tokio::test]
async fn a_plain_request_is_asked_and_a_redirect_is_handed_back() {
    let server = Server::answering(|request| match request.starts_with("GET /go ") {
        true => redirect(302, "http://127.0.0.1/"),
        false => ok("hello"),
    })
    .await;
    let world = World::new();
    world.name("www.example.com", &[PUBLIC]);
    world.server(PUBLIC, server.at);
    let door = Door::open(&world, listed()).await;
    let answer =
        door.ask("GET http://www.example.com/x HTTP/1.1\r\nhost: y\r\nproxy-authorization: z\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("hello"), "{answer}");
    let seen = server.requests().remove(0);
    assert!(seen.contains("host: www.example.com\r\n") && !seen.contains("proxy-"), "{seen}");
    let answer = door.ask("GET http://www.example.com/go HTTP/1.1\r\nhost: y\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 302"), "{answer}");
    assert_eq!(world.dialed().len(), 2, "it is for the program to follow, through the same door");
}

#[tokio::test]
async fn what_is_out_of_bounds_is_not_asked() {
    let victim = Server::saying(ok("secret")).await;
    let world = World::new();
    world.name("www.example.com", &["127.0.0.1"]);
    world.name("evil.example.org", &[PUBLIC]);
    world.everything_else(victim.at);
    let door = Door::open(&world, listed()).await;
    for target in [
        "127.0.0.1:443",
        "localhost:443",
        "169.254.169.254:443",
        "[::1]:443",
        "www.example.com:443",
        "evil.example.org:443",
        "evil.example.org:22",
        "www.example.com:25",
        "www.example.com",
    ] {
        let answer = door.ask(&format!("CONNECT {target} HTTP/1.1\r\nhost: {target}\r\n\r\n")).await;
        assert!(
            answer.starts_with("HTTP/1.1 403") || answer.starts_with("HTTP/1.1 400"),
            "{target}: {answer}"
        );
        let answer =
            door.ask(&format!("GET http://{target}/ HTTP/1.1\r\nhost: www.example.com\r\n\r\n")).await;
        assert!(answer.starts_with("HTTP/1.1 403"), "{target}: {answer}");
    }
    for line in ["GET / HTTP/1.1", "GET file:///etc/passwd HTTP/1.1", "GET ftp://www.example.com/ HTTP/1.1"] {
        let answer = door.ask(&format!("{line}\r\nhost: 127.0.0.1\r\n\r\n")).await;
        assert!(answer.starts_with("HTTP/1.1 4"), "{line}: {answer}");
    }
    assert_eq!((world.dialed(), victim.connections()), (vec![], 0));
}

#[tokio::test]
async fn a_tunnel_carries_bytes_and_ends_with_its_door() {
    for port in [80, 443] {
        carries_bytes(port).await;
    }
}

/// To no other port of the same host, at which something else than the web may be.
#[tokio::test]
async fn a_tunnel_leads_to_the_ports_of_the_web() {
    let world = World::new();
    world.name("www.example.com", &[PUBLIC]);
    let door = Door::open(&world, listed()).await;
    for port in [22, 25, 8080] {
        let answer = door.ask(&format!("CONNECT www.example.com:{port} HTTP/1.1\r\nhost: x\r\n\r\n")).await;
        assert!(answer.starts_with("HTTP/1.1 403"), "{port}: {answer}");
    }
    assert_eq!(world.dialed(), []);
}

async fn carries_bytes(port: u16) {
    let server = Server::stalling("through the tunnel").await;
    let world = World::new();
    world.name("www.example.com", &[PUBLIC]);
    world.server(PUBLIC, server.at);
    let door = Door::open(&world, listed()).await;
    let mut stream = door.connect().await;
    let asked = format!("CONNECT www.example.com:{port} HTTP/1.1\r\nhost: x\r\n\r\n");
    stream.write_all(asked.as_bytes()).await.unwrap();
    let mut seen = Vec::new();
    while !seen.ends_with(b"\r\n\r\n") {
        seen.push(stream.read_u8().await.unwrap());
    }
    assert!(seen.starts_with(b"HTTP/1.1 200"));
    stream.write_all(b"hello\r\n\r\n").await.unwrap();
    let mut said = [0; 18];
    stream.read_exact(&mut said).await.unwrap();
    assert_eq!(&said, b"through the tunnel");
    door.serving.abort();
    assert_eq!(stream.read(&mut said).await.unwrap_or(0), 0, "closed with the door");
}

/// Control for the above: the victim is reached when the owner names it.
#[tokio::test]
async fn a_private_host_that_the_owner_names_is_reached() {
    let victim = Server::saying(ok("secret")).await;
    let world = World::new();
    world.everything_else(victim.at);
    let private_hosts = vec![PrivateHost { host: "127.0.0.1".parse().unwrap(), port: 8888 }];
    let door = Door::open(&world, Policy { private_hosts, ..Policy::default() }).await;
    let answer = door.ask("GET http://127.0.0.1:8888/ HTTP/1.1\r\nhost: x\r\n\r\n").await;
    assert!(answer.ends_with("secret"), "{answer}");
}
