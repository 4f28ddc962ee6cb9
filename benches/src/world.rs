//! The engine on a fresh SQLite store, with the model that has no latency.

use anyhow::Result;
use capability::{Registry, SystemClock};
use domain::{InputMode, NodeId, SessionId, Source, UserId, UserRole};
use engine::{AgentFields, Change, Engine, NewMessage, NewPerson, NewSession, Parts, Settings};
use provider::{Models, ModelsSettings, Origin, ProviderSettings, Wire};
use std::{net::SocketAddr, sync::Arc};
use store::{MasterKey, Store};
use tempfile::TempDir;
use uuid::Uuid;

pub struct World {
    pub engine: Engine,
    pub user: UserId,
    pub store: Store,
    _folder: TempDir,
}

pub async fn store(folder: &TempDir) -> Result<Store> {
    let url = format!("sqlite:{}", folder.path().join("bench.db").display());
    Ok(Store::open(&url, MasterKey::random()?).await?)
}

/// The engine on this store, with the model that has no latency.
pub async fn engine(store: Store, model: SocketAddr) -> Result<Engine> {
    let provider = ProviderSettings {
        name: "bench".to_owned(),
        wire: Wire::OpenAi,
        base_url: format!("http://{model}/v1"),
        api_key: None,
        models: vec!["none".to_owned()],
        free: Some(true),
        prices: provider::Prices::default(),
        images: std::collections::BTreeMap::new(),
        origin: Origin::File,
        source: "bench".to_owned(),
    };
    let settings = ModelsSettings {
        providers: vec![provider],
        default_model: Some("bench/none".to_owned()),
        probe_local: false,
        ..ModelsSettings::default()
    };
    let engine = Engine::start(Parts {
        store,
        models: Models::new(settings),
        registry: Registry::builtin()?,
        clock: Arc::new(SystemClock),
        node: NodeId::from_uuid(Uuid::now_v7()).into(),
        settings: Settings::default(),
    })
    .await?;
    Ok(engine)
}

impl World {
    pub async fn new(model: SocketAddr) -> Result<Self> {
        Self::at(None, model).await
    }

    /// On the database of this address, which must be empty; else on a file of its own.
    pub async fn at(url: Option<&str>, model: SocketAddr) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let store = match url {
            Some(url) => Store::open(url, MasterKey::random()?).await?,
            None => store(&folder).await?,
        };
        let engine = engine(store.clone(), model).await?;
        let person =
            NewPerson { name: "bench".to_owned(), role: UserRole::Owner, password: None, time_zone: None };
        let user = engine.people().create_person(person).await?.id;
        Ok(Self { engine, user, store, _folder: folder })
    }

    pub async fn session(&self) -> Result<SessionId> {
        let name = format!("agent {}", Uuid::now_v7().as_simple());
        let fields = AgentFields { name: Change::Set(name), ..AgentFields::default() };
        let owner = engine::Principal::operator(self.user, UserRole::Owner);
        let agent = self.engine.create_agent(&owner, fields).await?;
        let new = NewSession::with(agent.id);
        Ok(self.engine.create_session(self.user, new).await?.id)
    }

    /// One plain turn, from acceptance to `turn_ended`, as a reader of its stream sees it.
    pub async fn turn(&self, session: SessionId) -> Result<()> {
        let message = NewMessage {
            user_id: self.user,
            session_id: session,
            content: "x".repeat(300),
            attachments: Vec::new(),
            typed: false,
            sender: None,
            mode: InputMode::Queue,
            answers: None,
            source: Source::Web,
            model: None,
            idempotency_key: None,
        };
        let accepted = self.engine.accept(message).await?;
        let mut reader =
            self.engine.follow_turn(self.user, session, accepted.turn_id, accepted.after).await?;
        while reader.next().await?.is_some() {}
        Ok(())
    }
}
