//! Programs, for a call: a cage with the session's files, and what they became stored together with what was said.
//!
//! A run has an effect and is never repeated. What it leaves behind is committed with a receipt, so that the worker that takes
//! up the turn after a crash finds its result; a run that has no receipt has no result that the server knows.

use crate::{
    claim::turn_context::TurnContext,
    engine::Engine,
    follow::feed::Feed,
    ports::{
        for_call::CallNotes,
        http::narrowed,
        live_output::LiveOutput,
        output_order::{self, NotedOrder, Spoken},
    },
    reply::shorten::cut,
    store_retry::Tries,
};
use async_trait::async_trait;
use capability::{NotKept, ProcessError, Processes, Ran, Reach, Run, RunEnd};
use domain::{CallId, FilePath, Label, SessionId, TurnId};
use prompt::provenance_label::SeenLabel;
use sandbox::{
    egress,
    process::{self, Cage, Exit, Network, Piece, ProcessOutcome, Spec, Way},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};
use store::{
    DataKey, Tx, calls,
    session_files::{self as rows, Applied, Change, Leavings, Prepared, Versions},
    turns,
};
use tokio::sync::{Semaphore, mpsc};

/// Runs at the same time, of everybody in the house.
const AT_ONCE: usize = 8;
/// Of what a run says, the model is told this much.
pub(crate) const OUTPUT_CHARS: usize = 8_000;
const ERROR_CHARS: usize = 4_000;
/// Pieces of output that may wait for the feed.
const PIECES: usize = 64;

/// Who runs what, in this process.
pub(crate) struct Runs {
    room: Semaphore,
    sessions: Mutex<HashMap<SessionId, Weak<tokio::sync::Mutex<()>>>>,
}

impl Default for Runs {
    fn default() -> Self {
        Self { room: Semaphore::new(AT_ONCE), sessions: Mutex::default() }
    }
}

impl Runs {
    /// Two runs of one session would each bring back files that the other has changed.
    fn of(&self, session: SessionId) -> Arc<tokio::sync::Mutex<()>> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = sessions.get(&session).and_then(Weak::upgrade) {
            return lock;
        }
        sessions.retain(|_, lock| lock.strong_count() > 0);
        let lock = Arc::default();
        sessions.insert(session, Arc::downgrade(&lock));
        lock
    }
}

/// On behalf of which call: none of it comes from what a model wrote.
pub(crate) struct CallProcesses {
    engine: Engine,
    key: DataKey,
    session: SessionId,
    turn: TurnId,
    epoch: u64,
    call: CallId,
    feed: Arc<Feed>,
    /// Whatever is in the cage is in what it says, and in what it writes.
    seen: SeenLabel,
    /// Of everything that the gate knew of when it let the call run.
    weighed: Label,
    /// Of what the program said, for the call's result.
    order: NotedOrder,
}

/// What is kept of a run until its result is stored.
#[derive(Serialize, Deserialize)]
struct Receipt {
    ran: Ran,
    label: Label,
}

impl CallProcesses {
    pub(crate) fn new(turn: &TurnContext, call: CallId, notes: &CallNotes) -> Self {
        Self {
            engine: turn.engine.clone(),
            key: turn.key.clone(),
            session: turn.session.id,
            turn: turn.turn_id,
            epoch: turn.epoch,
            call,
            feed: turn.feed.clone(),
            seen: notes.seen.clone(),
            weighed: notes.weighed,
            order: notes.order.clone(),
        }
    }

    fn cage(&self) -> Result<Arc<Cage>, ProcessError> {
        let none = || {
            ProcessError::Failed("programs cannot run on this server; `majordomo doctor` says why".to_owned())
        };
        self.engine.inner.settings.outside.cage.clone().ok_or_else(none)
    }

    /// What the call came to before the program was killed.
    async fn receipt(&self) -> Result<Option<Receipt>, ProcessError> {
        let (key, turn, call) = (self.key.clone(), self.turn, self.call);
        let read = move |tx: &mut Tx| calls::receipt(tx, &key, turn, call);
        let found = self.read(read).await.map_err(broken)?;
        let unread = |_| broken(store::Error::Corrupt("calls.receipt".to_owned()));
        found.map(serde_json::from_value).transpose().map_err(unread)
    }

