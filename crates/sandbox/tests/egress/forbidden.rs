//! No address that is out of bounds is ever connected to: written in any form, behind a name, behind a redirect, or behind a
//! name that changes its mind.

use crate::{
    spellings::{SCHEMES, forbidden},
    world::{OTHER_PUBLIC, PUBLIC, Server, World, ok, redirect},
};
use sandbox::{
    Error,
    egress::{Egress, Limits, Policy, PrivateHost, Request},
};
use std::{
    net::{IpAddr, ToSocketAddrs},
    sync::Arc,
};
use tokio::net::TcpListener;

fn urls(port: u16) -> Vec<String> {
    let all = forbidden().into_iter().chain(SCHEMES.iter().map(|&url| url.to_owned()));
    all.map(|url| url.replace("PORT", &port.to_string())).collect()
}

async fn is_refused(egress: &Egress, url: &str) -> Error {
    match egress.fetch(Request::get(url), &Policy::default(), &Limits::default()).await {
        Ok(answer) => panic!("{url:?} was fetched from {}", answer.url),
        Err(error) => error,
    }
}

#[tokio::test]
async fn no_spelling_connects() {
    let victim = Server::saying(ok("secret")).await;
    let world = World::new();
    world.everything_else(victim.at);
    let egress = world.egress();
    let urls = urls(victim.at.port());
    assert!(urls.len() >= 500, "only {} spellings", urls.len());
    for url in &urls {
        let error = is_refused(&egress, url).await;
        assert!(matches!(error, Error::Refused(_) | Error::NotFound { .. }), "{url:?}: {error}");
    }
    assert_eq!(world.dialed(), []);
    assert_eq!(victim.connections(), 0);
}

/// The same with nothing in between: the resolver and the sockets of this machine.
#[tokio::test]
async fn no_spelling_connects_on_the_real_network() {
    let victim = Server::on(TcpListener::bind("0.0.0.0:0").await.unwrap(), |_| ok("secret"), false);
    let egress = Egress::system();
    for url in urls(victim.at.port()) {
        is_refused(&egress, &url).await;
    }
    assert_eq!(victim.connections(), 0);
}

/// Control: a client that reads these addresses with the same parser, and does not look, does connect.
#[tokio::test]
async fn a_careless_client_does_connect() {
    let victim = Server::on(TcpListener::bind("0.0.0.0:0").await.unwrap(), |_| ok("secret"), false);
    let port = victim.at.port();
    let mut reached = 0;
    for url in urls(port) {
        let Ok(url) = url::Url::parse(&url) else { continue };
        let Ok(addresses) = url.socket_addrs(|| Some(port)) else { continue };
        let mut local = addresses.into_iter().filter(|address| is_this_machine(address.ip()));
        let local = local.find(|address| address.port() == port);
        if let Some(address) = local
            && tokio::net::TcpStream::connect(address).await.is_ok()
        {
            reached += 1;
        }
    }
    assert!(reached >= 60, "the careless client reached the listener {reached} times");
}

fn is_this_machine(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => v4.is_loopback() || v4.is_unspecified(),
        IpAddr::V6(v6) => v6.to_ipv4_mapped().is_some_and(|v4| v4.is_loopback() || v4.is_unspecified()),
    }
}

/// Control: with the guard off for this host, the same client reaches the same listener.
#[tokio::test]
async fn the_listener_is_there_for_whom_the_owner_lets() {
    let victim = Server::saying(ok("secret")).await;
    let world = World::new();
    world.everything_else(victim.at);
    let private = PrivateHost { host: "127.0.0.1".parse().unwrap(), port: victim.at.port() };
    let policy = Policy { private_hosts: vec![private], ..Policy::default() };
    let url = format!("http://0x7f.1:{}/", victim.at.port());
    let answer = world.egress().fetch(Request::get(&url), &policy, &Limits::default()).await.unwrap();
    assert_eq!(answer.body.read().await.bytes, b"secret");
    assert_eq!(victim.connections(), 1);
    let other = format!("http://127.0.0.2:{}/", victim.at.port());
    let error = world.egress().fetch(Request::get(&other), &policy, &Limits::default()).await.err().unwrap();
    assert_eq!(error.code(), "address_private", "it opened its own name and port, and nothing beside them");
}

#[tokio::test]
async fn no_redirect_leads_there() {
    let victim = Server::saying(ok("secret")).await;
    let port = victim.at.port();
    let targets: Arc<Vec<String>> =
        Arc::new(urls(port).into_iter().filter(|url| !url.contains(['\n', '\r', '\0', '\t'])).collect());
    let listed = Arc::clone(&targets);
    let public = Server::answering(move |request| {
        let number: usize = request.split(['/', ' ']).nth(2).unwrap().parse().unwrap();
        redirect([301, 302, 303, 307, 308][number % 5], &listed[number])
    })
    .await;
    let world = World::new();
    world.name("public.example.com", &[PUBLIC]);
    world.server(PUBLIC, public.at);
    world.everything_else(victim.at);
    let egress = world.egress();
    for (number, target) in targets.iter().enumerate() {
        // What is not absolute leads back to the public server, round and round.
        let limits = Limits { redirects: 1, ..Limits::default() };
        let url = format!("http://public.example.com/{number}");
        let outcome = egress.fetch(Request::get(&url), &Policy::default(), &limits).await;
        if let Ok(answer) = outcome {
            assert_eq!(answer.url.host_str(), Some("public.example.com"), "{target}");
        }
    }
    assert!(public.connections() >= targets.len());
    assert_eq!(victim.connections(), 0, "{:?}", world.dialed());
    assert!(world.dialed().iter().all(|address| address.ip() == PUBLIC.parse::<IpAddr>().unwrap()));
}

