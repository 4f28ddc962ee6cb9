//! The turns that run in this process, and how one is told to stop or to look for answers.

use crate::{claim::turn_starter::TurnStarter, engine::Engine};
use domain::{SessionId, TurnId};
use std::{
    collections::HashMap,
    pin::pin,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};
use store::turns::Orphan;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// The turns that run here, or are about to.
#[derive(Default)]
pub(crate) struct Running {
    turns: Mutex<HashMap<TurnId, RunningTurn>>,
    /// Sessions in which a transaction under way may make a turn this node's, with how many of them there are.
    claiming: Mutex<HashMap<SessionId, u32>>,
    /// Notified when one of them is over.
    settled: Notify,
    /// Tells one worker of a turn from the next.
    workers: AtomicU64,
    /// Set once, when the engine starts.
    pub(super) starter: OnceLock<Box<dyn TurnStarter>>,
}

struct RunningTurn {
    session: SessionId,
    worker: u64,
    /// A worker runs it, or is about to. Until then it may never be stored: its message may be one that was sent before.
    is_claimed: bool,
    /// Under which its worker writes; none before there is one.
    epoch: Option<u64>,
    stop: CancellationToken,
    lost: CancellationToken,
    answered: Arc<Notify>,
}

impl Running {
    fn turns(&self) -> MutexGuard<'_, HashMap<TurnId, RunningTurn>> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<SessionId, u32>> {
        self.claiming.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Held from before the transaction that may make a turn this node's until the turn is announced: in between the turn is ours and has
/// no worker, as one that was abandoned.
pub(crate) struct Claiming {
    running: Arc<Running>,
    session: SessionId,
}

impl Drop for Claiming {
    fn drop(&mut self) {
        let mut sessions = self.running.sessions();
        match sessions.get_mut(&self.session) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(sessions.remove(&self.session)),
        }
        drop(sessions);
        self.running.settled.notify_waiters();
    }
}

/// Says that a turn runs here, for as long as it is held: a worker that dies of its turn lets go, and the turn is
/// found and taken up again.
pub(crate) struct Announced {
    running: Arc<Running>,
    turn: TurnId,
    worker: u64,
    pub(crate) stop: CancellationToken,
    /// Cancelled when the turn is another worker's by now, and when the program goes down: nothing more is to be done for it here.
    pub(crate) lost: CancellationToken,
    /// Notified when a question of the turn may have been answered.
    pub(crate) answered: Arc<Notify>,
}

impl Announced {
    /// The turn is stored and a worker begins with it.
    pub(crate) fn note_claim(&self) {
        if let Some(running) = self.running.turns().get_mut(&self.turn) {
            running.is_claimed = true;
        }
    }

    /// A worker begins with the turn, under this epoch.
    pub(crate) fn note_epoch(&self, epoch: u64) {
        if let Some(running) = self.running.turns().get_mut(&self.turn)
            && running.worker == self.worker
        {
            running.epoch = Some(epoch);
        }
    }
}

impl Drop for Announced {
    fn drop(&mut self) {
        let mut turns = self.running.turns();
        // A turn that waited for a person may have its next worker already.
        if turns.get(&self.turn).is_some_and(|running| running.worker == self.worker) {
            turns.remove(&self.turn);
        }
    }
}

impl Engine {
    /// Announces that a turn runs here; the token stops it.
    pub(crate) fn announce(&self, turn: TurnId, session: SessionId) -> Announced {
        let announced = self.announce_before_claim(turn, session);
        announced.note_claim();
        announced
    }

    /// Announces a turn that may start here with the next commit, so that no takeover takes it for abandoned.
    pub(crate) fn announce_before_claim(&self, turn: TurnId, session: SessionId) -> Announced {
        let running = self.state::<Running>();
        let (stop, answered) = (CancellationToken::new(), Arc::new(Notify::new()));
        let lost = self.inner.halt.child_token();
        let worker = running.workers.fetch_add(1, Ordering::Relaxed);
        let here = RunningTurn {
            session,
            worker,
            is_claimed: false,
            epoch: None,
            stop: stop.clone(),
            lost: lost.clone(),
            answered: answered.clone(),
        };
        running.turns().insert(turn, here);
        Announced { running, turn, worker, stop, lost, answered }
    }

    /// See [`Claiming`].
    pub(crate) fn claiming(&self, session: SessionId) -> Claiming {
        let running = self.state::<Running>();
        *running.sessions().entry(session).or_insert(0) += 1;
        Claiming { running, session }
    }

    pub(crate) fn is_claiming(&self, session: SessionId) -> bool {
        self.state::<Running>().sessions().contains_key(&session)
    }

    /// Returns when no transaction of this node is about to claim a turn of the session: a turn of it without a worker is
    /// abandoned then.
    pub(crate) async fn claims_settled(&self, session: SessionId) {
        let running = self.state::<Running>();
        loop {
            let mut settled = pin!(running.settled.notified());
            settled.as_mut().enable();
            if !running.sessions().contains_key(&session) {
                return;
            }
            settled.await;
        }
    }

    /// Tells the worker of a turn, if it is here, to look for answers.
    pub(crate) fn signal_answer(&self, turn: TurnId) {
        if let Some(running) = self.state::<Running>().turns().get(&turn) {
            running.answered.notify_one();
        }
    }

    /// As [`Engine::signal_answer`], for every turn: a person may have answered at another node.
    pub(crate) fn signal_answers(&self) {
        self.state::<Running>().turns().values().for_each(|running| running.answered.notify_one());
    }

    pub(crate) fn signal_stop(&self, turn: TurnId) {
        if let Some(running) = self.state::<Running>().turns().get(&turn) {
            running.stop.cancel();
        }
    }

    /// The turns that have a worker here, and its epoch.
    pub(crate) fn worked_on(&self) -> Vec<(TurnId, u64)> {
        let running = self.state::<Running>();
        let turns = running.turns();
        turns.iter().filter_map(|(turn, running)| Some((*turn, running.epoch?))).collect()
    }

    /// The worker of a turn that has this epoch lets go of it: the turn is another's.
    pub(crate) fn signal_lost(&self, turn: TurnId, epoch: u64) {
        if let Some(running) = self.state::<Running>().turns().get(&turn)
            && running.epoch == Some(epoch)
        {
            running.lost.cancel();
        }
    }

    /// Every worker here lets go of its turn: others may have them.
    pub(crate) fn lose_all(&self) {
        self.state::<Running>().turns().values().for_each(|running| running.lost.cancel());
    }

    /// How many turns run here.
    pub fn running_turns(&self) -> usize {
        self.state::<Running>().turns().len()
    }

    pub(crate) fn any_running(&self) -> bool {
        !self.state::<Running>().turns().is_empty()
    }

    /// Those of these turns that no worker of this process has.
    pub(crate) fn without_worker(&self, mut turns: Vec<Orphan>) -> Vec<Orphan> {
        let running = self.state::<Running>();
        let here = running.turns();
        turns.retain(|orphan| !here.contains_key(&orphan.turn_id));
        turns
    }

    /// A worker of this process has the turn, or will have it. Asked by session, too: a turn hands over to the next one
    /// inside a transaction, while only the first of the two is announced. A message that is only being accepted does not
    /// count there: it may be a repetition of the one whose turn was abandoned.
    pub(crate) fn has_worker(&self, turn: TurnId, session: SessionId) -> bool {
        let running = self.state::<Running>();
        let turns = running.turns();
        turns.contains_key(&turn)
            || turns.values().any(|running| running.session == session && running.is_claimed)
    }
}