    /// With which writing of each it is: a change by another writer while the run goes on is not overwritten.
    async fn files(&self) -> Result<(Vec<process::File>, Versions), ProcessError> {
        let (key, session) = (self.key.clone(), self.session);
        let read = move |tx: &mut Tx| {
            let (mut files, mut label) = (Vec::new(), Label::TRUSTED_PUBLIC);
            let (infos, versions) = rows::all_with_versions(tx, &key, session)?;
            for info in infos.into_iter().filter(|info| !info.is_directory) {
                let bytes = rows::bytes(tx, &key, session, &info.path)?;
                files.push(process::File { path: info.path.to_string(), bytes });
                label = label.join(info.label);
            }
            Ok((files, versions, label))
        };
        let unread = |_| ProcessError::Failed(UNREAD.to_owned());
        let (files, versions, label) = self.read(read).await.map_err(unread)?;
        self.seen.add(label);
        Ok((files, versions))
    }

    /// Tried some times: the program has not been started.
    async fn read<T: Send + 'static>(
        &self,
        read: impl Fn(&mut Tx) -> store::Result<T> + Clone + Send + 'static,
    ) -> store::Result<T> {
        let mut tries = Tries::default();
        loop {
            match self.engine.store().read(read.clone()).await {
                Err(error) if error.is_transient() && tries.again(&self.engine, &error).await => {}
                read => return read,
            }
        }
    }

    /// THREAT[label-07] A file that came after the decision is none that was decided about.
    fn check_unchanged(&self, hosts: &[String]) -> Result<(), ProcessError> {
        match hosts.is_empty() || self.weighed.join(self.seen.label()) == self.weighed {
            true => Ok(()),
            false => Err(ProcessError::Failed(
                "the files of this conversation have changed since this call was approved; make the call again"
                    .to_owned(),
            )),
        }
    }

    fn network(&self, hosts: &[String]) -> Result<Network, ProcessError> {
        if hosts.is_empty() {
            return Ok(Network::Off);
        }
        let outside = &self.engine.inner.settings.outside;
        let reach = Reach { hosts: Some(hosts.to_vec()), denied_hosts: Vec::new() };
        let policy =
            narrowed(&outside.policy, &reach).map_err(|error| ProcessError::Failed(error.to_string()))?;
        // Strangers wrote it, for everybody; but what is at home is not for everybody.
        self.seen.add(if policy.reaches_private() { Label::WORST } else { Label::UNTRUSTED_PUBLIC });
        let no_way = || ProcessError::Failed(NO_WAY.to_owned());
        let egress = outside.egress.clone().ok_or_else(no_way)?;
        let limits =
            egress::Limits { first_byte: std::time::Duration::from_secs(30), ..egress::Limits::default() };
        Ok(Network::Through(Box::new(Way { egress, policy, limits })))
    }

    /// Passes on what it says, until it has ended.
    async fn carry_out(&self, cage: &Cage, spec: Spec) -> Result<ProcessOutcome, ProcessError> {
        let (sender, mut pieces) = mpsc::channel(PIECES);
        let most = spec.limits.output;
        let failed = |error: sandbox::Error| ProcessError::Failed(error.to_string());
        let ended = cage.start(spec, Some(sender)).map_err(failed)?.wait();
        let lost = |error: sandbox::Error| ProcessError::Unknown(format!("{RAN}: {error}. {CHECK}"));
        tokio::pin!(ended);
        // By what is secret when it begins; its result is looked at once more when it is stored.
        let mut voice = Some(LiveOutput::new(|| self.engine.scrubber(), most));
        let outcome = loop {
            tokio::select! {
                biased;
                Some(piece) = pieces.recv() => self.tell(&mut voice, Some(&piece)),
                outcome = &mut ended => break outcome,
            }
        };
        while let Ok(piece) = pieces.try_recv() {
            self.tell(&mut voice, Some(&piece));
        }
        self.tell(&mut voice, None);
        outcome.map_err(lost)
    }

    /// A piece, or what is left at the end; nothing any more once there is no room for it.
    fn tell(&self, told: &mut Option<LiveOutput>, piece: Option<&Piece>) {
        let Some(voice) = told else { return };
        let text = match piece {
            Some(piece) => voice.text(piece),
            None => voice.rest(),
        };
        if !text.is_empty() && !self.feed.push_output(self.call, self.turn, &text) {
            *told = None;
        }
    }

    /// Files and result in one transaction, unless the turn is another worker's by now.
    async fn store(&self, mut outcome: ProcessOutcome, since: Versions) -> Result<Ran, ProcessError> {
        let mut ran = self.told(&mut outcome);
        let (written, deleted) = self.changes(std::mem::take(&mut outcome.changes), &mut ran)?;
        let leavings = Arc::new(Leavings { written, deleted, since });
        let (label, limits) = (self.seen.label(), self.engine.inner.settings.files.session);
        let change = Change { limits, read_only: None, label, at: self.engine.now() };
        let (key, session) = (self.key.clone(), self.session);
        let (turn, epoch, call) = (self.turn, self.epoch, self.call);
        let mut tries = Tries::default();
        fail::fail_point!("run_before_commit");
        let stored = loop {
            let (key, leavings, mut ran) = (key.clone(), leavings.clone(), ran.clone());
            let write = move |tx: &mut Tx| {
                turns::fence(tx, turn, epoch)?;
                // A try whose end was not heard of may have been the one.
                if let Some(kept) = calls::receipt(tx, &key, turn, call)? {
                    let unread = |_| store::Error::Corrupt("calls.receipt".to_owned());
                    return serde_json::from_value::<Receipt>(kept).map(|kept| kept.ran).map_err(unread);
                }
                match rows::apply(tx, &key, session, &leavings, change)? {
                    Ok(applied) => note(applied, &mut ran),
                    Err(refused) => ran.no_room = Some(refused),
                }
                let receipt = Receipt { ran, label };
                calls::note_receipt(tx, &key, call, &serde_json::json!(receipt))?;
                Ok(receipt.ran)
            };
            match self.engine.store().write(write).await {
                Err(error) if error.is_transient() && tries.again(&self.engine, &error).await => {}
                stored => break stored,
            }
        };
        fail::fail_point!("run_after_commit");
        stored.map_err(|error| {
            tracing::error!(call = %self.call, %error, "what a program left could not be stored");
            ProcessError::Unknown(unkept(&ran))
        })
    }

    /// Secrets go before anything is cut: half of one is too much of it.
    fn told(&self, outcome: &mut ProcessOutcome) -> Ran {
        let end = match outcome.exit {
            Exit::Code(code) => RunEnd::Code(code),
            Exit::TimedOut => RunEnd::TimedOut,
            Exit::OutOfMemory => RunEnd::OutOfMemory,
            Exit::TooManyFiles => RunEnd::TooManyFiles,
            Exit::Cancelled => RunEnd::Cancelled,
        };
        let output = self.engine.said_without_secrets(&mut outcome.output);
        let errors = self.engine.said_without_secrets(&mut outcome.errors);
        let spoken = [
            Spoken { captured: &outcome.output, clean: &output, most: OUTPUT_CHARS },
            Spoken { captured: &outcome.errors, clean: &errors, most: ERROR_CHARS },
        ];
        let order = output_order::order(&outcome.order, &spoken, |text| self.engine.without_secrets(text));
        let left_out = outcome.left_out.iter();
        Ran {
            end,
            output: cut(output, OUTPUT_CHARS),
            errors: cut(errors, ERROR_CHARS),
            order,
            took_ms: u64::try_from(outcome.took.as_millis()).unwrap_or(u64::MAX),
            written: Vec::new(),
            deleted: Vec::new(),
            not_kept: left_out
                .map(|left| NotKept { path: format!("/{}", left.path), why: left.why.to_owned() })
                .collect(),
            no_room: None,
        }
    }

    /// Sealed before the transaction begins. A name that no file of a session can have is told.
    fn changes(
        &self,
        changes: Vec<process::Change>,
        ran: &mut Ran,
    ) -> Result<(Vec<Prepared>, Vec<FilePath>), ProcessError> {
        let (mut written, mut deleted) = (Vec::new(), Vec::new());
        for change in changes {
            let (path, bytes) = match change {
                process::Change::Written { path, bytes } => (path, Some(bytes)),
                process::Change::Deleted { path } => (path, None),
            };
            let Ok(parsed) = format!("/{path}").parse::<FilePath>() else {
                let why = "its name cannot be used for a file of a conversation".to_owned();
                ran.not_kept.push(NotKept { path, why });
                continue;
            };
            match bytes {
                Some(bytes) => {
                    written.push(Prepared::new(&self.key, self.session, parsed, &bytes).map_err(broken)?);
                }
                None => deleted.push(parsed),
            }
        }
        Ok((written, deleted))
    }
}

