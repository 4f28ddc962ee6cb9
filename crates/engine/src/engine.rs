//! The handle that every room has: what the engine is made of. It knows no room; [`crate::start`] puts them together.

use crate::{
    error::{Error, Result},
    ids::Ids,
    room_state::RoomStates,
    settings::Settings,
};
use capability::{Clock, Registry};
use domain::{NodeId, Timestamp};
use futures_util::future::BoxFuture;
use people::People;
use provider::Models;
use std::{
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};
use store::{Store, nodes::AS_LONG_AS_ITS_NODE};
use tokio::{sync::oneshot, time::Instant};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tracing::Instrument as _;
use uuid::Uuid;

/// Which node this process is among those of its database: a data directory and a process.
#[derive(Clone, Debug)]
pub struct NodeIdentity {
    pub id: NodeId,
    /// Names the process.
    pub boot: String,
    /// Of the machine, for people who look for it.
    pub name: String,
    pub version: String,
}

impl From<NodeId> for NodeIdentity {
    fn from(id: NodeId) -> Self {
        let boot = Uuid::now_v7().simple().to_string();
        Self { id, boot, name: String::new(), version: env!("CARGO_PKG_VERSION").to_owned() }
    }
}

/// Cheap to clone; all clones are the same engine.
#[derive(Clone)]
pub struct Engine {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) store: Store,
    pub(crate) models: Models,
    /// What the agents of all people can have.
    pub(crate) registry: Registry,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Ids,
    pub(crate) node: NodeId,
    pub(crate) identity: NodeIdentity,
    pub(crate) settings: Settings,
    pub(crate) people: People,
    pub(crate) tasks: TaskTracker,
    /// Cancelled when no new work is taken any more.
    pub(crate) draining: CancellationToken,
    /// Since when the program goes down.
    pub(crate) going_down: OnceLock<Instant>,
    /// When other nodes may take this node's turns, unless it says again that it is alive. `None`: it saw no others.
    pub(crate) robbed_after: Mutex<Option<std::time::Instant>>,
    /// Cancelled when everything is left as it is, for the next start.
    pub(crate) halt: CancellationToken,
    pub(crate) room_state: RoomStates,
}

impl Engine {
    /// The in-memory state of a room, made when it is first used. Called per turn or per request, not per chunk of a
    /// stream: a task that needs it often keeps the `Arc`.
    pub(crate) fn state<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        self.inner.room_state.get()
    }

    pub fn store(&self) -> &Store {
        &self.inner.store
    }

    pub fn models(&self) -> &Models {
        &self.inner.models
    }

    /// Who is there, and how they prove it.
    pub fn people(&self) -> &People {
        &self.inner.people
    }

    /// What everybody's agents can have.
    pub fn registry(&self) -> &Registry {
        &self.inner.registry
    }

    pub fn now(&self) -> Timestamp {
        self.inner.clock.now()
    }

    /// Is new work taken?
    pub fn is_draining(&self) -> bool {
        self.inner.draining.is_cancelled()
    }

    /// How long the program has been going down; nothing while it does not.
    pub fn going_down_for(&self) -> Duration {
        self.inner.going_down.get().map_or(Duration::ZERO, Instant::elapsed)
    }

    /// This node could not say for too long that it is alive: others may have its turns by now, and it takes none before it has said so.
    pub fn is_cut_off(&self) -> bool {
        let robbed_after = *self.inner.robbed_after.lock().unwrap_or_else(PoisonError::into_inner);
        robbed_after.is_some_and(|end| end < std::time::Instant::now())
    }

    pub(crate) fn check_not_cut_off(&self) -> store::Result<()> {
        match self.is_cut_off() {
            true => Err(store::Error::Unavailable("this server cannot say that it is alive".to_owned())),
            false => Ok(()),
        }
    }

    pub(crate) fn check_open(&self) -> Result<()> {
        match self.is_draining() {
            true => Err(Error::ShuttingDown),
            false => Ok(self.check_not_cut_off()?),
        }
    }

    /// As [`Engine::check_open`], for what brings new work: with a full disk only what has begun goes on.
    pub(crate) fn check_takes_work(&self) -> Result<()> {
        self.check_open()?;
        Ok(self.store().check_room()?)
    }

    /// Runs something in a task of its own, which the shutdown waits for. What it logs is not part of the request that
    /// it came from: it may go on long after that.
    pub(crate) fn spawn(&self, name: &'static str, work: impl Future<Output = ()> + Send + 'static) {
        self.spawn_in(tracing::debug_span!(parent: None, "task", name), Box::pin(work));
    }

    /// As [`Engine::spawn`], and waits for it: a client that hangs up does not stop between a commit and what follows
    /// from it.
    pub(crate) async fn undisturbed<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        let (tell, told) = oneshot::channel();
        self.spawn_in(
            tracing::Span::current(),
            Box::pin(async move {
                // Whether its caller still waits or not.
                drop(tell.send(work.await));
            }),
        );
        told.await.map_err(|_| Error::Internal)?
    }

    /// The machinery of a task is compiled for each type of future that it runs: here for one.
    fn spawn_in(&self, span: tracing::Span, work: BoxFuture<'static, ()>) {
        self.inner.tasks.spawn(work.instrument(span));
    }

    /// Until when a turn that is claimed now is this node's; where there may be other nodes, as long as the node itself is alive. Asked
    /// inside the transaction that claims it: what waits for its turn must not use up the lease.
    pub(crate) fn lease_until(&self) -> Timestamp {
        match self.has_other_nodes() {
            true => AS_LONG_AS_ITS_NODE,
            false => self.now().plus_millis(self.lease_ms()),
        }
    }

    pub(crate) fn lease_ms(&self) -> i64 {
        i64::try_from(self.inner.settings.turn.lease.as_millis()).unwrap_or(i64::MAX)
    }

    /// May other nodes work on this database? Then each of them says every second that it is alive.
    pub(crate) fn has_other_nodes(&self) -> bool {
        self.store().kind() == "postgres"
    }

    /// The time that leases are made and judged by, the same at every node.
    pub(crate) fn lease_time(&self) -> Timestamp {
        self.store().database_time(self.now())
    }

    /// How many turns wait, in all sessions of the house.
    pub async fn queued_turns(&self) -> Result<u64> {
        Ok(self.store().read(store::turns::count_queued).await?)
    }
}
