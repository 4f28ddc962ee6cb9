//! A program that uses the API, as curl or a browser would.

use crate::sse::{SseEvent, SseFrames};
use serde_json::Value;
use std::{collections::VecDeque, time::Duration};

/// What came back.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    /// Seconds after which it makes sense to try again.
    pub retry_after: Option<u64>,
    pub body: Value,
}

impl Answer {
    async fn read(response: reqwest::Response) -> Result<Self, Failed> {
        let status = response.status().as_u16();
        let later = response.headers().get("retry-after");
        let retry_after = later.and_then(|value| value.to_str().ok()?.parse().ok());
        let bytes = response.bytes().await?;
        let body = serde_json::from_slice(&bytes)
            .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&bytes).into_owned()));
        Ok(Self { status, retry_after, body })
    }

    /// The body, when the status is the one that was expected.
    #[track_caller]
    pub fn expect(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.body);
        self.body
    }

    #[track_caller]
    pub fn text(&self, pointer: &str) -> String {
        let found = self.body.pointer(pointer).and_then(Value::as_str);
        assert!(found.is_some(), "no {pointer} in {}", self.body);
        found.unwrap_or_default().to_owned()
    }
}

/// Speaks to one server with one key, or as a browser in which a person has signed in.
#[derive(Clone)]
pub struct Client {
    base: String,
    proof: Proof,
    http: reqwest::Client,
}

#[derive(Clone)]
enum Proof {
    Key(String),
    Cookie(String),
}

pub type Failed = reqwest::Error;

impl Client {
    pub fn new(base: &str, key: &str) -> Self {
        // Somebody else in this process may have done it already; that is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder().no_proxy().connect_timeout(Duration::from_secs(5)).build();
        Self { base: base.to_owned(), proof: Proof::Key(key.to_owned()), http: http.unwrap_or_default() }
    }

    /// A browser in which this person has just signed in and confirmed it; nothing where the password is wrong.
    pub async fn signed_in(base: &str, name: &str, password: &str) -> Result<Option<Self>, Failed> {
        let mut client = Self::new(base, "");
        let login = serde_json::json!({ "name": name, "password": password });
        let request = client.http.post(format!("{base}/v1/login")).header("origin", base);
        let answer = request.header(JSON.0, JSON.1).body(login.to_string()).send().await?;
        let cookies = answer.headers().get_all("set-cookie").iter().filter_map(|cookie| cookie.to_str().ok());
        let cookies: Vec<&str> = cookies.filter_map(|cookie| cookie.split(';').next()).collect();
        if cookies.is_empty() {
            return Ok(None);
        }
        client.proof = Proof::Cookie(cookies.join("; "));
        let confirmed = client.post("/v1/me/confirm", &serde_json::json!({ "password": password })).await?;
        Ok(Some(client).filter(|_| confirmed.status < 300))
    }

    /// The same client for a server that was started again elsewhere.
    #[must_use]
    pub fn at(&self, base: &str) -> Self {
        Self { base: base.to_owned(), ..self.clone() }
    }

