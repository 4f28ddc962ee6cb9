//! What is carried from one host to the next, and what is not.

use crate::world::{OTHER_PUBLIC, PUBLIC, Server, World, ok, redirect};
use sandbox::egress::{Limits, Method, Policy, Ports, Request};
use std::sync::Arc;

struct Two {
    world: Arc<World>,
    first: Server,
    second: Server,
}

/// `first.example.com` redirects to `second.example.com`.
async fn two(status: u16, location: &str) -> Two {
    let (first, second) =
        (Server::saying(redirect(status, location)).await, Server::saying(ok("there")).await);
    let world = World::new();
    world.name("first.example.com", &[PUBLIC]);
    world.name("second.example.com", &[OTHER_PUBLIC]);
    world.server(PUBLIC, first.at);
    world.server(OTHER_PUBLIC, second.at);
    Two { world, first, second }
}

fn secretive(method: Method) -> Request {
    let request = Request::new(method, "http://first.example.com/");
    let request =
        request.header("Authorization", "Bearer canary").unwrap().header("X-Api-Key", "canary").unwrap();
    request.header("Accept-Language", "de").unwrap()
}

#[tokio::test]
async fn nothing_secret_goes_to_another_host() {
    let two = two(302, "http://second.example.com/x?y#z").await;
    let answer = two
        .world
        .egress()
        .fetch(secretive(Method::GET), &Policy::default(), &Limits::default())
        .await
        .unwrap();
    assert_eq!(answer.url.as_str(), "http://second.example.com/x?y");
    assert_eq!(answer.redirects.len(), 1);
    let (first, second) = (two.first.requests().remove(0), two.second.requests().remove(0));
    assert_eq!(first.matches("canary").count(), 2, "control: they were sent to whom they were meant for");
    assert!(!second.contains("canary") && second.contains("accept-language: de"), "{second}");
    for request in [first, second] {
        let request = request.to_lowercase();
        assert!(!request.contains("referer") && !request.contains("cookie"), "{request}");
        assert!(request.contains("user-agent: mozilla/5.0 (compatible; majordomo/"), "{request}");
    }
}

#[tokio::test]
async fn methods_become_what_browsers_make_of_them() {
    for (status, method, becomes) in [
        (301, Method::POST, "GET"),
        (302, Method::POST, "GET"),
        (303, Method::POST, "GET"),
        (303, Method::PUT, "GET"),
        (303, Method::HEAD, "HEAD"),
        (302, Method::DELETE, "DELETE"),
        (307, Method::DELETE, "DELETE"),
        (308, Method::HEAD, "HEAD"),
    ] {
        let two = two(status, "http://second.example.com/").await;
        let mut request = Request::new(method.clone(), "http://first.example.com/");
        if matches!(method, Method::POST) {
            request = request.body("private").header("Content-Type", "text/plain").unwrap();
        }
        let answer = two.world.egress().fetch(request, &Policy::default(), &Limits::default()).await;
        assert_eq!(answer.unwrap().status, 200, "{status} {method}");
        let seen = two.second.requests().remove(0);
        assert!(seen.starts_with(&format!("{becomes} / ")), "{status} {method}: {seen}");
        assert!(!seen.contains("private") && !seen.contains("content-type"), "{seen}");
    }
}

/// What may be reached at one port is followed to no other; without a port in its address it is the usual one of its scheme.
#[tokio::test]
async fn a_redirect_stays_at_its_port() {
    for (port, next, followed) in [
        ("", "http://second.example.com/", true),
        ("", "http://second.example.com:80/", true),
        ("", "http://second.example.com:8080/", false),
        ("", "http://second.example.com:443/", false),
        (":8080", "http://second.example.com:8080/", true),
        (":8080", "http://second.example.com:8081/", false),
        (":8080", "http://second.example.com/", false),
    ] {
        let two = two(302, next).await;
        let from = format!("http://first.example.com{port}/");
        let fetch = async |ports: Ports| {
            let policy = Policy { ports, ..Policy::default() };
            two.world.egress().fetch(Request::get(from.as_str()), &policy, &Limits::default()).await
        };
        let kept = fetch(Ports::of(&from.parse().unwrap())).await;
        assert_eq!(
            (kept.is_ok(), two.second.connections()),
            (followed, usize::from(followed)),
            "{from} {next}"
        );
        assert!(followed || kept.err().is_some_and(|error| error.code() == "host_not_listed"));
        assert!(fetch(Ports::Any).await.is_ok(), "the control: {from} {next}");
    }
}

#[tokio::test]
async fn a_body_is_not_sent_to_somebody_else() {
    for status in [307, 308] {
        let two = two(status, "http://second.example.com/").await;
        let request = Request::new(Method::POST, "http://first.example.com/").body("private");
        let error =
            two.world.egress().fetch(request, &Policy::default(), &Limits::default()).await.err().unwrap();
        assert_eq!(
            (error.code(), two.first.connections(), two.second.connections()),
            ("redirect_body", 1, 0)
        );
    }
}

#[tokio::test]
async fn round_and_round_ends() {
    let two = two(302, "/again").await;
    let request = Request::get("http://first.example.com/");
    let error =
        two.world.egress().fetch(request, &Policy::default(), &Limits::default()).await.err().unwrap();
    assert_eq!((error.code(), two.first.connections()), ("redirect_limit", 6));
}

#[tokio::test]
async fn a_redirect_without_a_place_is_an_answer() {
    let server = Server::saying("HTTP/1.1 304 Not Modified\r\netag: \"x\"\r\n\r\n").await;
    let world = World::new();
    world.name("first.example.com", &[PUBLIC]);
    world.server(PUBLIC, server.at);
    let request = Request::get("http://first.example.com/");
    let answer = world.egress().fetch(request, &Policy::default(), &Limits::default()).await.unwrap();
    assert_eq!((answer.status, answer.etag()), (304, Some("\"x\"")));
}
