//! Bounds of an answer, and what is told about it.

use crate::world::{PUBLIC, Server, World, ok};
use flate2::{Compression, write::GzEncoder};
use sandbox::{
    Error,
    egress::{BodyEnd, EgressResponse, Limits, Policy, Request},
};
use std::{io::Write, time::Duration};

async fn fetch(server: &Server, limits: Limits) -> Result<EgressResponse, Error> {
    let world = World::new();
    world.name("www.example.com", &[PUBLIC]);
    world.server(PUBLIC, server.at);
    let request = Request::get("http://www.example.com/folder/report%20one.txt?q=1");
    world.egress().fetch(request, &Policy::default(), &limits).await
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn with(headers: &str, body: &[u8]) -> Vec<u8> {
    let mut answer =
        format!("HTTP/1.1 200 OK\r\n{headers}content-length: {}\r\n\r\n", body.len()).into_bytes();
    answer.extend_from_slice(body);
    answer
}

#[tokio::test]
async fn facts_of_an_answer() {
    let headers =
        "content-type: Text/HTML; charset=utf-8\r\nlast-modified: Sat, 14 Nov 2026 10:00:00 GMT\r\n";
    let server = Server::saying(with(headers, b"hello")).await;
    let answer = fetch(&server, Limits::default()).await.unwrap();
    assert_eq!(answer.media_type().as_deref(), Some("text/html"));
    assert_eq!(answer.last_modified(), Some("Sat, 14 Nov 2026 10:00:00 GMT"));
    assert_eq!(answer.file_name().as_deref(), Some("report one.txt"));
    assert_eq!(answer.announced_bytes(), Some(5));
    let whole = answer.body.read().await;
    assert_eq!((whole.bytes.as_slice(), whole.end), (b"hello".as_slice(), BodyEnd::Complete));
    let request = server.requests().remove(0);
    assert!(request.starts_with("GET /folder/report%20one.txt?q=1 HTTP/1.1\r\n"), "{request}");
    assert!(request.contains("host: www.example.com\r\n"), "{request}");
}

#[tokio::test]
async fn a_large_body_is_cut() {
    let server = Server::saying(ok(&"x".repeat(200_000))).await;
    let limits = Limits { body_bytes: 100_000, ..Limits::default() };
    let whole = fetch(&server, limits).await.unwrap().body.read().await;
    assert_eq!((whole.bytes.len(), whole.end), (100_000, BodyEnd::TooLarge));
    let exact = Limits { body_bytes: 200_000, ..Limits::default() };
    let whole = fetch(&server, exact).await.unwrap().body.read().await;
    assert_eq!((whole.bytes.len(), whole.end), (200_000, BodyEnd::Complete));
}

#[tokio::test]
async fn a_packed_body_is_unpacked_and_a_bomb_is_cut() {
    let server = Server::saying(with("content-encoding: gzip\r\n", &packed(b"hello"))).await;
    let whole = fetch(&server, Limits::default()).await.unwrap().body.read().await;
    assert_eq!((whole.bytes.as_slice(), whole.end), (b"hello".as_slice(), BodyEnd::Complete));
    let bomb = packed(&vec![0; 64 * 1024 * 1024]);
    assert!(bomb.len() < 100_000, "a small thing that becomes large");
    let server = Server::saying(with("content-encoding: gzip\r\n", &bomb)).await;
    let limits = Limits { body_bytes: 1_000_000, ..Limits::default() };
    let whole = fetch(&server, limits).await.unwrap().body.read().await;
    assert_eq!((whole.bytes.len(), whole.end), (1_000_000, BodyEnd::TooLarge));
}

/// THREAT[ssrf-09]
#[tokio::test]
async fn what_becomes_of_little_is_bounded_by_it() {
    let zlib = |bytes: &[u8]| {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let zeros = vec![0; 10 * 1024 * 1024];
    for (name, bomb) in [("gzip", packed(&zeros)), ("deflate", zlib(&zeros))] {
        assert!(bomb.len() < 11_000, "{}", bomb.len());
        let server = Server::saying(with(&format!("content-encoding: {name}\r\n"), &bomb)).await;
        let whole = fetch(&server, Limits::default()).await.unwrap().body.read().await;
        assert_eq!(whole.end, BodyEnd::TooDense, "{name}");
        assert!(whole.bytes.len() <= (1 << 20) + 100 * bomb.len(), "{name}: {}", whole.bytes.len());
    }
    // The controls: as much without packing, and packed words of a real page.
    let server = Server::saying(with("", &zeros)).await;
    let whole = fetch(&server, Limits::default()).await.unwrap().body.read().await;
    assert_eq!((whole.bytes.len(), whole.end), (zeros.len(), BodyEnd::Complete));
    let words: String = (0..400_000_u64).map(|n| format!("<p>{}</p>", n.wrapping_mul(0x9E37_79B9))).collect();
    let words = words.as_bytes();
    let server = Server::saying(with("content-encoding: gzip\r\n", &packed(words))).await;
    let whole = fetch(&server, Limits::default()).await.unwrap().body.read().await;
    assert_eq!((whole.bytes.len(), whole.end), (words.len(), BodyEnd::Complete));
}

#[tokio::test]
async fn damaged_packing_and_a_broken_connection_are_told() {
    let mut damaged = packed(&b"hello world ".repeat(1000));
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0xff;
    let short = b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf".to_vec();
    let unknown = with("content-encoding: br\r\n", b"\x0b\x02\x80");
    for answer in [with("content-encoding: gzip\r\n", &damaged), short, unknown] {
        let server = Server::saying(answer).await;
        let whole = fetch(&server, Limits::default()).await.unwrap().body.read().await;
        assert!(matches!(whole.end, BodyEnd::Broken(_)), "{:?}", whole.end);
    }
}

#[tokio::test]
async fn what_came_before_the_time_was_over_is_kept() {
    let server = Server::stalling("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\npartial").await;
    let limits = Limits { body: Duration::from_secs(2), ..Limits::default() };
    let whole = fetch(&server, limits).await.unwrap().body.read().await;
    assert_eq!((whole.bytes.as_slice(), whole.end), (b"partial".as_slice(), BodyEnd::TimedOut));
}

#[tokio::test]
async fn a_host_that_says_nothing_is_left() {
    let server = Server::stalling("").await;
    let limits = Limits { first_byte: Duration::from_millis(100), ..Limits::default() };
    assert_eq!(fetch(&server, limits).await.err().unwrap().code(), "host_silent");
}

#[tokio::test]
async fn heads_have_bounds() {
    let many: String = (0..200).map(|number| format!("x-{number}: y\r\n")).collect();
    let long = format!("x: {}\r\n", "y".repeat(100_000));
    for headers in [many, long] {
        let server = Server::saying(with(&headers, b"")).await;
        assert_eq!(fetch(&server, Limits::default()).await.err().unwrap().code(), "protocol_error");
    }
    let server = Server::saying("SSH-2.0-OpenSSH_9.9\r\n").await;
    assert_eq!(fetch(&server, Limits::default()).await.err().unwrap().code(), "protocol_error");
}

#[test]
fn headers_that_frame_a_message_are_not_for_tools() {
    for name in [
        "Host",
        "cookie",
        "Content-Length",
        "Transfer-Encoding",
        "Connection",
        "Referer",
        "User-Agent",
        "Proxy-Authorization",
        "x\r\ny",
        "",
        "a b",
    ] {
        let refused = Request::get("http://example.com").header(name, "x").err().unwrap();
        assert_eq!(refused.code(), "header_refused", "{name}");
    }
    assert!(Request::get("http://example.com").header("x-fine", "a\r\nHost: evil").is_err());
    assert!(Request::get("http://example.com").header("x-fine", "a").is_ok());
}
