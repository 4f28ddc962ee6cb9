//! Several nodes of one house, and what their database says of them.

use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tempfile::TempDir;
use testkit::{
    client::{Client, SseStream},
    left_out,
    model::ModelServer,
    postgres::{Cluster, Wire},
    program::{Program, Running},
};

/// Nothing that a test waits for takes this long.
const PATIENCE: Duration = Duration::from_secs(120);
/// How often the database is asked for something that no node tells.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Short, so that a dead node is noticed soon, and long enough for a node on a machine that has much else to do.
pub const LEASE: &str = "8s";

/// A database, a scripted model, and one program per node.
pub struct Nodes {
    pub programs: Vec<Program>,
    pub model: ModelServer,
    pub key: String,
    cluster: &'static Cluster,
    database: String,
    folder: TempDir,
    /// Kept open, as pages keep theirs.
    streams: Mutex<Vec<SseStream>>,
}

impl Nodes {
    /// So many nodes, none of which runs yet. `None` when there is no PostgreSQL here.
    pub async fn new(count: usize) -> Option<Self> {
        let cluster = Cluster::shared().unwrap()?;
        let database = cluster.database().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let model = ModelServer::start().await;
        let programs: Vec<Program> = (0..count)
            .map(|place| program(&folder.path().join(place.to_string()), &model, &database))
            .collect();
        let key = programs[0].set_up().await;
        for other in &programs[1..] {
            fs::create_dir(other.data()).unwrap();
            fs::copy(programs[0].data().join("master.key"), other.data().join("master.key")).unwrap();
        }
        Some(Self { programs, model, key, cluster, database, folder, streams: Mutex::default() })
    }

    pub async fn serve(&self, place: usize) -> Running {
        self.programs[place].serve().await.unwrap()
    }

    /// Starts a node whose database is at the other end of a wire.
    pub async fn serve_by_wire(&self, place: usize) -> (Running, Wire) {
        let wire = Wire::to(self.cluster, &self.database).await.unwrap();
        let program = self.programs[place].clone().env("MAJORDOMO_STORE_URL", &wire.url);
        (program.serve().await.unwrap(), wire)
    }

    /// Every node.
    pub async fn serve_all(&self) -> Vec<Running> {
        let mut running = Vec::new();
        for program in &self.programs {
            running.push(program.serve().await.unwrap());
        }
        running
    }

    /// Lets the clock of a node be wrong by so many seconds, such as `+20s`. `false` when libfaketime is not there.
    pub fn set_clock(&mut self, place: usize, offset: &str) -> bool {
        let Some(library) = faketime() else { return false };
        let program = self.programs[place].clone();
        // How long something took stays true: only what the clock on the wall says is wrong.
        self.programs[place] = program
            .env("LD_PRELOAD", library.to_string_lossy())
            .env("FAKETIME", offset)
            .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
            .env("DONT_FAKE_MONOTONIC", "1");
        true
    }

    /// A program on a copy of a node's data directory, as an owner makes one who wants a second node.
    pub fn copy_of(&self, place: usize) -> Program {
        let (from, to) = (self.programs[place].data(), self.folder.path().join("copy"));
        fs::create_dir(&to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_file() {
                fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
            }
        }
        program(&to, &self.model, &self.database)
    }

    /// What the database says, one line per row.
    pub fn ask(&self, sql: &str) -> String {
        self.cluster.ask(&self.database, sql).unwrap()
    }

    /// Asks until the database says this.
    pub async fn until(&self, sql: &str, wanted: &str) {
        let mut said = String::new();
        let asking = async {
            loop {
                said = self.ask(sql);
                if said == wanted {
                    return;
                }
                tokio::time::sleep(LOOK_EVERY).await;
            }
        };
        let came = tokio::time::timeout(PATIENCE, asking).await.is_ok();
        assert!(came, "{sql} says {said:?} and not {wanted:?}");
    }

    /// Waits until so many nodes have said for so many seconds, by the database's clock, that they are alive.
    pub async fn beat_for(&self, nodes: usize, seconds: u32) {
        let began = self.ask("SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)");
        let sql = format!("SELECT COUNT(*) FROM nodes WHERE seen_at > {began} + {seconds} * 1000");
        self.until(&sql, &nodes.to_string()).await;
    }

    /// The node id that a data directory has.
    pub fn id(&self, place: usize) -> String {
        let file = fs::read_to_string(self.programs[place].data().join("node")).unwrap();
        file.lines().next().unwrap().to_owned()
    }

    /// Waits until this node has a turn that runs.
    pub async fn until_it_works(&self, place: usize) {
        let sql = format!(
            "SELECT COUNT(*) > 0 FROM turns WHERE status = 'running' AND owner = '{}'",
            self.id(place)
        );
        self.until(&sql, "t").await;
    }

    /// Begins a turn in a new session without waiting for its reply; the session.
    pub async fn begin(&self, client: &Client, words: &str) -> String {
        let session = new_session(client).await;
        self.say(client, &session, words).await;
        session
    }

    /// Closes every stream: a node that goes waits for those who read the end of a turn.
    pub fn hang_up(&self) {
        self.streams.lock().unwrap().clear();
    }

    /// Stores a message; its turn begins, or waits.
    pub async fn say(&self, client: &Client, session: &str, words: &str) {
        let stream = client.send_message(session, words, &json!({ "content": words })).await.unwrap();
        assert_eq!(stream.status, 200, "{words}");
        self.streams.lock().unwrap().push(stream);
    }
}

fn program(data: &Path, model: &ModelServer, database: &str) -> Program {
    Program::new(env!("CARGO_BIN_EXE_majordomo-under-test"), data)
        .model(&model.url())
        .env("MAJORDOMO_LOG", "error")
        .env("MAJORDOMO_STORE_URL", database)
        .env("MAJORDOMO_LIMITS_LEASE", LEASE)
}

pub fn faketime() -> Option<PathBuf> {
    let folders =
        fs::read_dir("/usr/lib").ok()?.filter_map(|entry| Some(entry.ok()?.path().join("faketime")));
    let found = folders.map(|folder| folder.join("libfaketime.so.1")).find(|library| library.is_file());
    if found.is_none() {
        left_out("nodes with different clocks: libfaketime is not installed");
    }
    found
}

pub async fn new_session(client: &Client) -> String {
    static MADE: AtomicUsize = AtomicUsize::new(0);
    let name = format!("helper {}", MADE.fetch_add(1, Ordering::Relaxed));
    let agent = client.post("/v1/agents", &json!({ "name": name })).await.unwrap().expect(201);
    let agent = agent["id"].as_str().unwrap().to_owned();
    let created = client.post("/v1/sessions", &json!({ "agent_id": agent })).await.unwrap().expect(201);
    created["id"].as_str().unwrap().to_owned()
}

/// What was said in a session, in order.
pub async fn said(client: &Client, session: &str) -> Vec<String> {
    let list = client.get(&format!("/v1/sessions/{session}/messages?limit=100")).await.unwrap().expect(200);
    let words = |message: &Value| message["content"].as_str().unwrap_or_default().to_owned();
    let mut items = list["items"].as_array().unwrap().clone();
    items.sort_by_key(|message| message["seq"].as_u64());
    items.iter().map(words).collect()
}