#[tokio::test]
async fn no_name_leads_there() {
    let victim = Server::saying(ok("secret")).await;
    let world = World::new();
    world.everything_else(victim.at);
    let homes = [
        "127.0.0.1",
        "::1",
        "::ffff:127.0.0.1",
        "169.254.169.254",
        "10.0.0.1",
        "192.168.0.1",
        "0.0.0.0",
        "fd00::1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "100.64.0.1",
        "224.0.0.1",
    ];
    let egress = world.egress();
    for (number, home) in homes.into_iter().enumerate() {
        // Alone, and hidden among good ones, at either end.
        for (place, addresses) in [vec![home], vec![PUBLIC, home], vec![home, PUBLIC]].into_iter().enumerate()
        {
            let host = format!("n{number}-{place}.example.com");
            world.name(&host, &addresses);
            let error = is_refused(&egress, &format!("http://{host}/")).await;
            assert!(matches!(error.code(), "address_private" | "address_special"), "{host}: {error}");
        }
    }
    assert_eq!((world.dialed(), victim.connections()), (vec![], 0));
}

/// A name that is public when it is looked at and leads home when it is connected to.
#[tokio::test]
async fn a_name_that_changes_its_mind_is_asked_once() {
    let victim = Server::saying(ok("secret")).await;
    let public = Server::saying(ok("public")).await;
    let world = World::new();
    world.name("rebind.example.com", &[PUBLIC]);
    world.name("rebind.example.com", &["127.0.0.1"]);
    world.server(PUBLIC, public.at);
    world.everything_else(victim.at);
    let (policy, limits) = (Policy::default(), Limits::default());
    let url = "http://rebind.example.com/";
    let answer = world.egress().fetch(Request::get(url), &policy, &limits).await.unwrap();
    assert_eq!(answer.body.read().await.bytes, b"public");
    assert_eq!(world.asked(), 1, "what was looked at is what is connected to");
    // Control: the second answer would have led to the victim, and the next fetch sees it.
    assert_eq!(is_refused(&world.egress(), url).await.code(), "address_private");
    assert_eq!(victim.connections(), 0);
}

/// The same in the middle of a redirect to itself.
#[tokio::test]
async fn a_redirect_to_a_name_that_changed_its_mind_is_looked_at_again() {
    let victim = Server::saying(ok("secret")).await;
    let public = Server::saying(redirect(302, "/next")).await;
    let world = World::new();
    world.name("rebind.example.com", &[PUBLIC]);
    world.name("rebind.example.com", &["169.254.169.254"]);
    world.server(PUBLIC, public.at);
    world.everything_else(victim.at);
    let error = is_refused(&world.egress(), "http://rebind.example.com/").await;
    assert_eq!(error.code(), "address_special");
    assert_eq!((public.connections(), victim.connections()), (1, 0));
}

#[tokio::test]
async fn the_address_of_this_house_is_out_of_bounds_also_when_it_is_public() {
    let house = Server::saying(ok("secret")).await;
    let world = World::new();
    world.server(OTHER_PUBLIC, house.at);
    world.name("house.example.com", &[OTHER_PUBLIC]);
    let request = || Request::get("http://house.example.com:8080/");
    let closed = Policy { own_addresses: vec![OTHER_PUBLIC.parse().unwrap()], ..Policy::default() };
    let error = world.egress().fetch(request(), &closed, &Limits::default()).await.err().unwrap();
    assert_eq!((error.code(), house.connections()), ("address_private", 0));
    let open = world.egress().fetch(request(), &Policy::default(), &Limits::default()).await;
    assert_eq!((open.unwrap().status, house.connections()), (200, 1), "control");
}

/// `getaddrinfo` takes names that the URL parser does not read as numbers; they are names, and their addresses are looked at.
#[tokio::test]
async fn what_the_system_resolves_is_looked_at_too() {
    let known: Vec<_> = ("localhost", 80).to_socket_addrs().unwrap().collect();
    assert!(!known.is_empty());
    for url in ["http://localhost.example.com.localhost/", "http://127.0.0.1.example.localhost/"] {
        assert_eq!(is_refused(&Egress::system(), url).await.code(), "host_at_home");
    }
}

#[tokio::test]
async fn ports_of_other_protocols_are_closed() {
    let world = World::new();
    world.name("mail.example.com", &[PUBLIC]);
    for port in [0, 1, 21, 22, 23, 25, 110, 143, 445, 465, 587, 993, 3306, 5432, 6379, 6667, 11211, 27017] {
        let error = is_refused(&world.egress(), &format!("http://mail.example.com:{port}/")).await;
        assert_eq!(error.code(), "url_port", "{port}");
    }
    assert_eq!((world.asked(), world.dialed()), (0, vec![]));
}
