//! A whole server, made temporary.

use super::{
    socket::{Handshake, Socket},
    wire::Call,
};
use capability::{Clock, Registry, SystemClock};
use domain::{InputMode, NodeId, Scope, Source, Timestamp, TurnId, UploadId, UserId, UserRole};
use engine::{Engine, NewKey, NewMessage, NewPerson, Parts, PeopleSettings, Settings};
use provider::{Models, ModelsSettings, Origin, ProviderSettings, Wire};
use server::HttpSettings;
use std::{
    net::SocketAddr,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};
use store::{MasterKey, Store};
use tempfile::TempDir;
use testkit::model::ModelServer;
use tokio::{
    net::{TcpListener, TcpSocket, UnixListener},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// What a password costs here, in KiB: these tests are not about how long it takes.
const CHEAP: u32 = 64;
const RECHECK: Duration = Duration::from_millis(50);
/// A search gives back what it has found by then; here it finds everything, however busy the machine is.
const SEARCH_TIME: Duration = Duration::from_secs(60);

/// How a house differs from the usual one.
#[derive(Default)]
pub struct Options {
    pub http: HttpSettings,
    pub engine: Settings,
    /// What a password costs, in KiB, where that matters.
    pub password_memory: Option<u32>,
    /// Another database than a temporary file.
    pub url: Option<String>,
    /// Nobody lives there yet.
    pub empty: bool,
    /// Nobody knows what the model costs.
    pub unpriced: bool,
    /// What the system keeps for a reader that does not read, in bytes.
    pub send_buffer: Option<u32>,
}

/// The machine's clock, which a test may set forward.
#[derive(Default)]
pub struct TestClock {
    ahead: AtomicI64,
}

impl TestClock {
    pub fn advance(&self, millis: i64) {
        self.ahead.fetch_add(millis, Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        SystemClock.now().plus_millis(self.ahead.load(Ordering::SeqCst))
    }
}

pub struct House {
    pub clock: Arc<TestClock>,
    pub model: ModelServer,
    pub engine: Engine,
    pub address: SocketAddr,
    pub socket: PathBuf,
    /// The owner's key of scope `full`; empty in an empty house.
    pub key: String,
    pub stop: CancellationToken,
    pub serving: JoinHandle<std::io::Result<()>>,
    _control: JoinHandle<()>,
    _directory: TempDir,
}

impl House {
    pub async fn new() -> Self {
        Self::with(Options::default()).await
    }

    /// The same on PostgreSQL; `None` where there is no server for it.
    pub async fn on_postgres(options: Options) -> Option<Self> {
        let start =
            || testkit::postgres::Cluster::shared().unwrap().map(|cluster| cluster.database().unwrap());
        let url = tokio::task::spawn_blocking(start).await.unwrap()?;
        Some(Self::with(Options { url: Some(url), ..options }).await)
    }

    pub async fn with(options: Options) -> Self {
        let directory = TempDir::new().unwrap();
        let password_memory = options.password_memory.unwrap_or(CHEAP);
        let mut settings = options.engine;
        settings.people = PeopleSettings { password_memory, recheck: RECHECK };
        settings.files.search_time = SEARCH_TIME;
        let file = || format!("sqlite:{}", directory.path().join("majordomo.db").display());
        let url = options.url.unwrap_or_else(file);
        let model = ModelServer::start().await;
        let clock = Arc::new(TestClock::default());
        let free = options.unpriced.then_some(false);
        let engine = engine(&url, (&model, free), clock.clone(), settings).await;
        let stop = CancellationToken::new();
        let listener = listen(options.send_buffer);
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(server::serve(engine.clone(), listener, options.http, stop.clone()));
        let socket = directory.path().join("control.sock");
        let control = UnixListener::bind(&socket).unwrap();
        let control = tokio::spawn(server::serve_control(
            engine.clone(),
            control,
            server::LogRing::default(),
            stop.clone(),
        ));
        let mut house = Self {
            clock,
            model,
            engine,
            address,
            socket,
            key: String::new(),
            stop,
            serving,
            _control: control,
            _directory: directory,
        };
        if !options.empty {
            house.key = house.person("Ada", UserRole::Owner).await.1;
        }
        house
    }

    /// A person and a key of scope `full`.
    pub async fn person(&self, name: &str, role: UserRole) -> (UserId, String) {
        let new = NewPerson { name: name.to_owned(), role, password: None, time_zone: None };
        let id = self.engine.people().create_person(new).await.unwrap().id;
        (id, self.issue(id, Scope::Full).await)
    }

    pub async fn issue(&self, user_id: UserId, scope: Scope) -> String {
        let source = (scope == Scope::Bridge).then(|| "signal".to_owned());
        let new = NewKey { user_id, name: "test".to_owned(), scope, source, expires_at: None };
        self.engine.people().issue_key(new).await.unwrap().secret
    }

    /// A key of this bridge.
    pub async fn bridge(&self, user_id: UserId, source: &str) -> String {
        let (name, source) = ("test".to_owned(), Some(source.to_owned()));
        let new = NewKey { user_id, name, scope: Scope::Bridge, source, expires_at: None };
        self.engine.people().issue_key(new).await.unwrap().secret
    }

    pub async fn owner(&self) -> UserId {
        self.engine.people().owner().await.unwrap().unwrap().id
    }

    /// A request of the owner.
    pub fn call(&self, method: &str, path: &str) -> Call {
        self.anonymous(method, path).key(&self.key)
    }

    /// An open WebSocket.
    pub async fn socket_of(&self, key: &str) -> Socket {
        Handshake::new(self.address, "/ws").key(key).open().await
    }

    pub fn anonymous(&self, method: &str, path: &str) -> Call {
        Call::tcp(self.address, method, path)
    }

    /// A request through the control socket.
    pub fn control(&self, method: &str, path: &str) -> Call {
        Call::unix(&self.socket, method, path)
    }

    pub async fn main_agent(&self) -> String {
        let agents = self.call("GET", "/v1/agents").send().await.expect(200);
        agents["items"][0]["id"].as_str().unwrap().to_owned()
    }

    /// A session with the agent `main`.
    pub async fn session(&self) -> String {
        self.session_with(&self.main_agent().await).await
    }

    pub async fn session_with(&self, agent: &str) -> String {
        let body = serde_json::json!({ "agent_id": agent });
        let session = self.call("POST", "/v1/sessions").json(&body).send().await.expect(201);
        session["id"].as_str().unwrap().to_owned()
    }
}

impl House {
    /// Waits until there is a place for a person who has no reserve.
    pub async fn until_room(&self) {
        let (_, key) = self.person("Zoe", UserRole::Member).await;
        while self.call("GET", "/v1/me").key(&key).send().await.status == 503 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Words of the owner, for the engine itself.
    pub async fn message(&self, session: &str, text: &str) -> NewMessage {
        NewMessage {
            user_id: self.owner().await,
            session_id: session.parse().unwrap(),
            content: text.to_owned(),
            attachments: Vec::new(),
            typed: false,
            sender: None,
            mode: InputMode::Queue,
            answers: None,
            source: Source::Web,
            model: None,
            idempotency_key: None,
        }
    }

    /// A file of the owner, handed in; gives the id of the upload.
    pub async fn upload(&self, name: &str, kind: &str, content: &[u8]) -> UploadId {
        let head = format!(
            "--xyz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: {kind}\r\n\r\n"
        );
        let body = [head.as_bytes(), content, b"\r\n--xyz--\r\n"].concat();
        let call = self.call("POST", "/v1/uploads").body("multipart/form-data; boundary=xyz", body);
        call.send().await.expect(201)["id"].as_str().unwrap().parse().unwrap()
    }

    /// A turn of the owner to its end, without the server, whose limits a test may have made too narrow for it.
    pub async fn say(&self, session: &str, text: &str) {
        let accepted = self.engine.accept(self.message(session, text).await).await.unwrap();
        self.until_ended(session, accepted.turn_id).await;
    }

    /// Follows a turn of the owner to its end.
    pub async fn until_ended(&self, session: &str, turn: TurnId) {
        let (user, session) = (self.owner().await, session.parse().unwrap());
        let mut turn = self.engine.follow_turn(user, session, turn, 0).await.unwrap();
        while turn.next().await.unwrap().is_some() {}
    }
}

/// Accepted connections have the buffers of the socket that listens.
fn listen(send_buffer: Option<u32>) -> TcpListener {
    let socket = TcpSocket::new_v4().unwrap();
    if let Some(bytes) = send_buffer {
        socket.set_send_buffer_size(bytes).unwrap();
    }
    socket.bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    socket.listen(64).unwrap()
}

async fn engine(
    url: &str,
    (model, free): (&ModelServer, Option<bool>),
    clock: Arc<TestClock>,
    settings: Settings,
) -> Engine {
    let provider = ProviderSettings {
        name: "test".to_owned(),
        wire: Wire::OpenAi,
        base_url: model.url(),
        api_key: None,
        models: vec!["scripted".to_owned()],
        free,
        prices: provider::Prices::default(),
        images: std::collections::BTreeMap::new(),
        origin: Origin::File,
        source: "test".to_owned(),
    };
    let models = ModelsSettings { providers: vec![provider], ..ModelsSettings::default() };
    let parts = Parts {
        store: Store::open(url, MasterKey::from_bytes([7; 32])).await.unwrap(),
        models: Models::new(models),
        registry: Registry::builtin().unwrap(),
        clock,
        node: NodeId::from_uuid(Uuid::now_v7()).into(),
        settings,
    };
    Engine::start(parts).await.unwrap()
}
