//! A house of several nodes: one database, one scripted model, a data directory for each process.

use serde_json::{Value, json};
use std::time::Duration;
use tempfile::TempDir;
use testkit::{
    client::{Client, SseStream},
    counting::COUNTER,
    model::ModelServer,
    postgres::Cluster,
    program::{Program, Running},
    sse::SseEvent,
};

/// Nothing that a test waits for takes this long.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub struct House {
    pub model: ModelServer,
    pub key: String,
    pub programs: Vec<Program>,
    pub cluster: &'static Cluster,
    pub database: String,
    _data: TempDir,
}

impl House {
    /// With an owner and a key; none of its nodes runs yet. `None` where there is no PostgreSQL.
    pub async fn new(nodes: usize) -> Option<Self> {
        Self::of(nodes, env!("CARGO_BIN_EXE_majordomo-under-test")).await
    }

    /// Of nodes that are this program.
    pub async fn of(nodes: usize, binary: &str) -> Option<Self> {
        let cluster = Cluster::shared().unwrap()?;
        let database = cluster.database().unwrap();
        let data = tempfile::tempdir().unwrap();
        let model = ModelServer::start().await;
        let program = |node: usize| {
            Program::new(binary, data.path().join(node.to_string()))
                .model(&model.url())
                .env("MAJORDOMO_STORE_URL", &database)
                .env("MAJORDOMO_LOG", "error")
                .env(COUNTER, data.path().join("counter").to_string_lossy())
        };
        let programs: Vec<Program> = (0..nodes).map(program).collect();
        let key = programs[0].set_up().await;
        for other in &programs[1..] {
            std::fs::create_dir_all(other.data()).unwrap();
            std::fs::copy(programs[0].data().join("master.key"), other.data().join("master.key")).unwrap();
        }
        Some(Self { model, key, programs, cluster, database, _data: data })
    }

    /// `NODES_WITHOUT=guard_bus` takes the bus away, to see which tests notice it.
    pub async fn serve(&self, node: usize) -> Node {
        match std::env::var("NODES_WITHOUT") {
            Ok(guard) => self.serve_without(node, &guard).await,
            Err(_) => self.serve_as(&self.programs[node]).await,
        }
    }

    /// A node without one of its guards.
    pub async fn serve_without(&self, node: usize, guard: &str) -> Node {
        self.serve_as(&self.programs[node].clone().env("GUARDS_OFF", guard)).await
    }

    pub async fn serve_as(&self, program: &Program) -> Node {
        let running = program.serve().await.unwrap();
        let client = running.client(&self.key);
        Node { running, client }
    }
}

/// A process, and a client that speaks to it.
pub struct Node {
    pub running: Running,
    pub client: Client,
}

impl Node {
    /// A session with an agent that has these fields.
    pub async fn talk(&self, fields: Value) -> String {
        let agent = self.client.post("/v1/agents", &fields).await.unwrap().expect(201);
        let session = json!({ "agent_id": agent["id"] });
        let session = self.client.post("/v1/sessions", &session).await.unwrap().expect(201);
        session["id"].as_str().unwrap().to_owned()
    }

    /// A session with an agent that has no tools.
    pub async fn plain_talk(&self) -> String {
        self.talk(json!({ "name": "plain", "capabilities": [] })).await
    }

    /// Says something and gives the stream of its turn.
    pub async fn say(&self, session: &str, key: &str, words: &str) -> SseStream {
        let stream = self.client.send_message(session, key, &json!({ "content": words })).await.unwrap();
        assert_eq!(stream.status, 200);
        stream
    }

    /// Follows a session from its beginning.
    pub async fn follow(&self, session: &str) -> SseStream {
        self.follow_from(session, "0").await
    }

    pub async fn follow_from(&self, session: &str, cursor: &str) -> SseStream {
        let stream = self.client.follow(session, Some(cursor)).await.unwrap();
        assert_eq!(stream.status, 200);
        stream
    }

    /// The durable events of a session.
    pub async fn log(&self, session: &str) -> Vec<Value> {
        let path = format!("/v1/sessions/{session}/events?limit=1000");
        self.client.get(&path).await.unwrap().expect(200)["items"].as_array().unwrap().clone()
    }
}

pub async fn next(stream: &mut SseStream) -> SseEvent {
    let next = tokio::time::timeout(PATIENCE, stream.next()).await;
    next.expect("nothing came").unwrap().expect("the stream ended early")
}

/// Reads on until an event of this type, which is the last.
pub async fn until(stream: &mut SseStream, kind: &str) -> Vec<SseEvent> {
    let mut events = Vec::new();
    while events.last().is_none_or(|event: &SseEvent| event.event != kind) {
        events.push(next(stream).await);
    }
    events
}

/// Reads on until so much was said.
pub async fn until_text(stream: &mut SseStream, words: &str) -> Vec<SseEvent> {
    let mut events = Vec::new();
    while !text(&events).ends_with(words) {
        events.push(next(stream).await);
    }
    events
}

pub fn text(events: &[SseEvent]) -> String {
    let pieces = events.iter().filter(|event| event.event == "text");
    pieces.map(|event| event.data["data"]["text"].as_str().unwrap()).collect()
}

/// What is durable of it: number, type and content.
pub fn durable(events: &[Value]) -> Vec<(u64, String, Value)> {
    let live = ["text", "thinking", "element_start", "element_update", "element_complete", "tool_output"];
    let durable = events.iter().filter(|event| !live.contains(&event["type"].as_str().unwrap()));
    let part = |event: &Value| {
        let kind = event["type"].as_str().unwrap().to_owned();
        (event["seq"].as_u64().unwrap(), kind, event["data"].clone())
    };
    durable.map(part).collect()
}

pub fn data(events: &[SseEvent]) -> Vec<Value> {
    events.iter().map(|event| event.data.clone()).collect()
}