    fn request(&self, method: reqwest::Method, path: &str) -> reqwest::RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.base));
        match &self.proof {
            Proof::Key(key) => request.bearer_auth(key),
            Proof::Cookie(cookie) => request.header("cookie", cookie).header("origin", &self.base),
        }
    }

    async fn send(request: reqwest::RequestBuilder) -> Result<Answer, Failed> {
        Answer::read(request.send().await?).await
    }

    pub async fn get(&self, path: &str) -> Result<Answer, Failed> {
        Self::send(self.request(reqwest::Method::GET, path)).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Result<Answer, Failed> {
        Self::send(self.request(reqwest::Method::POST, path).body(body.to_string()).header(JSON.0, JSON.1))
            .await
    }

    /// As [`post`](Self::post), with an idempotency key.
    pub async fn post_once(&self, path: &str, key: &str, body: &Value) -> Result<Answer, Failed> {
        let request = self.request(reqwest::Method::POST, path).header("Idempotency-Key", key);
        Self::send(request.body(body.to_string()).header(JSON.0, JSON.1)).await
    }

    /// Hands a file in, as a form with one part.
    pub async fn upload(&self, name: &str, kind: &str, content: &[u8]) -> Result<Answer, Failed> {
        let head = format!(
            "--part\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: {kind}\r\n\r\n"
        );
        let body = [head.as_bytes(), content, b"\r\n--part--\r\n"].concat();
        let request = self.request(reqwest::Method::POST, "/v1/uploads").body(body);
        Self::send(request.header(JSON.0, "multipart/form-data; boundary=part")).await
    }

    pub async fn patch(&self, path: &str, body: &Value) -> Result<Answer, Failed> {
        Self::send(self.request(reqwest::Method::PATCH, path).body(body.to_string()).header(JSON.0, JSON.1))
            .await
    }

    /// Puts a file into a session.
    pub async fn put_file(&self, session: &str, path: &str, content: &[u8]) -> Result<Answer, Failed> {
        let path = format!("/v1/sessions/{session}/files/{path}");
        let request = self.request(reqwest::Method::PUT, &path).body(content.to_vec());
        Self::send(request.header(JSON.0, "application/octet-stream")).await
    }

    pub async fn put(&self, path: &str, body: &Value) -> Result<Answer, Failed> {
        Self::send(self.request(reqwest::Method::PUT, path).body(body.to_string()).header(JSON.0, JSON.1))
            .await
    }

    pub async fn delete(&self, path: &str) -> Result<Answer, Failed> {
        Self::send(self.request(reqwest::Method::DELETE, path)).await
    }

    /// Posts a message with an idempotency key and returns the stream of its turn.
    pub async fn send_message(&self, session: &str, key: &str, body: &Value) -> Result<SseStream, Failed> {
        let path = format!("/v1/sessions/{session}/messages/stream");
        let request = self.request(reqwest::Method::POST, &path).header(JSON.0, JSON.1);
        SseStream::open(request.header("Idempotency-Key", key).body(body.to_string())).await
    }

    /// Follows a session from a cursor.
    pub async fn follow(&self, session: &str, after: Option<&str>) -> Result<SseStream, Failed> {
        let path = format!("/v1/sessions/{session}/events/stream");
        let request = self.request(reqwest::Method::GET, &path);
        SseStream::open(match after {
            Some(cursor) => request.header("Last-Event-ID", cursor),
            None => request,
        })
        .await
    }

    /// Follows everything that happens to this person, in any session.
    pub async fn follow_everything(&self) -> Result<SseStream, Failed> {
        SseStream::open(self.request(reqwest::Method::GET, "/v1/events/stream")).await
    }
}

const JSON: (&str, &str) = ("content-type", "application/json");

/// An open stream of events, or the answer that was given instead.
pub struct SseStream {
    pub status: u16,
    response: reqwest::Response,
    frames: SseFrames,
    ready: VecDeque<SseEvent>,
}

impl SseStream {
    async fn open(request: reqwest::RequestBuilder) -> Result<Self, Failed> {
        let response = request.send().await?;
        let status = response.status().as_u16();
        Ok(Self { status, response, frames: SseFrames::default(), ready: VecDeque::new() })
    }

    /// The next event; `None` at the end of the stream, an error when the connection broke.
    pub async fn next(&mut self) -> Result<Option<SseEvent>, Failed> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(Some(event));
            }
            match self.response.chunk().await? {
                Some(bytes) => self.ready.extend(self.frames.push(&bytes)),
                None => return Ok(None),
            }
        }
    }

    /// The whole answer, when it is a refusal and no stream.
    pub async fn refusal(self) -> Result<Answer, Failed> {
        Answer::read(self.response).await
    }

    /// Everything up to the end.
    pub async fn collect(mut self) -> Result<Vec<SseEvent>, Failed> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await? {
            events.push(event);
        }
        Ok(events)
    }
}