const NO_WAY: &str = "nothing was run: programs have no network on this server";
const UNREAD: &str = "nothing was run: the files of this conversation cannot be read. Try again later";
const RAN: &str = "outcome unknown: the program ran, but its files could not be saved";
const CHECK: &str = "Check whether it had an effect before you run it again";

/// What it said is all that is left of it.
fn unkept(ran: &Ran) -> String {
    let Ran { end, output, errors, .. } = ran;
    format!(
        "{RAN} because the database cannot store anything at the moment. {CHECK}. It ended with {end:?} and said:\n{output}\n{errors}"
    )
}

fn note(applied: Applied, ran: &mut Ran) {
    let shown = |paths: Vec<FilePath>| paths.iter().map(ToString::to_string).collect();
    ran.written = shown(applied.written);
    ran.deleted = shown(applied.deleted);
    let kept = |path: &FilePath, why: &str| NotKept { path: path.to_string(), why: why.to_owned() };
    ran.not_kept.extend(applied.read_only.iter().map(|path| kept(path, "it is read-only")));
    let meanwhile = "it was changed while this program ran";
    let beside = |(path, other): &(FilePath, FilePath)| {
        kept(path, &format!("{meanwhile}; the version of this program is in \"{other}\""))
    };
    ran.not_kept.extend(applied.moved.iter().map(beside));
    ran.not_kept
        .extend(applied.left.iter().map(|path| kept(path, &format!("{meanwhile}, so it was left as it is"))));
}

