//! Whom an agent may reach.

use crate::world::{OTHER_PUBLIC, PUBLIC, Server, World, ok, redirect};
use sandbox::egress::{HostList, Limits, Policy, Request};

fn only(allow: &[&str], deny: &[&str]) -> Policy {
    let patterns = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
    let hosts = HostList { allow: Some(patterns(allow)), deny: patterns(deny) };
    Policy { hosts, ..Policy::default() }
}

#[tokio::test]
async fn a_list_holds_at_every_hop() {
    let (first, second) = (
        Server::saying(redirect(302, "http://evil.example.org/?stolen")).await,
        Server::saying(ok("")).await,
    );
    let world = World::new();
    world.name("good.example.com", &[PUBLIC]);
    world.name("evil.example.org", &[OTHER_PUBLIC]);
    world.server(PUBLIC, first.at);
    world.server(OTHER_PUBLIC, second.at);
    let request = || Request::get("http://good.example.com/");
    let (egress, limits) = (world.egress(), Limits::default());
    let error = egress.fetch(request(), &only(&["*.example.com"], &[]), &limits).await.err().unwrap();
    assert_eq!((error.code(), second.connections()), ("host_not_listed", 0));
    let open = Policy::default();
    assert_eq!(egress.fetch(request(), &open, &limits).await.unwrap().status, 200, "control");
    let closed = Policy { hosts: HostList { allow: None, ..only(&[], &["evil.example.org"]).hosts }, ..open };
    let error = egress.fetch(request(), &closed, &limits).await.err().unwrap();
    assert_eq!((error.code(), second.connections()), ("host_denied", 1));
}

#[tokio::test]
async fn a_list_is_not_talked_around() {
    let world = World::new();
    let egress = world.egress();
    let policy = only(&["example.com", "*.example.com"], &["secret.example.com"]);
    for url in [
        "http://example.com.evil.org/",
        "http://evil.org/example.com",
        "http://evilexample.com/",
        "http://example.com.@evil.org/",
        "http://evil.org?example.com",
        "http://evil.org#.example.com",
        "http://SECRET.example.com./",
        "http://secret%2Eexample.com/",
        "http://ｓecret.example.com/",
    ] {
        let error = egress.fetch(Request::get(url), &policy, &Limits::default()).await.err().unwrap();
        assert!(
            matches!(error.code(), "host_not_listed" | "host_denied" | "url_credentials"),
            "{url}: {error}"
        );
    }
    assert_eq!((world.asked(), world.dialed()), (0, vec![]), "nobody was even asked for");
}
