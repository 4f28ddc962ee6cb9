//! A client that sends exactly what it is told, over TCP or a Unix socket.

use super::described;
use http_body_util::{BodyExt, Full};
use hyper::{
    Request, Response,
    body::{Bytes, Incoming},
    client::conn::http1,
    header::{HeaderName, HeaderValue},
};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::{
    collections::VecDeque,
    io::Read as _,
    net::SocketAddr,
    path::{Path, PathBuf},
};
use testkit::sse::{SseEvent, SseFrames};
use tokio::net::{TcpStream, UnixStream};

enum Target {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

/// One request on a connection of its own.
pub struct Call {
    target: Target,
    method: String,
    path: String,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Bytes,
}

impl Call {
    pub fn tcp(address: SocketAddr, method: &str, path: &str) -> Self {
        Self::to(Target::Tcp(address), method, path).header("host", &address.to_string())
    }

    pub fn unix(socket: &Path, method: &str, path: &str) -> Self {
        Self::to(Target::Unix(socket.to_owned()), method, path).header("host", "majordomo")
    }

    fn to(target: Target, method: &str, path: &str) -> Self {
        let (method, path) = (method.to_owned(), path.to_owned());
        Self { target, method, path, headers: Vec::new(), body: Bytes::new() }
    }

    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
        self.headers.push((HeaderName::from_static(name), value));
        self
    }

    /// Takes away what was set before.
    pub fn without(mut self, name: &'static str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self
    }

    pub fn key(self, key: &str) -> Self {
        self.without("authorization").header("authorization", &format!("Bearer {key}"))
    }

    pub fn json(self, body: &Value) -> Self {
        self.body("application/json", body.to_string())
    }

    pub fn body(mut self, kind: &str, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self.header("content-type", kind)
    }

    async fn exchange(self) -> Response<Incoming> {
        let mut request = Request::builder().method(self.method.as_str()).uri(self.path);
        let headers = request.headers_mut().unwrap();
        for (name, value) in self.headers {
            headers.append(name, value);
        }
        let request = request.body(Full::new(self.body)).unwrap();
        let (mut sender, connection) = match self.target {
            Target::Tcp(address) => {
                let stream = TcpStream::connect(address).await.unwrap();
                let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
                (sender, tokio::spawn(async move { drop(connection.await) }))
            }
            Target::Unix(socket) => {
                let stream = UnixStream::connect(socket).await.unwrap();
                let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
                (sender, tokio::spawn(async move { drop(connection.await) }))
            }
        };
        drop(connection);
        sender.send_request(request).await.unwrap()
    }

    /// The whole answer; of a stream, which has no end, only its head.
    pub async fn send(self) -> Answer {
        let (method, path) = (self.method.clone(), self.path.clone());
        let (head, body) = self.exchange().await.into_parts();
        let endless = head.headers.get("content-type").is_some_and(|kind| kind == "text/event-stream");
        let bytes = if endless { Bytes::new() } else { body.collect().await.unwrap().to_bytes() };
        let is_packed = head.headers.get("content-encoding").is_some_and(|packing| packing == "gzip");
        let bytes = if is_packed { unpacked(&bytes) } else { bytes };
        let answer = Answer { status: head.status.as_u16(), headers: head.headers, bytes };
        described::check(&method, &path, &answer);
        answer
    }

    /// Opens a stream, which must be one.
    pub async fn events(self) -> Events {
        let (method, path) = (self.method.clone(), self.path.clone());
        let response = self.exchange().await;
        assert_eq!(response.status(), 200);
        let headers = response.headers().clone();
        Events {
            method,
            path,
            headers,
            body: response.into_body(),
            frames: SseFrames::default(),
            ready: VecDeque::new(),
            raw: String::new(),
        }
    }
}

/// As a browser reads it.
fn unpacked(packed: &[u8]) -> Bytes {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(packed).read_to_end(&mut bytes).unwrap();
    bytes.into()
}

pub struct Answer {
    pub status: u16,
    pub headers: hyper::HeaderMap,
    pub bytes: Bytes,
}

impl Answer {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or(Value::Null)
    }

    #[track_caller]
    pub fn expect(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.bytes));
        self.json()
    }

    /// A refusal in the one form that refusals have; returns its detail.
    #[track_caller]
    pub fn refused(self, status: u16, code: &str) -> String {
        assert_eq!(self.header("content-type"), "application/problem+json", "{:?}", self.bytes);
        let body = self.json();
        assert_eq!((self.status, body["code"].as_str()), (status, Some(code)), "{body}");
        assert_eq!(body["status"], status);
        // `error` is for the clients of one route.
        let mut fields: Vec<&String> =
            body.as_object().unwrap().keys().filter(|name| *name != "error").collect();
        fields.sort();
        assert_eq!(fields, ["code", "detail", "status", "title", "type"]);
        body["detail"].as_str().unwrap().to_owned()
    }
}

/// An open stream of events.
pub struct Events {
    method: String,
    path: String,
    pub headers: hyper::HeaderMap,
    body: Incoming,
    frames: SseFrames,
    ready: VecDeque<SseEvent>,
    /// Everything that came, as it came.
    pub raw: String,
}

impl Events {
    /// The next event; `None` at the end of the stream.
    pub async fn next(&mut self) -> Option<SseEvent> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            self.read().await?;
        }
    }

    async fn read(&mut self) -> Option<()> {
        let frame = self.body.frame().await?.ok()?;
        let bytes = frame.into_data().unwrap();
        self.raw.push_str(&String::from_utf8_lossy(&bytes));
        let events = self.frames.push(&bytes);
        for event in &events {
            described::check_event(&self.method, &self.path, &event.data);
        }
        self.ready.extend(events);
        Some(())
    }

    /// Reads until this has come, whether it is an event or not; events are kept for later.
    pub async fn until_raw(&mut self, words: &str) {
        while !self.raw.contains(words) {
            self.read().await.unwrap_or_else(|| panic!("the stream ended before {words}: {}", self.raw));
        }
    }

    pub async fn collect(mut self) -> Vec<SseEvent> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }

    /// Reads up to and including the first event of this type.
    pub async fn until(&mut self, kind: &str) -> Vec<SseEvent> {
        let mut events = Vec::new();
        loop {
            let event =
                self.next().await.unwrap_or_else(|| panic!("the stream ended before {kind}: {events:?}"));
            let found = event.event == kind;
            events.push(event);
            if found {
                return events;
            }
        }
    }
}
