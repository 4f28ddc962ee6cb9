//! Requests that never end: the server ends them, takes no more of them than it must, and serves other clients meanwhile.

use crate::support::{Handshake, House, Options};
use server::{Capacity, HttpSettings};
use std::time::Duration;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::sleep,
};

const SOON: Duration = Duration::from_millis(80);
/// Between two drops of something that drips.
const DROP: Duration = Duration::from_millis(5);
/// What a request of 64 KiB may cost, with all that the system keeps in its sockets on the way.
const MOST: usize = 16 << 20;

async fn impatient_of(http: HttpSettings) -> House {
    let http = HttpSettings { capacity: Capacity { connections: 4, ..Capacity::default() }, ..http };
    House::with(Options { http, ..Options::default() }).await
}

async fn impatient() -> House {
    impatient_of(HttpSettings { body_timeout: SOON, ping: SOON, ..HttpSettings::default() }).await
}

fn head(house: &House, method: &str, path: &str, further: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n{further}", house.key)
}

/// Sends the same piece until the server has had enough. What it answered, and how many bytes it let us send.
async fn pour(house: &House, beginning: &str, piece: &[u8], pause: Duration) -> (String, usize) {
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    let (mut reading, mut writing) = stream.split();
    writing.write_all(beginning.as_bytes()).await.unwrap();
    let mut sent = 0;
    let writing = async {
        loop {
            if writing.write_all(piece).await.is_err() {
                break;
            }
            sent += piece.len();
            sleep(pause).await;
        }
    };
    let mut answer = Vec::new();
    let reading = async { drop(reading.read_to_end(&mut answer).await) };
    // Whichever hears of the end first.
    tokio::select! {
        () = writing => {}
        () = reading => {}
    }
    house.anonymous("GET", "/healthz").send().await.expect(200);
    (String::from_utf8_lossy(&answer).into_owned(), sent)
}

#[tokio::test]
async fn a_head_that_drips_is_ended() {
    // Time for a whole head, also on a machine that is busy.
    let header_timeout = Duration::from_secs(1);
    let house = impatient_of(HttpSettings { header_timeout, ..HttpSettings::default() }).await;
    let begun = head(&house, "GET", "/v1/me", "");
    let (answer, _) = pour(&house, &begun, b"X-More: x\r\n", DROP).await;
    assert!(!answer.starts_with("HTTP/1.1 2"), "{answer}");
    let (answer, _) = pour(&house, "GET /v1/me", b"x", DROP).await;
    assert!(!answer.starts_with("HTTP/1.1 2"), "{answer}");
}

#[tokio::test]
async fn a_head_without_end_is_ended() {
    let house = House::new().await;
    let begun = head(&house, "GET", "/v1/me", "");
    let line = [&b"X-More: "[..], &[b'x'; 1_000], b"\r\n"].concat();
    for (begun, piece) in
        [(begun.as_str(), line.as_slice()), ("GET /", &[b'x'; 1_000]), (&begun, &[b'x'; 1_000])]
    {
        let (answer, sent) = pour(&house, begun, piece, Duration::ZERO).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
        assert!(sent < MOST, "{sent}");
    }
}

#[tokio::test]
async fn a_body_that_drips_is_ended() {
    let house = impatient().await;
    let json = "Content-Type: application/json\r\n";
    for (framing, drop_of_it) in
        [("Content-Length: 60000\r\n\r\n", &b" "[..]), ("Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n")]
    {
        let begun = head(&house, "POST", "/v1/sessions", &format!("{json}{framing}"));
        let (answer, _) = pour(&house, &begun, drop_of_it, DROP).await;
        assert!(answer.is_empty() || answer.contains("\"code\":\"body_timeout\""), "{answer}");
    }
}

#[tokio::test]
async fn a_body_without_end_is_ended() {
    let house = House::new().await;
    let chunk = [&b"1000\r\n"[..], &[b' '; 0x1000], b"\r\n"].concat();
    let framing = "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    for path in ["/v1/sessions", "/v1/login"] {
        let (answer, sent) = pour(&house, &head(&house, "POST", path, framing), &chunk, Duration::ZERO).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 413 "), "{answer}");
        assert!(sent < MOST, "{sent}");
    }
}

/// None of this is a body, so it does not count as one; but it takes the body's time.
#[tokio::test]
async fn a_chunk_that_only_begins_is_ended() {
    let house = impatient().await;
    let framing = "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    let begun = head(&house, "POST", "/v1/sessions", framing);
    let size = [b'0'; 1_000];
    let extension = [&b";x="[..], &[b'y'; 1_000]].concat();
    let trailer = [&b"X-Trailer: "[..], &[b'y'; 1_000], b"\r\n"].concat();
    for (further, piece) in [("", &size[..]), ("1", &extension), ("0\r\n", &trailer)] {
        let (answer, _) = pour(&house, &format!("{begun}{further}"), piece, Duration::ZERO).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
    }
}

#[tokio::test]
async fn a_file_that_drips_or_never_ends_is_ended() {
    let house = impatient().await;
    let form = "Content-Type: multipart/form-data; boundary=edge\r\nTransfer-Encoding: chunked\r\n\r\n";
    let begun = head(&house, "POST", "/v1/uploads", form);
    // A form that has only a beginning, and parts without an end of their heads.
    for piece in [&b"1000\r\n"[..], b"10\r\n--edge\r\nX-Head: x\r\n"] {
        let whole = [piece, &vec![b'x'; 0x1000]].concat();
        let (answer, sent) = pour(&house, &begun, &whole, Duration::ZERO).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
        assert!(sent < MOST * 4, "{sent}");
    }
    let (answer, _) = pour(&house, &begun, b"", SOON).await;
    assert!(answer.is_empty() || answer.contains("\"code\":\"body_timeout\""), "{answer}");
}

/// A frame whose bytes drip, and pieces of a message that has neither a size nor an end: neither is a sign of life.
#[tokio::test]
async fn frames_that_never_end_are_not_waited_for() {
    let house = impatient().await;
    let begun_frame: &[u8] = &[0x81, 0xfe, 0xff, 0xff, 0, 0, 0, 0];
    let empty_piece: &[u8] = &[0x00, 0x80, 0, 0, 0, 0];
    for (first, drop_of_it) in [(begun_frame, &b"x"[..]), (&[0x01, 0x80, 0, 0, 0, 0], empty_piece)] {
        let mut socket = Handshake::new(house.address, "/ws").key(&house.key).open().await;
        let stream = socket.stream.get_mut();
        stream.write_all(first).await.unwrap();
        // It ends when the server lets go of the connection.
        while stream.write_all(drop_of_it).await.is_ok() {
            sleep(DROP).await;
        }
        house.anonymous("GET", "/healthz").send().await.expect(200);
    }
}
