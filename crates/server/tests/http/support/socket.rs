//! A WebSocket client that sends exactly what it is told.

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::{net::SocketAddr, time::Duration};
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{
        Error, Message,
        client::IntoClientRequest,
        http::{HeaderName, HeaderValue, Request},
    },
};

/// Nothing a test waits for takes this long.
const PATIENCE: Duration = Duration::from_secs(60);

/// A handshake on a connection of its own.
pub struct Handshake {
    address: SocketAddr,
    request: Request<()>,
    /// What the system keeps for a client that does not read, in bytes.
    receive_buffer: Option<u32>,
}

impl Handshake {
    pub fn new(address: SocketAddr, path: &str) -> Self {
        let request = format!("ws://{address}{path}").into_client_request().unwrap();
        Self { address, request, receive_buffer: None }
    }

    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
        self.request.headers_mut().append(HeaderName::from_static(name), value);
        self
    }

    pub fn without(mut self, name: &'static str) -> Self {
        self.request.headers_mut().remove(name);
        self
    }

    pub fn key(self, key: &str) -> Self {
        self.header("authorization", &format!("Bearer {key}"))
    }

    pub fn receive_buffer(mut self, bytes: u32) -> Self {
        self.receive_buffer = Some(bytes);
        self
    }

    async fn connect(self) -> Result<WebSocketStream<TcpStream>, Error> {
        let socket = TcpSocket::new_v4().unwrap();
        if let Some(bytes) = self.receive_buffer {
            socket.set_recv_buffer_size(bytes).unwrap();
        }
        let stream = socket.connect(self.address).await.unwrap();
        client_async(self.request, stream).await.map(|(stream, _)| stream)
    }

    /// The connection, which must come about.
    pub async fn open(self) -> Socket {
        let stream = self.connect().await.unwrap();
        let mut socket = Socket { stream, hello: Value::Null };
        socket.hello = socket.next().await;
        assert_eq!(socket.hello["type"], "hello");
        socket
    }

    /// What is answered, whether it comes about or not.
    pub async fn status(self) -> u16 {
        match self.connect().await {
            Err(Error::Http(response)) => response.status().as_u16(),
            Ok(_) => 101,
            Err(error) => panic!("{error}"),
        }
    }

    /// The status and code of the refusal, which must come.
    pub async fn refused(self) -> (u16, String) {
        match self.connect().await {
            Err(Error::Http(response)) => {
                let status = response.status().as_u16();
                let body: Value = serde_json::from_slice(response.body().as_deref().unwrap_or_default())
                    .unwrap_or_default();
                (status, body["code"].as_str().unwrap_or_default().to_owned())
            }
            Ok(_) => panic!("the handshake was accepted"),
            Err(error) => panic!("{error}"),
        }
    }
}

pub struct Socket {
    pub stream: WebSocketStream<TcpStream>,
    pub hello: Value,
}

impl Socket {
    pub async fn frame(&mut self, message: Message) {
        self.stream.send(message).await.unwrap();
    }

    pub async fn text(&mut self, text: impl Into<String>) {
        self.frame(Message::text(text.into())).await;
    }

    pub async fn say(&mut self, message: &Value) {
        self.text(message.to_string()).await;
    }

    /// The next thing it is told; `None` when the connection is over.
    pub async fn try_next(&mut self) -> Option<Value> {
        loop {
            match tokio::time::timeout(PATIENCE, self.stream.next()).await.expect("nothing came") {
                Some(Ok(Message::Text(text))) => return Some(serde_json::from_str(&text).unwrap()),
                Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                Some(Ok(_)) => {}
            }
        }
    }

    pub async fn next(&mut self) -> Value {
        self.try_next().await.expect("the connection ended")
    }

    /// Up to and including the first of this type.
    pub async fn until(&mut self, kind: &str) -> Vec<Value> {
        let mut all = Vec::new();
        loop {
            let told = self.next().await;
            let found = told["type"] == kind;
            all.push(told);
            if found {
                return all;
            }
        }
    }

    /// Says something and reads up to its answer.
    pub async fn ask(&mut self, message: &Value) -> Value {
        self.say(message).await;
        self.answer().await
    }

    /// The next ack, result of a command, problem or pong.
    pub async fn answer(&mut self) -> Value {
        loop {
            let told = self.next().await;
            if matches!(told["type"].as_str(), Some("ack" | "problem" | "pong" | "command_result")) {
                return told;
            }
        }
    }

    pub async fn subscribe(&mut self, session: &str, after: Option<&str>) -> Value {
        let mut message = json!({ "type": "subscribe", "session_id": session });
        if let Some(after) = after {
            message["after"] = json!(after);
        }
        let ack = self.ask(&message).await;
        assert_eq!(ack["type"], "ack", "{ack}");
        ack
    }

    pub async fn send(&mut self, session: &str, key: &str, content: &str) -> Value {
        let message =
            json!({ "type": "send", "session_id": session, "content": content, "idempotency_key": key });
        self.ask(&message).await
    }

    /// The code with which the server closes; 0 when it says none.
    pub async fn closed(&mut self) -> u16 {
        loop {
            match tokio::time::timeout(PATIENCE, self.stream.next()).await.expect("it stays open") {
                Some(Ok(Message::Close(frame))) => return frame.map_or(0, |frame| frame.code.into()),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return 0,
            }
        }
    }
}

/// Status and code of a problem.
#[track_caller]
pub fn refusal(told: &Value) -> (u64, &str) {
    assert_eq!(told["type"], "problem", "{told}");
    (told["status"].as_u64().unwrap(), told["code"].as_str().unwrap())
}
