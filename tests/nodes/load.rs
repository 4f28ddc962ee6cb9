//! People who talk while nodes come and go: each message goes to some node, by SSE, by WebSocket or as one request, and comes again with the
//! same key to the next node until it has its answer.

use crate::house::PATIENCE;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use testkit::{
    client::Client,
    model::{Recorded, Reply},
};
use tokio::{net::TcpStream, task::JoinSet, time::timeout};
use tokio_tungstenite::{
    client_async,
    tungstenite::{Message, client::IntoClientRequest},
};

/// Before the same message goes to the next node.
const PAUSE: Duration = Duration::from_millis(50);

/// One step with an effect, and one that says something.
pub fn reply(request: &Recorded) -> Reply {
    let said = request.last_user();
    match request.results_since_user().len() {
        0 => Reply::calls([("count_effect", json!({ "tag": said }))]).delay(Duration::from_millis(200)),
        _ => {
            let pieces = ["Heard ".to_owned(), said, ".".to_owned()];
            Reply::pieces(pieces).pace(Duration::from_millis(20)).delay(Duration::from_millis(200))
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Way {
    Sse,
    WebSocket,
    Batch,
}

/// Where the nodes listen at the moment, and whether people still talk.
pub struct Load {
    bases: Mutex<Vec<String>>,
    over: AtomicBool,
    key: String,
    /// What no client should ever be told.
    wrong: Mutex<Vec<String>>,
}

impl Load {
    pub fn new(key: &str, bases: Vec<String>) -> Arc<Self> {
        let (over, wrong) = (AtomicBool::new(false), Mutex::default());
        Arc::new(Self { bases: Mutex::new(bases), over, key: key.to_owned(), wrong })
    }

    /// A node was started again elsewhere.
    pub fn moved(&self, place: usize, base: &str) {
        base.clone_into(&mut self.bases.lock().unwrap()[place]);
    }

    /// So many people for each way talk, each in a session of their own.
    pub async fn begin(self: &Arc<Self>, each: usize) -> JoinSet<Vec<String>> {
        let base = self.bases.lock().unwrap()[0].clone();
        let client = Client::new(&base, &self.key);
        let rules = json!([{ "tool": "count_effect", "action": "allow" }]);
        let agent = json!({ "name": "busy", "capabilities": ["counting"], "tool_rules": rules });
        let agent = client.post("/v1/agents", &agent).await.unwrap().expect(201);
        let mut talkers = JoinSet::new();
        for (number, way) in (0..each).flat_map(|_| [Way::Sse, Way::WebSocket, Way::Batch]).enumerate() {
            let session = json!({ "agent_id": agent["id"] });
            let session = client.post("/v1/sessions", &session).await.unwrap().expect(201);
            let session = session["id"].as_str().unwrap().to_owned();
            talkers.spawn(self.clone().talk(number, way, session));
        }
        talkers
    }

    /// No more messages; gives those that were answered, when each has been.
    pub async fn end(&self, mut talkers: JoinSet<Vec<String>>) -> Vec<String> {
        self.over.store(true, Ordering::SeqCst);
        let mut said = Vec::new();
        while let Some(talker) =
            timeout(PATIENCE * 2, talkers.join_next()).await.expect("a message has no answer")
        {
            said.extend(talker.unwrap());
        }
        assert_eq!(*self.wrong.lock().unwrap(), Vec::<String>::new());
        said
    }

    async fn talk(self: Arc<Self>, number: usize, way: Way, session: String) -> Vec<String> {
        let mut said = Vec::new();
        while !self.over.load(Ordering::SeqCst) {
            let words = format!("{way:?}-{number}-{}", said.len()).to_lowercase();
            let mut place = number + said.len();
            while !self.answered(way, place, &session, &words).await {
                place += 1;
                tokio::time::sleep(PAUSE).await;
            }
            said.push(words);
        }
        said
    }

    /// Sends a message to one node; whether it had its answer there.
    async fn answered(&self, way: Way, place: usize, session: &str, words: &str) -> bool {
        let base = {
            let bases = self.bases.lock().unwrap();
            bases[place % bases.len()].clone()
        };
        match way {
            Way::Sse => self.by_sse(&base, session, words).await,
            Way::WebSocket => self.by_websocket(&base, session, words).await.unwrap_or(false),
            Way::Batch => self.by_batch(&base, session, words).await,
        }
    }

    fn note(&self, status: u16, body: &Value) {
        if !matches!(status, 200 | 429 | 503) {
            self.wrong.lock().unwrap().push(format!("{status} {body}"));
        }
    }

    async fn by_sse(&self, base: &str, session: &str, words: &str) -> bool {
        let client = Client::new(base, &self.key);
        let Ok(mut stream) = client.send_message(session, words, &json!({ "content": words })).await else {
            return false;
        };
        self.note(stream.status, &Value::Null);
        while let Ok(Ok(Some(event))) = timeout(PATIENCE, stream.next()).await {
            if event.event == "turn_ended" {
                return event.data["data"]["outcome"] == "completed";
            }
        }
        false
    }

    async fn by_batch(&self, base: &str, session: &str, words: &str) -> bool {
        let client = Client::new(base, &self.key);
        let path = format!("/v1/sessions/{session}/messages");
        let Ok(answer) = client.post_once(&path, words, &json!({ "content": words })).await else {
            return false;
        };
        self.note(answer.status, &answer.body);
        if answer.status == 503 && answer.retry_after.is_none() {
            self.wrong.lock().unwrap().push(format!("503 without Retry-After: {}", answer.body));
        }
        answer.status == 200
            && answer.body["reply"].as_str().unwrap_or_default().ends_with(&format!("Heard {words}."))
    }

    async fn by_websocket(&self, base: &str, session: &str, words: &str) -> Option<bool> {
        let address = base.strip_prefix("http://")?;
        let mut request = format!("ws://{address}/ws").into_client_request().ok()?;
        request.headers_mut().insert("authorization", format!("Bearer {}", self.key).parse().ok()?);
        let (mut window, _) = client_async(request, TcpStream::connect(address).await.ok()?).await.ok()?;
        let subscribe = json!({ "type": "subscribe", "session_id": session, "after": "0" });
        let send =
            json!({ "type": "send", "session_id": session, "content": words, "idempotency_key": words });
        window.send(Message::text(subscribe.to_string())).await.ok()?;
        window.send(Message::text(send.to_string())).await.ok()?;
        // The session is told from its beginning: its last end is that of this message.
        let mut heard = false;
        loop {
            let Message::Text(frame) = timeout(PATIENCE, window.next()).await.ok()??.ok()? else { continue };
            let event: Value = serde_json::from_str(&frame).unwrap();
            match event["type"].as_str().unwrap_or_default() {
                "problem" => {
                    self.note(event["status"].as_u64()?.try_into().ok()?, &event);
                    return Some(false);
                }
                "message_complete" => heard |= event["data"]["content"] == format!("Heard {words}.").as_str(),
                "turn_ended" if heard => return Some(event["data"]["outcome"] == "completed"),
                _ => {}
            }
        }
    }
}
