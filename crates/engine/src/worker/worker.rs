//! [`Worker`] runs one turn, from its claim to its end or until it waits: it hears what happened, asks the machine, and does
//! what the machine says. Its parts do the work and never see it.

use crate::{
    agents::handler::Handler,
    calls::call_table::CallTable,
    claim::{
        claimed::Claimed,
        record::Record,
        running::Announced,
        turn_context::{Inputs, Owner, TurnContext, TurnLost},
    },
    engine::Engine,
    error::{Error, Result},
    follow::feed::{Feed, Feeds},
    model::asking::{Asking, Window},
    store_retry::Patience,
    worker::{
        hooks::HookLog,
        signals::{WorkClock, WorkerSignals},
    },
};
use capability::Registry;
use domain::{Agent, Event};
use provider::{ErrorKind, Model, ProviderError};
use std::{collections::VecDeque, sync::Arc};
use tracing::{Instrument, field};
use turn::Input;

/// The worker of one turn. Lives as long as the turn runs here.
pub(crate) struct Worker {
    pub(crate) turn: Arc<TurnContext>,
    pub(crate) owner: Owner,
    /// The requests to the model.
    pub(crate) asking: Asking,
    /// What is known of the model's context window.
    pub(crate) window: Window,
    /// The calls of the current message.
    pub(crate) calls: CallTable,
    /// What hooks and abilities have added to the turn.
    pub(crate) hooks: HookLog,
    pub(super) signals: WorkerSignals,
    pub(super) clock: WorkClock,
    /// What is stored of the turn, as of the last commit.
    pub(crate) record: Record,
    /// What the machine has not heard yet, in order.
    pub(crate) heard: VecDeque<Input>,
    /// `true`: an earlier worker died, and the next commit says that the turn has started again.
    pub(crate) resumed: bool,
    /// `true`: this worker stops, and the turn is taken up again from what is stored.
    pub(crate) lost: bool,
}

/// What the engine does after a worker has stopped working on its turn.
pub(super) enum AfterTurn {
    /// The transaction that ended the turn has claimed the next one of the session: it runs here.
    Next(Box<Claimed>),
    /// Another turn of the session waits and has not been claimed.
    Waiting,
    /// Nothing. Other nodes take what is left if this node shuts down beside them.
    Nothing,
    /// The turn is not over and has no worker: this node takes it up again.
    Lost,
}

impl Engine {
    /// See [`crate::claim::turn_starter::TurnStarter::run_turn`].
    pub(crate) fn spawn_worker(&self, claimed: Claimed, events: &[Event]) {
        let engine = self.clone();
        let feed = self.state::<Feeds>().get(claimed.session.id);
        self.show(Some(&feed), claimed.session.user_id, claimed.session.id, events);
        let mut next = Some(claimed.announced(self));
        let work = async move {
            // Held until its follower's is taken, so that there is no moment at which this session looks abandoned.
            let mut announced;
            while let Some((claimed, mine)) = next.take() {
                announced = mine;
                let (turn_id, session_id) = (claimed.turn_id, claimed.session.id);
                let span = tracing::info_span!("turn", turn = %turn_id, session = %session_id, outcome = field::Empty);
                let registry = match engine.registry_in_time(&claimed.agent).await {
                    Ok(registry) => registry,
                    Err(error) => {
                        // Who takes it up ends it, if it still cannot be read.
                        tracing::warn!(%error, turn = %turn_id, "abilities cannot be read; the turn is taken up again");
                        drop(announced);
                        return engine.take_up_soon(turn_id);
                    }
                };
                let user_id = claimed.session.user_id;
                announced.note_epoch(claimed.epoch);
                let worker = Worker::new(engine.clone(), claimed, &registry, feed.clone(), &announced);
                match Box::pin(worker.run().instrument(span)).await {
                    AfterTurn::Next(claimed) => next = Some(claimed.announced(&engine)),
                    AfterTurn::Waiting => engine.start_waiting_soon(session_id, user_id),
                    AfterTurn::Nothing => engine.left_to_others(),
                    AfterTurn::Lost => {
                        drop(announced);
                        return engine.take_up_soon(turn_id);
                    }
                }
            }
        };
        self.spawn("turn", work);
    }

    /// What its agent can have, once the database can say so.
    async fn registry_in_time(&self, agent: &Agent) -> Result<Registry> {
        let mut patience = Patience::default();
        loop {
            match self.registry_of(agent).await {
                Err(Error::Store(error)) if error.is_transient() && patience.wait(self, &error).await => {}
                found => return found,
            }
        }
    }
}

impl Worker {
    fn new(
        engine: Engine,
        claimed: Claimed,
        registry: &Registry,
        feed: Arc<Feed>,
        announced: &Announced,
    ) -> Self {
        let (turn, resolved) = TurnContext::new(engine, &claimed, registry, feed);
        let models_version = turn.engine.models().version();
        let model = model_of(&turn.engine, &turn.agent, resolved);
        let owner = Owner::new(&claimed);
        let Claimed { record, recovery, .. } = claimed;
        let mut worker = Self {
            resumed: recovery.as_ref().is_some_and(|recovery| !recovery.woken),
            turn: Arc::new(turn),
            owner,
            asking: Asking::new(model, models_version),
            window: Window::default(),
            calls: CallTable::default(),
            hooks: HookLog::default(),
            signals: WorkerSignals::new(announced),
            clock: WorkClock::start(record.active_ms),
            record,
            heard: VecDeque::new(),
            lost: false,
        };
        if let Some(recovery) = recovery {
            worker.resume(recovery);
        }
        worker
    }

    /// Takes in what a part has for the machine.
    pub(super) fn hear(&mut self, inputs: Inputs) {
        match inputs {
            Ok(inputs) => self.heard.extend(inputs),
            Err(TurnLost) => self.lost = true,
        }
    }
}

/// The model of an agent. An agent that cannot run as it is stored has none: its turn ends with what is wrong.
fn model_of(engine: &Engine, agent: &Agent, resolved: Result<(), String>) -> Result<Model, ProviderError> {
    let wrong = |detail: String| ProviderError::new(ErrorKind::Configuration, detail);
    if Handler::of(&agent.handler).is_none() {
        return Err(wrong(Handler::unknown(&agent.handler)));
    }
    resolved.map_err(wrong)?;
    engine.models().resolve(agent.model.as_deref())
}
