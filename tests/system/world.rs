//! What every system test starts from.

use serde_json::{Value, json};
use std::{path::PathBuf, time::Duration};
use tempfile::TempDir;
use testkit::{
    client::Client,
    counting::COUNTER,
    model::ModelServer,
    postgres::Cluster,
    program::{Program, Running},
};

/// Which database the program keeps its memory in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    Sqlite,
    Postgres,
}

/// Where the days of budgets end: far from UTC, with clocks that never change, so that a day that is counted otherwise is seen.
const ZONE: &str = "Pacific/Kiritimati";
pub const ZONE_MS: i64 = 14 * 3_600_000;

/// A data directory, a scripted model, and the program that uses both.
pub struct World {
    pub program: Program,
    pub model: ModelServer,
    pub key: String,
    pub counter: PathBuf,
    pub data: TempDir,
    /// The address of its database.
    pub store: String,
}

/// The binary that cargo built for these tests.
pub fn under_test() -> &'static str {
    env!("CARGO_BIN_EXE_majordomo-under-test")
}

impl World {
    /// With an owner and a key. `None` when PostgreSQL is wanted and not there.
    pub async fn new(backend: Backend) -> Option<Self> {
        match backend {
            Backend::Sqlite => Some(Self::assembled(None, None).await),
            Backend::Postgres => {
                let url = Cluster::shared().unwrap()?.database().unwrap();
                Some(Self::assembled(None, Some(&url)).await)
            }
        }
    }

    /// With its data in a certain place.
    pub async fn at(directory: PathBuf) -> Self {
        Self::assembled(Some(directory), None).await
    }

    /// With a database of its own.
    pub async fn with_store(url: &str) -> Self {
        Self::assembled(None, Some(url)).await
    }

    async fn assembled(directory: Option<PathBuf>, store: Option<&str>) -> Self {
        let data = tempfile::tempdir().unwrap();
        let model = ModelServer::start().await;
        let counter = data.path().join("counter");
        let directory = directory.unwrap_or_else(|| data.path().join("data"));
        let mut program = Program::new(under_test(), directory)
            .model(&model.url())
            .env(COUNTER, counter.to_string_lossy())
            .env("MAJORDOMO_LIMITS_BUDGET_TIME_ZONE", ZONE)
            .env("MAJORDOMO_LOG", "error");
        if let Some(url) = store {
            program = program.env("MAJORDOMO_STORE_URL", url);
        }
        let file = || format!("sqlite:{}", program.data().join("majordomo.db").display());
        let store = store.map_or_else(file, str::to_owned);
        let key = program.set_up().await;
        Self { program, model, key, counter, data, store }
    }

    pub async fn serve(&self) -> Running {
        self.program.serve().await.unwrap()
    }
}

/// Asks until the program has asked the vendor what it has, which it does while it already listens: what is not known yet has
/// neither a window nor a way to think.
pub async fn known(client: &Client, model: &str) {
    let listed = |models: &Value| models.as_array().unwrap().iter().any(|listed| listed["id"] == model);
    // Somebody may have made it end itself.
    while let Ok(models) = client.get("/v1/models").await {
        if listed(&models.expect(200)["items"]) {
            return;
        }
    }
}

/// An agent with every tool a test may want.
pub async fn worker(client: &Client) -> String {
    let capabilities = json!(["counting", "current_time", "test_math", "session_file_system"]);
    agent(client, json!({ "name": "worker", "capabilities": capabilities })).await
}

pub async fn agent(client: &Client, fields: Value) -> String {
    client.post("/v1/agents", &fields).await.unwrap().expect(201)["id"].as_str().unwrap().to_owned()
}

pub async fn new_session(client: &Client, agent: &str) -> String {
    let created = client.post("/v1/sessions", &json!({ "agent_id": agent })).await.unwrap().expect(201);
    created["id"].as_str().unwrap().to_owned()
}

/// The questions that wait in a session.
pub async fn questions(client: &Client, session: &str) -> Vec<Value> {
    let list = client.get("/v1/questions?limit=100").await.unwrap().expect(200);
    let here = |question: &&Value| question["session_id"] == session;
    list["items"].as_array().unwrap().iter().filter(here).cloned().collect()
}

/// Gives this answer to whatever is asked, until the session is quiet.
pub async fn answer_until_quiet(client: &Client, session: &str, answer: &str) -> u64 {
    let path = format!("/v1/sessions/{session}");
    let mut stream = client.follow(session, Some("0")).await.unwrap();
    loop {
        let state = client.get(&path).await.unwrap().expect(200);
        match state["status"].as_str() {
            Some("idle" | "failed") => return state["last_seq"].as_u64().unwrap(),
            Some("input_required") => {
                for question in questions(client, session).await {
                    let path = format!("/v1/questions/{}/answer", question["id"].as_str().unwrap());
                    client.post(&path, &json!({ "answer": answer })).await.unwrap();
                }
            }
            _ => {}
        }
        let event = tokio::time::timeout(Duration::from_secs(60), stream.next()).await;
        assert!(matches!(event, Ok(Ok(Some(_)))), "{session} does not come to rest: {event:?}");
    }
}

/// Waits until nothing runs and nothing waits in the session; its last `seq`.
pub async fn quiet(client: &Client, session: &str) -> u64 {
    let path = format!("/v1/sessions/{session}");
    let mut stream = client.follow(session, Some("0")).await.unwrap();
    loop {
        let state = client.get(&path).await.unwrap().expect(200);
        if matches!(state["status"].as_str(), Some("idle" | "failed")) {
            return state["last_seq"].as_u64().unwrap();
        }
        let event = tokio::time::timeout(Duration::from_secs(60), stream.next()).await;
        assert!(matches!(event, Ok(Ok(Some(_)))), "{session} does not come to rest: {event:?}");
    }
}
