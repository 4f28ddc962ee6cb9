//! A store with a person, an agent and a session in it, and short names for what every case needs.

use domain::*;
use serde_json::json;
use std::sync::atomic::{AtomicU64, Ordering};
use store::{DataKey, MasterKey, Store, Tx, users::NewUser};
use tempfile::TempDir;
use uuid::Uuid;

pub struct World {
    pub store: Store,
    pub url: String,
    pub master: MasterKey,
    pub user: UserId,
    pub key: DataKey,
    pub agent: Agent,
    pub session: SessionId,
    /// The folder of the database, where this test can see it.
    pub folder: Option<TempDir>,
}

/// Ids that grow, as real ones do.
pub fn uuid() -> Uuid {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    Uuid::from_u128(
        0x0198_0000_0000_7000_8000_0000_0000_0000 | u128::from(NEXT.fetch_add(1, Ordering::Relaxed)),
    )
}

pub fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(1_794_729_600_000 + millis)
}

pub fn new_user(name: &str, role: UserRole) -> NewUser {
    NewUser {
        id: UserId::from_uuid(uuid()),
        name: name.to_owned(),
        role,
        password_hash: None,
        time_zone: "Europe/Athens".to_owned(),
        language: "el".to_owned(),
        at: at(0),
    }
}

pub fn new_agent(user: UserId, name: &str) -> Agent {
    Agent {
        id: AgentId::from_uuid(uuid()),
        user_id: user,
        name: name.to_owned(),
        status: AgentStatus::Active,
        model: Some("demo/demo".to_owned()),
        system_prompt: "Be kind.".to_owned(),
        prompt_tree: Some(Box::new(PromptTree {
            nodes: vec![PromptNode::new("rules", "Be brief.")],
            ..PromptTree::default()
        })),
        capabilities: vec![
            "noop".into(),
            CapabilityRef {
                id: "current_time".to_owned(),
                settings: json!({"zone": "UTC"}).as_object().unwrap().clone(),
            },
        ],
        allowed_tools: vec!["*".to_owned()],
        tool_rules: Vec::new(),
        handler: Agent::BASIC_HANDLER.to_owned(),
        markup: domain::MarkupSettings { assertions: true, ..Default::default() },
        parameters: Parameters { temperature: Some(0.5), ..Parameters::default() },
        limits: Limits::default(),
        budget: domain::Budget::NONE,
        shared_with: Vec::new(),
        abilities_version: 0,
        models_version: 0,
        created_at: at(0),
        updated_at: at(0),
    }
}

pub fn new_session(agent: &Agent, name: Option<&str>) -> Session {
    Session {
        id: SessionId::from_uuid(uuid()),
        user_id: agent.user_id,
        name: name.map(str::to_owned),
        agent_id: agent.id,
        handler: None,
        model: None,
        status: SessionStatus::Idle,
        archived: false,
        kind: SessionKind::Own,
        parent_id: None,
        narrowing: None,
        message_count: 0,
        last_seq: 0,
        read_seq: 0,
        last_message: None,
        usage: Usage::ZERO,
        label: Label::TRUSTED_PRIVATE,
        trusted_seq: 0,
        doubted_seq: 0,
        own_files: false,
        memory: true,
        keeping: Keeping::default(),
        created_at: at(0),
        updated_at: at(0),
    }
}

pub fn new_message(turn: TurnId, role: Role, content: &str) -> Message {
    Message {
        content: content.to_owned(),
        parts: vec![Part::Text { text: content.to_owned() }],
        stop_reason: (role == Role::Assistant).then_some(StopReason::Completed),
        ..Message::new(MessageId::from_uuid(uuid()), turn, role, at(0))
    }
}

pub fn turn_id() -> TurnId {
    TurnId::from_uuid(uuid())
}

impl World {
    pub async fn on_sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("majordomo.db").display());
        Self::furnish(url, Some(folder)).await
    }

    pub async fn on_postgres() -> Option<Self> {
        let start =
            || testkit::postgres::Cluster::shared().unwrap().map(|cluster| cluster.database().unwrap());
        let url = tokio::task::spawn_blocking(start).await.unwrap()?;
        Some(Self::furnish(url, None).await)
    }

    async fn furnish(url: String, folder: Option<TempDir>) -> Self {
        let master = MasterKey::random().unwrap();
        let store = Store::open(&url, master.clone()).await.unwrap();
        let owner = new_user("Ada", UserRole::Owner);
        let user = owner.id;
        let vault = store.vault().clone();
        store.write(move |tx: &mut Tx| store::users::create(tx, &vault, owner)).await.unwrap();
        let key = store.data_key(user).await.unwrap();
        let agent = new_agent(user, "main");
        let session = new_session(&agent, Some("first"));
        let id = session.id;
        let (key2, agent2) = (key.clone(), agent.clone());
        store
            .write(move |tx: &mut Tx| {
                store::agents::create(tx, &key2, &agent2)?;
                store::sessions::create(tx, &key2, &session)
            })
            .await
            .unwrap();
        Self { store, url, master, user, key, agent, session: id, folder }
    }

    /// Another person, with an agent and a session of their own.
    pub async fn stranger(&self) -> (UserId, DataKey, Agent, SessionId) {
        let new = new_user(&format!("stranger {}", uuid()), UserRole::Member);
        let user = new.id;
        let vault = self.store.vault().clone();
        self.store.write(move |tx: &mut Tx| store::users::create(tx, &vault, new)).await.unwrap();
        let key = self.store.data_key(user).await.unwrap();
        let agent = new_agent(user, "main");
        let session = new_session(&agent, None);
        let id = session.id;
        let (key2, agent2) = (key.clone(), agent.clone());
        self.store
            .write(move |tx: &mut Tx| {
                store::agents::create(tx, &key2, &agent2)?;
                store::sessions::create(tx, &key2, &session)
            })
            .await
            .unwrap();
        (user, key, agent, id)
    }

    /// Appends entries at the end of the session's log, and counts the messages among them, as a step of a turn does.
    pub async fn append(&self, entries: Vec<store::log::Entry>) -> Vec<Event> {
        let said = entries.iter().filter(|entry| matches!(entry, store::log::Entry::Message(_))).count();
        let events = self.append_log(entries).await;
        let counted = "UPDATE sessions SET message_count = message_count + $2 WHERE id = $1";
        let values = store::args![self.session, u64::try_from(said).unwrap()];
        self.store.write(move |tx: &mut Tx| tx.run(counted, values)).await.unwrap();
        events
    }

    /// Appends entries to the log and does nothing else.
    pub async fn append_log(&self, entries: Vec<store::log::Entry>) -> Vec<Event> {
        let (session, user, key) = (self.session, self.user, self.key.clone());
        self.store
            .write(move |tx: &mut Tx| {
                let count = u64::try_from(entries.len()).unwrap();
                let numbers = store::sessions::take_seq(tx, user, session, count, at(1))?;
                store::log::append(tx, &key, numbers, at(1), entries)
            })
            .await
            .unwrap()
    }

    /// Runs SQL past the modules, as somebody with the disk in their hands would.
    pub async fn tamper(&self, sql: &'static str, args: Vec<store::Arg>) {
        let changed = self.store.write(move |tx: &mut Tx| tx.run(sql, args)).await.unwrap();
        assert!(changed > 0, "the tampering changed nothing: {sql}");
    }

    pub async fn count(&self, table: &str) -> u64 {
        let sql = format!("SELECT COUNT(*) FROM {table}");
        self.store.read(move |tx: &mut Tx| tx.one(&sql, vec![])).await.unwrap()
    }
}
