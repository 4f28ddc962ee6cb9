//! The world of a test: a temporary SQLite store, a scripted model, tools that count, a clock that is set by hand, and
//! an engine on a runtime of its own, so that a test can take it away from one moment to the next.

mod almanac;
mod check;
mod clock;
mod fill;
mod hooks;
mod house;
mod outside;
mod shown;
mod tools;

pub use clock::TestClock;
pub use hooks::{Hooks, Wrong};
pub use house::{House, Site};
pub use outside::{Street, outside};
pub use shown::{shown, shown_live, texts, types};
pub use tools::Tools;

use domain::{
    AgentId, Answers, CapabilityRef, Cursor, Envelope, EnvelopeBody, Event, InputMode, Limits,
    MarkupSettings, Message, NodeId, Session, SessionId, Source, TurnId, UserId, UserRole,
};
use engine::{
    Accepted, AgentFields, Change, Engine, NewMessage, NewPerson, NewSession, Principal, Reader, Settings,
    Start,
};
use provider::{Prices, Wire};
use std::{sync::Arc, time::Duration};
use store::{Store, log::EventFilter, messages::MessagePage};
use tempfile::TempDir;
use testkit::model::ModelServer;
use uuid::Uuid;

/// Nothing in these tests takes this long unless it hangs.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A third of it is when the engine looks after its leases by itself.
pub const LEASE: Duration = Duration::from_secs(600);

pub struct World {
    pub model: ModelServer,
    pub tools: Tools,
    pub hooks: Hooks,
    pub clock: Arc<TestClock>,
    /// The test's own look at the database, whoever else uses it.
    pub store: Store,
    pub user: UserId,
    pub agent: AgentId,
    pub session: SessionId,
    pub house: House,
    pub site: Site,
    _folder: TempDir,
}

/// What a test wants to be different.
pub struct Setup {
    pub settings: Settings,
    pub limits: Limits,
    pub system_prompt: String,
    /// Most tests are about words; those about more say so.
    pub markup: MarkupSettings,
    pub time_zone: Option<String>,
    pub stall: Duration,
    pub window: Option<u64>,
    pub wire: Wire,
    /// Of a database that is there already; a new SQLite file otherwise.
    pub url: Option<String>,
    pub prices: Prices,
}

impl Default for Setup {
    fn default() -> Self {
        // Nothing that happens by itself happens while a test waits: it would hide what should have happened at once.
        let mut settings = Settings::default();
        settings.turn.lease = LEASE;
        settings.files.search_time = PATIENCE;
        settings.turn.policy.first_delay_ms = 1;
        // Most tests are about something else than summaries.
        let limits = Limits { compact_at: 0, ..Limits::default() };
        let system_prompt = "You are the butler.".to_owned();
        let markup = MarkupSettings::OFF;
        Self {
            settings,
            limits,
            system_prompt,
            markup,
            time_zone: None,
            stall: 10 * PATIENCE,
            window: None,
            wire: Wire::OpenAi,
            url: None,
            prices: Prices::default(),
        }
    }
}

pub fn node(number: u128) -> NodeId {
    NodeId::from_uuid(Uuid::from_u128(number))
}

impl World {
    pub async fn new() -> Self {
        Self::with(|_| {}).await
    }

    /// As [`with`](Self::with), on SQLite or with a database of its own on PostgreSQL.
    pub async fn on(is_postgres: bool, change: impl FnOnce(&mut Setup)) -> Self {
        let url = if is_postgres { postgres().await } else { None };
        let with_url = |setup: &mut Setup| {
            setup.url = url;
            change(setup);
        };
        Self::with(with_url).await
    }

    pub async fn with(change: impl FnOnce(&mut Setup)) -> Self {
        let mut setup = Setup::default();
        change(&mut setup);
        let folder = TempDir::new().unwrap();
        let model = ModelServer::start().await;
        price_and_window(&model, setup.window);
        let site = Site {
            url: setup
                .url
                .clone()
                .unwrap_or_else(|| format!("sqlite:{}", folder.path().join("test.db").display())),
            base_url: if setup.wire == Wire::OpenAi { model.url() } else { model.root_url() },
            wire: setup.wire,
            tools: Tools::default(),
            hooks: Hooks::default(),
            clock: Arc::default(),
            settings: setup.settings.clone(),
            stall: setup.stall,
            prices: setup.prices.clone(),
        };
        let house = House::start(node(1), &site).await;
        let (user, agent, session) = people(&house.engine, &setup).await;
        Self {
            model,
            tools: site.tools.clone(),
            hooks: site.hooks.clone(),
            clock: site.clock.clone(),
            store: site.open().await,
            user,
            agent,
            session,
            house,
            site,
            _folder: folder,
        }
    }

