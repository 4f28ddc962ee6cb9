//! One window of a person: a WebSocket over which it follows several sessions, and the memory that outlives it.

use crate::follower::Seen;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::{collections::BTreeMap, time::Duration};
use testkit::sse::SseEvent;
use tokio::{net::TcpStream, time::timeout};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Message, client::IntoClientRequest},
};

/// Words that are said until they are acknowledged.
#[derive(Clone, Debug)]
pub struct Words {
    pub session: String,
    pub text: String,
}

/// What a person has seen and said, whatever became of their connections.
pub struct Window {
    pub seen: BTreeMap<String, Seen>,
    /// Said, and not acknowledged yet.
    pub unacknowledged: Vec<Words>,
    /// Asked, and not answered yet as far as the log says: they are answered again with every connection.
    pub unanswered: BTreeMap<String, String>,
    pub answered: usize,
    /// Acknowledged: session, text, turn.
    pub acknowledged: Vec<(Words, String)>,
    pub resumed_in_a_message: usize,
    pub connections: usize,
}

/// A connection of it.
pub struct Open {
    stream: WebSocketStream<TcpStream>,
}

/// What one frame was about.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    Live(String),
    Ended(String),
    /// The agent has a question, with this id.
    Asked(String),
    Other,
    Silence,
    Broken,
}

impl Window {
    pub fn new(sessions: &[String]) -> Self {
        let fresh = |session: &String| (session.clone(), Seen::nothing());
        Self {
            seen: sessions.iter().map(fresh).collect(),
            unacknowledged: Vec::new(),
            unanswered: BTreeMap::new(),
            answered: 0,
            acknowledged: Vec::new(),
            resumed_in_a_message: 0,
            connections: 0,
        }
    }

    /// Opens a connection, takes up every session where it was left, and says again what was not acknowledged.
    pub async fn open(&mut self, base: &str, key: &str) -> Open {
        self.try_open(base, key).await.expect("a server that answers")
    }

    /// As [`open`](Self::open), at a server that may be gone.
    pub async fn try_open(&mut self, base: &str, key: &str) -> Option<Open> {
        let address = base.strip_prefix("http://").unwrap();
        let mut request = format!("ws://{address}/ws").into_client_request().unwrap();
        request.headers_mut().insert("authorization", format!("Bearer {key}").parse().unwrap());
        let stream = TcpStream::connect(address).await.ok()?;
        let (stream, _) = client_async(request, stream).await.ok()?;
        let mut open = Open { stream };
        self.connections += 1;
        for (session, seen) in &self.seen {
            self.resumed_in_a_message += usize::from(seen.in_a_message());
            open.say(&json!({ "type": "subscribe", "session_id": session, "after": seen.cursor })).await;
        }
        for words in &self.unacknowledged {
            open.send(words).await;
        }
        for question in self.unanswered.keys() {
            open.answer(question).await;
        }
        Some(open)
    }

    /// Remembers something to say, and says it.
    pub async fn say(&mut self, open: &mut Open, words: Words) {
        open.send(&words).await;
        self.unacknowledged.push(words);
    }

    pub async fn hear(&mut self, open: &mut Open, patience: Duration) -> Heard {
        match timeout(patience, open.stream.next()).await {
            Err(_) => Heard::Silence,
            Ok(Some(Ok(Message::Text(text)))) => self.take(serde_json::from_str(&text).unwrap()),
            Ok(Some(Ok(_))) => Heard::Other,
            Ok(Some(Err(_)) | None) => Heard::Broken,
        }
    }

    fn take(&mut self, told: Value) -> Heard {
        match told["type"].as_str().unwrap() {
            "hello" | "notice" | "pong" | "lists_changed" => Heard::Other,
            // An answer that was given before its connection broke has been taken.
            "problem" if told["of"] == "question_response" && told["status"] == 409 => Heard::Other,
            // A server that is about to go, or cannot save at the moment: another connection may.
            "problem" if matches!(told["status"].as_u64(), Some(429 | 503)) => Heard::Broken,
            "problem" => panic!("{told}"),
            "ack" => {
                self.acknowledge(&told);
                Heard::Other
            }
            kind => {
                let session = told["session_id"].as_str().unwrap().to_owned();
                let heard = match kind {
                    "text" => Heard::Live(session.clone()),
                    "turn_ended" => {
                        // Whatever it still wanted to know is taken back.
                        self.unanswered.retain(|_, asking| *asking != session);
                        Heard::Ended(session.clone())
                    }
                    "question_prompt" => {
                        let question = told["data"]["id"].as_str().unwrap().to_owned();
                        self.unanswered.insert(question.clone(), session.clone());
                        Heard::Asked(question)
                    }
                    "question_answered" => {
                        let question = told["data"]["question_id"].as_str().unwrap();
                        self.answered += usize::from(self.unanswered.remove(question).is_some());
                        Heard::Other
                    }
                    _ => Heard::Other,
                };
                let (event, id) = (kind.to_owned(), told["cursor"].as_str().unwrap().to_owned());
                self.seen.get_mut(&session).unwrap().take(SseEvent { event, id, data: told });
                heard
            }
        }
    }

    fn acknowledge(&mut self, ack: &Value) {
        let Some(key) = ack["idempotency_key"].as_str() else { return };
        let Some(index) = self.unacknowledged.iter().position(|words| words.text == key) else { return };
        let words = self.unacknowledged.remove(index);
        self.acknowledged.push((words, ack["turn_id"].as_str().unwrap().to_owned()));
    }
}

impl Open {
    /// A connection that breaks under it says so when it is read.
    pub async fn say(&mut self, message: &Value) {
        drop(self.stream.send(Message::text(message.to_string())).await);
    }

    async fn send(&mut self, Words { session, text }: &Words) {
        let message =
            json!({ "type": "send", "session_id": session, "content": text, "idempotency_key": text });
        self.say(&message).await;
    }

    pub async fn answer(&mut self, question: &str) {
        let answer = format!("answer to {question}");
        self.say(&json!({ "type": "question_response", "question_id": question, "answer": answer })).await;
    }

    pub async fn abort(&mut self, session: &str) {
        self.say(&json!({ "type": "abort", "session_id": session })).await;
    }
}
