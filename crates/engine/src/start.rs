//! How the engine starts and stops. The only file that knows all rooms.

use crate::{
    bus::tell::NoteTaker,
    claim::{claimed::Claimed, node_state::NodeState, turn_starter::TurnStarter},
    commands::{AgentCommandPort, CommandTools},
    engine::{Engine, Inner, NodeIdentity},
    error::{Error, Result},
    follow::{inlet::Inlet, relay::Relay},
    ids::Ids,
    recovery::{shutdown_beside_others::BESIDE_OTHERS, takeover, turn_signals::TurnSignals, waiting_turn},
    room_state::RoomStates,
    settings::Settings,
    upkeep::{handed_key::KeysElsewhere, people_elsewhere::PeopleElsewhere},
    waiting::errand_delivery,
};
use capability::{Clock, Registry};
use domain::{CapabilityRef, Event, SessionId, TurnId, UserId};
use people::{FirstAgent, People};
use provider::Models;
use std::{
    sync::{Arc, Mutex, OnceLock},
    time::Duration,
};
use store::Store;
use tokio::time::Instant;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// What the engine is assembled from.
pub struct Parts {
    pub store: Store,
    pub models: Models,
    pub registry: Registry,
    pub clock: Arc<dyn Clock>,
    pub node: NodeIdentity,
    pub settings: Settings,
}

/// After the halt: what waits longer waits for something that does not come.
const LONGEST_END: Duration = Duration::from_secs(10);

impl Engine {
    /// Starts the engine. When this returns, everything a dead process left behind is about to be worked on.
    pub async fn start(parts: Parts) -> Result<Self> {
        let engine = Self { inner: Arc::new(assemble(parts)?) };
        engine.set_turn_starter(LaterRooms);
        engine.set_command_port(AgentCommandPort);
        engine.state::<NodeState>().note_start(engine.now());
        engine.register_node().await?;
        if engine.has_other_nodes() {
            engine.people().join_nodes(engine.inner.node);
            engine.people().forget_old_slots().await?;
        }
        let takers: Vec<Box<dyn NoteTaker>> = vec![
            Box::new(Inlet),
            Box::new(Relay),
            Box::new(TurnSignals),
            Box::new(PeopleElsewhere),
            Box::new(KeysElsewhere),
        ];
        engine.open_bus(takers, Box::new(Relay));
        engine.connect_feeds();
        engine.note_own_keys().await?;
        engine.resume_key_change().await?;
        engine.restore_house().await?;
        if engine.inner.settings.turn.takes_up {
            engine.store().keep_room(engine.inner.settings.storage.reserve_bytes);
            engine.clear_drafts().await;
        }
        engine.start_jobs();
        Ok(engine)
    }

    /// Takes no new work, gives running turns `grace` to end, then leaves the rest for the next start. Beside other nodes turns have
    /// longer, and what does not end goes on there at once.
    pub async fn shutdown(&self, grace: Duration) {
        self.inner.going_down.get_or_init(Instant::now);
        self.inner.draining.cancel();
        let leaves = self.begin_drain().await;
        let grace = if leaves { grace * BESIDE_OTHERS } else { grace };
        self.inner.tasks.close();
        let done = async {
            self.inner.tasks.wait().await;
            if leaves {
                self.none_awaited().await;
            }
        };
        if tokio::time::timeout(grace, done).await.is_err() {
            tracing::info!(leaves, "turns still running; they go on at another node, or at the next start");
        }
        if leaves {
            self.leave_the_rest().await;
        }
        self.inner.halt.cancel();
        let ended = async {
            // Jobs first: what they have set going is among the tasks.
            self.join_jobs().await;
            self.inner.tasks.wait().await;
        };
        if tokio::time::timeout(LONGEST_END, ended).await.is_err() {
            tracing::error!(
                "something still waits, most likely for the database; this server stops without it"
            );
        }
        if self.has_given_way() {
            // What has this node's name is another process's.
            return;
        }
        let gone = async {
            self.release_turns().await;
            self.leave_nodes().await;
        };
        if tokio::time::timeout(LONGEST_END, gone).await.is_err() {
            tracing::error!("could not say that this server stops; its turns go on when its lease is over");
        }
    }
}

/// Sets turns going for the rooms before those that can.
struct LaterRooms;

impl TurnStarter for LaterRooms {
    fn run_turn(&self, engine: &Engine, claimed: Claimed, events: &[Event]) {
        engine.spawn_worker(claimed, events);
    }

    fn start_waiting(&self, engine: &Engine, session: SessionId, user: UserId) {
        waiting_turn::start_waiting_soon(engine, session, user);
    }

    fn take_up(&self, engine: &Engine, turn: TurnId) {
        takeover::take_up_soon(engine, turn);
    }

    fn settle_errands(&self, engine: &Engine, turns: Vec<TurnId>) {
        errand_delivery::settle_soon(engine, turns);
    }
}

/// What a person's first agent has: nothing that runs without a question beyond the clock, the files of its conversation, its
/// memory, the search in what its person has, and what it does later.
fn first_capabilities(settings: &Settings) -> Vec<CapabilityRef> {
    let search = settings.outside.searcher.is_some().then_some("web_search");
    ["current_time", "attachments", "knowledge", "search", "schedules"]
        .into_iter()
        .chain(search)
        .map(CapabilityRef::from)
        .collect()
}

fn assemble(parts: Parts) -> Result<Inner> {
    let Parts { store, models, registry, clock, node, settings } = parts;
    let registry = registry.with(Arc::new(CommandTools)).map_err(|error| {
        tracing::error!(%error, "the commands cannot be given to agents");
        Error::Internal
    })?;
    let ids = Ids::new(clock.clone());
    let first = FirstAgent { limits: settings.turn.limits, capabilities: first_capabilities(&settings) };
    let people = People::new(store.clone(), Arc::new(ids.clone()), first, settings.people.password_memory);
    Ok(Inner {
        ids,
        store,
        models,
        registry,
        clock,
        node: node.id,
        identity: node,
        people,
        tasks: TaskTracker::new(),
        draining: CancellationToken::new(),
        going_down: OnceLock::new(),
        robbed_after: Mutex::new(None),
        halt: CancellationToken::new(),
        room_state: RoomStates::default(),
        settings,
    })
}