    /// One on SQLite, and one on PostgreSQL where there is a server.
    pub async fn of_both_kinds() -> Vec<Self> {
        let mut worlds = vec![Self::new().await];
        if let Some(url) = postgres().await {
            worlds.push(Self::with(|setup| setup.url = Some(url)).await);
        }
        worlds
    }

    pub fn engine(&self) -> &Engine {
        &self.house.engine
    }

    /// Another engine on the same database.
    pub async fn house(&self, node: NodeId) -> House {
        House::start(node, &self.site).await
    }

    /// The process dies and is started again.
    pub async fn crash(&mut self) {
        self.house.kill().await;
        self.house = self.house(self.house.node).await;
    }

    /// The process goes down in good order and is started again.
    pub async fn restart(&mut self) {
        self.house.shutdown(Duration::ZERO).await;
        self.house = self.house(self.house.node).await;
    }

    pub fn message(&self, text: &str) -> NewMessage {
        NewMessage {
            user_id: self.user,
            session_id: self.session,
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

    pub async fn send(&self, message: NewMessage) -> engine::Result<Accepted> {
        self.house.on(|engine| async move { engine.accept(message).await }).await
    }

    pub async fn post(&self, text: &str) -> Accepted {
        self.send(self.message(text)).await.unwrap()
    }

    /// What its author was shown, answered in words.
    pub async fn reply(&self, answers: Answers, text: &str) -> engine::Result<Accepted> {
        self.send(NewMessage { answers: Some(answers), ..self.message(text) }).await
    }

    pub async fn steer(&self, text: &str) -> Accepted {
        self.send(NewMessage { mode: InputMode::Steer, ..self.message(text) }).await.unwrap()
    }

    pub async fn abort(&self) -> Option<TurnId> {
        let (user, session) = (self.user, self.session);
        self.house.on(|engine| async move { engine.abort(user, session, None).await }).await.unwrap()
    }

    pub async fn retry(&self) -> engine::Result<(TurnId, u64)> {
        let (user, session) = (self.user, self.session);
        self.house.on(|engine| async move { engine.retry(user, session).await }).await
    }

    /// Posts a message and follows its turn to the end.
    pub async fn run(&self, text: &str) -> Vec<Envelope> {
        let accepted = self.post(text).await;
        self.turn(accepted.turn_id, accepted.after).await
    }

    pub async fn turn(&self, turn: TurnId, after: u64) -> Vec<Envelope> {
        let reader = self.engine().follow_turn(self.user, self.session, turn, after).await.unwrap();
        rest(reader).await
    }

    /// Waits for the end of a turn.
    pub async fn ended(&self, accepted: Accepted) -> Vec<Envelope> {
        self.turn(accepted.turn_id, accepted.after).await
    }

    pub async fn follow(&self, start: Start) -> engine::Result<Reader> {
        self.engine().follow(self.user, self.session, start).await
    }

    pub async fn follow_from(&self, seq: u64) -> Reader {
        self.follow(Start::After(Cursor { seq, offset: 0 })).await.unwrap()
    }

    /// The whole log.
    pub async fn log(&self) -> Vec<Event> {
        let engine = self.engine();
        let (mut log, mut after) = (Vec::new(), 0);
        loop {
            let all = EventFilter::default();
            let piece = engine.events(self.user, self.session, (after, 100_000), all).await;
            let (frames, more) = piece.unwrap();
            after = frames.last().map_or(after, engine::Frame::seq);
            log.extend(frames.iter().map(event));
            if !more {
                return log;
            }
        }
    }

    pub async fn messages(&self) -> Vec<Message> {
        let (mut all, mut after) = (Vec::new(), 0);
        loop {
            let page = MessagePage { before_seq: None, after_seq: Some(after), limit: 100_000 };
            let piece = self.engine().messages(self.user, self.session, page).await.unwrap();
            all.extend(piece.items);
            match piece.next_cursor {
                Some(cursor) => after = cursor.parse().unwrap(),
                None => return all,
            }
        }
    }

    /// Whose house it is, at its terminal.
    pub fn me(&self) -> Principal {
        Principal::operator(self.user, UserRole::Owner)
    }

    pub async fn session(&self) -> Session {
        self.engine().session(self.user, self.session).await.unwrap()
    }
}

/// A fresh database of PostgreSQL, if there is a server.
pub async fn postgres() -> Option<String> {
    let start = || testkit::postgres::Cluster::shared().unwrap().map(|cluster| cluster.database().unwrap());
    tokio::task::spawn_blocking(start).await.unwrap()
}

async fn people(engine: &Engine, setup: &Setup) -> (UserId, AgentId, SessionId) {
    let (name, time_zone) = ("Ada".to_owned(), setup.time_zone.clone());
    let person = NewPerson { name, role: UserRole::Owner, password: None, time_zone };
    let user = engine.people().create_person(person).await.unwrap().id;
    let fields = AgentFields {
        name: Change::Set("butler".to_owned()),
        system_prompt: Change::Set(setup.system_prompt.clone()),
        capabilities: Change::Set(["test_math", "workshop"].map(CapabilityRef::from).to_vec()),
        limits: Change::Set(setup.limits),
        markup: Change::Set(setup.markup),
        ..AgentFields::default()
    };
    let agent = engine.create_agent(&Principal::operator(user, UserRole::Owner), fields).await.unwrap().id;
    let session = engine.create_session(user, NewSession::with(agent)).await.unwrap().id;
    (user, agent, session)
}

/// One dollar per million tokens in, ten out, and a window of this size.
fn price_and_window(model: &ModelServer, window: Option<u64>) {
    let pricing = serde_json::json!({ "prompt": "0.000001", "completion": "0.00001" });
    let window = window.unwrap_or(128_000);
    let sees = serde_json::json!({ "input_modalities": ["text", "image"] });
    let entry = serde_json::json!({
        "id": "scripted", "context_length": window, "pricing": pricing, "architecture": sees
    });
    let list = serde_json::json!({ "object": "list", "data": [entry] });
    let reply = testkit::model::Reply::raw(list.to_string()).content_type("application/json");
    model.models_reply(reply);
}

/// A durable event, as clients read it.
pub fn event(frame: &engine::Frame) -> Event {
    let Envelope { seq, at, session_id, turn_id, body, .. } = frame.envelope().unwrap();
    let EnvelopeBody::Durable(body) = body else { panic!("{body:?} is not durable") };
    Event { seq, at, session_id, turn_id, body }
}

/// Everything a reader still has to say; ends with the end of its turn.
pub async fn rest(mut reader: Reader) -> Vec<Envelope> {
    let mut all = Vec::new();
    while let Some(envelope) = next(&mut reader).await {
        all.push(envelope);
    }
    all
}

pub async fn next(reader: &mut Reader) -> Option<Envelope> {
    let frame = tokio::time::timeout(PATIENCE, reader.next()).await.expect("nothing came").unwrap();
    frame.map(|frame| frame.envelope().unwrap())
}

/// Reads on until `wanted`, which is the last of what is returned.
pub async fn until(reader: &mut Reader, wanted: impl Fn(&Envelope) -> bool) -> Vec<Envelope> {
    let mut all = Vec::new();
    loop {
        let envelope = next(reader).await.expect("the stream ended early");
        all.push(envelope);
        if all.last().is_some_and(&wanted) {
            return all;
        }
    }
}

/// Reads on until an event of this type.
pub async fn until_type(reader: &mut Reader, name: &str) -> Vec<Envelope> {
    until(reader, |envelope| envelope.type_name() == name).await
}

/// Reads on until the open message has at least this text.
pub async fn until_text(reader: &mut Reader, text: &str) -> Vec<Envelope> {
    let mut all = Vec::new();
    while !texts(&all).ends_with(text) {
        all.push(next(reader).await.expect("the stream ended early"));
    }
    all
}
