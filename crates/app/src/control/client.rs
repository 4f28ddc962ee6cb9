//! One request over the control socket. Each has a connection of its own: they cost microseconds, and none can be stale.

use super::{socket::Address, stream::EventStream};
use crate::error::{Error, Result, advised};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::{
    Method, Response, StatusCode,
    body::{Body, Bytes, Incoming},
    client::conn::http1,
    header::{ACCEPT, CONTENT_TYPE, HOST},
};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::{path::PathBuf, time::Duration};
use tokio::net::UnixStream;
use uuid::Uuid;

/// Larger than every answer but a stream.
const LONGEST_ANSWER: usize = 256 << 20;
/// Connecting to a socket of this machine takes no time, unless its server hangs.
const CONNECT: Duration = Duration::from_secs(5);

/// Knows where the socket is and who acts.
#[derive(Clone, Debug)]
pub struct Client {
    socket: PathBuf,
    user: Option<String>,
}

/// What is asked.
#[derive(Clone, Debug)]
pub struct Request {
    method: Method,
    path: String,
    /// With its media type.
    body: Option<(String, Bytes)>,
    headers: Vec<(&'static str, String)>,
}

impl Request {
    pub fn get(path: impl Into<String>) -> Self {
        Self { method: Method::GET, path: path.into(), body: None, headers: Vec::new() }
    }

    pub fn post(path: impl Into<String>, body: Value) -> Self {
        Self { method: Method::POST, body: json_body(&body), ..Self::get(path) }
    }

    pub fn patch(path: impl Into<String>, body: Value) -> Self {
        Self { method: Method::PATCH, body: json_body(&body), ..Self::get(path) }
    }

    pub fn put(path: impl Into<String>, body: Value) -> Self {
        Self { method: Method::PUT, body: json_body(&body), ..Self::get(path) }
    }

    pub fn delete(path: impl Into<String>) -> Self {
        Self { method: Method::DELETE, ..Self::get(path) }
    }

    /// One file as a form.
    pub fn upload(path: impl Into<String>, name: &str, content: &[u8]) -> Self {
        let boundary = Uuid::now_v7().simple().to_string();
        let name: String = name.chars().filter(|c| !c.is_control()).collect();
        let name = name.replace('\\', "_").replace('"', "%22");
        let head = format!(
            "--{boundary}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
             content-type: application/octet-stream\r\n\r\n"
        );
        let end = format!("\r\n--{boundary}--\r\n");
        let body = [head.as_bytes(), content, end.as_bytes()].concat();
        let kind = format!("multipart/form-data; boundary={boundary}");
        Self { method: Method::POST, body: Some((kind, Bytes::from(body))), ..Self::get(path) }
    }

    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

impl Client {
    pub fn new(socket: PathBuf, user: Option<String>) -> Self {
        Self { socket, user }
    }

    /// Asks, and reads the whole answer; `Null` when it has no body.
    pub async fn ask(&self, request: Request) -> Result<Value> {
        let response = self.send(request, "application/json").await?;
        let body = whole(response.into_body()).await?;
        if body.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&body)
            .map_err(|_| Error::disconnected("the answer of the server cannot be read"))
    }

    /// Asks for a stream of events.
    pub async fn follow(&self, request: Request) -> Result<EventStream> {
        let response = self.send(request, "text/event-stream").await?;
        Ok(EventStream::new(response.into_body()))
    }

    async fn send(&self, request: Request, accept: &'static str) -> Result<Response<Incoming>> {
        let address = Address::of(&self.socket).map_err(Error::unreachable)?;
        let connecting = tokio::time::timeout(CONNECT, UnixStream::connect(address.path()));
        let socket = connecting.await.map_err(Error::unreachable)?.map_err(Error::unreachable)?;
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(socket)).await.map_err(Error::disconnected)?;
        // Ends with the connection, which ends when the answer has been read or dropped.
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "control connection ended");
            }
        });
        let request = self.build(request, accept)?;
        let response = sender.send_request(request).await.map_err(Error::disconnected)?;
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status();
        let problem = problem(status, &whole(response.into_body()).await?);
        match &self.user {
            Some(user) if problem.has_code("unknown_user") => Err(advised(
                format!("There is no account called {user}."),
                "`majordomo user list` shows all accounts.",
            )),
            _ => Err(problem),
        }
    }

    fn build(&self, request: Request, accept: &'static str) -> Result<hyper::Request<Full<Bytes>>> {
        let mut builder = hyper::Request::builder()
            .method(request.method)
            .uri(request.path)
            .header(HOST, "localhost")
            .header(ACCEPT, accept);
        if let Some(user) = &self.user {
            builder = builder.header("x-majordomo-user", user.as_bytes());
        }
        for (name, value) in &request.headers {
            builder = builder.header(*name, value);
        }
        let body = match request.body {
            Some((kind, body)) => {
                builder = builder.header(CONTENT_TYPE, kind);
                body
            }
            None => Bytes::new(),
        };
        builder.body(Full::new(body)).map_err(|error| {
            crate::error::advised(
                format!("This request cannot be sent: {error}."),
                "Check the names for unusual characters.",
            )
        })
    }
}

fn json_body(body: &Value) -> Option<(String, Bytes)> {
    Some(("application/json".to_owned(), Bytes::from(body.to_string())))
}

async fn whole<B: Body<Data = Bytes, Error = hyper::Error>>(body: B) -> Result<Bytes> {
    let collected = Limited::new(body, LONGEST_ANSWER).collect().await;
    collected.map(|body| body.to_bytes()).map_err(|error| {
        let too_long = error.is::<LengthLimitError>();
        Error::disconnected(if too_long {
            "the answer of the server is too long".to_owned()
        } else {
            error.to_string()
        })
    })
}

fn problem(status: StatusCode, body: &[u8]) -> Error {
    let parsed: Value = serde_json::from_slice(body).unwrap_or_default();
    let text = |name: &str| parsed.get(name).and_then(Value::as_str).map(str::to_owned);
    Error::Problem {
        status: status.as_u16(),
        code: text("code").unwrap_or_default(),
        detail: text("detail")
            .or_else(|| text("title"))
            .unwrap_or_else(|| format!("The server answered with status {status}.")),
    }
}
