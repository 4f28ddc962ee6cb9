//! HTTP by hand, so that anything can be sent.

use std::{
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
};

/// Nothing that answers takes this long.
const PATIENCE: Duration = Duration::from_secs(40);
/// A stream has no end; after this its beginning is what there is.
const STREAM_PATIENCE: Duration = Duration::from_millis(60);

pub struct Answer {
    pub status: u16,
    pub kind: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Where a request comes from, and whether its sender leaves when everything is sent.
#[derive(Clone, Copy, Default)]
pub struct Manner {
    pub from: Option<Ipv4Addr>,
    pub leaves: bool,
}

async fn connect(from: Option<Ipv4Addr>, address: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    if let Some(from) = from {
        socket.bind(SocketAddr::from((from, 0))).unwrap();
    }
    socket.connect(address.parse().unwrap()).await.expect("the server takes connections")
}

/// Sends these bytes and reads the answer. `None` when the server closed without one, as it may when what was sent is
/// no HTTP.
pub async fn exchange(address: &str, bytes: &[u8], manner: Manner) -> Option<Answer> {
    let mut stream = connect(manner.from, address).await;
    let (mut reading, mut writing) = stream.split();
    // The server may answer and close before it has read everything.
    let write = async {
        drop(writing.write_all(bytes).await);
        if manner.leaves {
            drop(writing.shutdown().await);
        }
        std::future::pending::<()>().await
    };
    let mut received = Vec::new();
    let read = async {
        let mut buffer = vec![0; 16 << 10];
        let mut limit = PATIENCE;
        loop {
            match tokio::time::timeout(limit, reading.read(&mut buffer)).await {
                Ok(Ok(0)) | Ok(Err(_)) => break,
                Ok(Ok(count)) => received.extend_from_slice(&buffer[..count]),
                Err(_) if limit == PATIENCE => panic!("the server did not answer in time"),
                Err(_) => break,
            }
            if is_stream(&received) {
                limit = STREAM_PATIENCE;
            } else if is_whole(&received, bytes.starts_with(b"HEAD ")) {
                break;
            }
        }
    };
    tokio::select! {
        () = write => {}
        () = read => {}
    }
    parse(&received)
}

/// Whether the whole answer is there: the server keeps a connection for the next request unless it was told to close it.
fn is_whole(bytes: &[u8], is_head: bool) -> bool {
    let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { return false };
    let Some(answer) = parse(bytes) else { return false };
    let length = answer.header("content-length").and_then(|length| length.parse::<usize>().ok());
    let chunked = answer.header("transfer-encoding") == Some("chunked");
    match (answer.status, length) {
        (204 | 304, _) => true,
        _ if is_head => true,
        (_, Some(length)) => answer.body.len() >= length,
        (_, None) => chunked && end + 4 < bytes.len() && bytes.ends_with(b"0\r\n\r\n"),
    }
}

fn is_stream(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(2_048)]).to_ascii_lowercase();
    head.contains("content-type: text/event-stream") || head.starts_with("http/1.1 101")
}

fn parse(bytes: &[u8]) -> Option<Answer> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    // The server asks for the body; its answer comes behind that.
    if status == 100 {
        return parse(&bytes[end + 4..]);
    }
    let header = |line: &str| {
        let (name, value) = line.split_once(':')?;
        Some((name.trim().to_ascii_lowercase(), value.trim().to_owned()))
    };
    let headers: Vec<(String, String)> = lines.filter_map(header).collect();
    let mut answer = Answer { status, kind: String::new(), headers, body: bytes[end + 4..].to_vec() };
    answer.kind =
        answer.header("content-type").and_then(|kind| kind.split(';').next()).unwrap_or_default().to_owned();
    if answer.header("transfer-encoding") == Some("chunked") {
        answer.body = unchunked(&answer.body);
    }
    Some(answer)
}

fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = bytes.windows(2).position(|two| two == b"\r\n") {
        let size = usize::from_str_radix(&String::from_utf8_lossy(&bytes[..end]), 16).unwrap_or(0);
        let Some(chunk) = bytes.get(end + 2..end + 2 + size) else { break };
        whole.extend_from_slice(chunk);
        bytes = bytes.get(end + 4 + size..).unwrap_or_default();
        if size == 0 {
            break;
        }
    }
    whole
}