#[async_trait]
impl Processes for CallProcesses {
    async fn run(&self, run: Run) -> Result<Ran, ProcessError> {
        if let Some(Receipt { ran, label }) = self.receipt().await? {
            self.seen.add(label);
            self.order.note(&ran.order);
            return Ok(ran);
        }
        let cage = self.cage()?;
        let runs = self.engine.state::<Runs>();
        let lock = runs.of(self.session);
        let _alone = lock.lock().await;
        let _room = runs.room.acquire().await;
        let mut spec = Spec::new(run.command);
        spec.input = run.input;
        spec.folder = run.folder;
        let (files, since) = self.files().await?;
        spec.files = files;
        self.check_unchanged(&run.hosts)?;
        spec.network = self.network(&run.hosts)?;
        spec.limits = process::Limits { wall: run.time, cpu: run.time, ..process::Limits::default() };
        let outcome = self.carry_out(&cage, spec).await?;
        let ran = self.store(outcome, since).await?;
        self.order.note(&ran.order);
        Ok(ran)
    }
}

fn broken(error: store::Error) -> ProcessError {
    ProcessError::Internal(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_session_has_one_lock() {
        let (runs, session) = (Runs::default(), |number| SessionId::from_uuid(uuid::Uuid::from_u128(number)));
        let first = runs.of(session(1));
        assert!(Arc::ptr_eq(&first, &runs.of(session(1))));
        assert!(!Arc::ptr_eq(&first, &runs.of(session(2))));
        drop(first);
        let _third = runs.of(session(3));
        assert_eq!(runs.sessions.lock().unwrap().len(), 1, "what no run holds is forgotten");
    }
}
