//! Fires one due time, in one transaction: the row of the run, the conversation if the run has one of its own, the input with its turn, and
//! the next due time.

use super::{
    reckon::{Reckoning, reckon},
    reminder,
};
use crate::{
    bus::node_note::SessionNews,
    claim::{
        input_refusal::InputRefusal,
        new_input::{InputOutcome, NewMessage, PreparedInput, WordsOrigin},
    },
    engine::Engine,
    error::{Error, Result},
    inbox::accept::Arriving,
    schedules::new_schedule::name_of,
    worker::settle_run::count_failure,
};
use domain::{
    Agent, AgentStatus, Event, InputMode, Message, MissedRuns, RunOutcome, RunPlace, Schedule, ScheduleId,
    ScheduleKind, ScheduleState, Session, SessionId, Source, Timestamp, UserId,
};
use store::{
    DataKey, Tx,
    schedules::{self, NewRun},
    sessions, users,
};

/// How a run ended whose conversation was deleted.
const SESSION_GONE: &str = "session_gone";
/// Every so many runs those of long ago are forgotten.
const FORGETS_EVERY: u64 = 64;

/// Why a due time was not fired.
#[derive(Debug, thiserror::Error)]
enum FiringRefusal {
    #[error("another node was first, or the schedule has changed")]
    Elsewhere,
    #[error(transparent)]
    Input(#[from] InputRefusal),
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// What becomes of a due time.
enum DueAction {
    /// A turn. `fresh`: in a conversation that is made for it.
    Run { input: Box<PreparedInput>, fresh: Option<Box<Session>> },
    /// A message in the conversation of a reminder, and no turn.
    Show { session: SessionId, message: Box<Message> },
    /// No turn: it was missed, or cannot run.
    None { outcome: RunOutcome, code: Option<&'static str> },
}

/// One due time on its way into the store.
struct Firing {
    engine: Engine,
    key: DataKey,
    schedule: Schedule,
    /// What the row of the schedule says.
    expected: Timestamp,
    reckoning: Reckoning,
    next: Option<Timestamp>,
    now: Timestamp,
}

impl Engine {
    /// Fires a schedule that is due; `false` when another node did.
    pub(super) async fn fire_one(&self, id: ScheduleId, user: UserId) -> Result<bool> {
        // Not earlier: the shutdown waits for this task, and nothing may begin after it has waited.
        self.check_takes_work()?;
        let (key, vault, now) =
            (self.store().data_key(user).await?, self.store().vault().clone(), self.now());
        let opened = key.clone();
        let read =
            move |tx: &mut Tx| Ok((schedules::get(tx, &opened, user, id)?, users::by_id(tx, &vault, user)?));
        let (Some(schedule), Some(person)) = self.store().read(read).await? else { return Ok(false) };
        let due = schedule.next_at.filter(|due| schedule.state == ScheduleState::Active && *due <= now);
        let Some(expected) = due else { return Ok(false) };
        let reckoning = reckon(&schedule, &person.time_zone, expected, now);
        let runs_out = schedule.plan.max_runs.is_some_and(|most| schedule.runs.saturating_add(1) >= most);
        let firing = Firing {
            engine: self.clone(),
            key,
            expected,
            reckoning,
            next: reckoning.next.filter(|_| !runs_out),
            schedule,
            now,
        };
        let action = firing.action().await?;
        match firing.store(action).await {
            Err(FiringRefusal::Elsewhere) => Ok(false),
            Err(FiringRefusal::Input(InputRefusal::Store(error)) | FiringRefusal::Store(error)) => {
                Err(error.into())
            }
            Err(FiringRefusal::Input(_)) => {
                let full = DueAction::None { outcome: RunOutcome::Failed, code: Some("session_busy") };
                match firing.store(full).await {
                    Ok(()) => Ok(true),
                    Err(FiringRefusal::Store(error)) => Err(error.into()),
                    Err(_) => Ok(false),
                }
            }
            Ok(()) => Ok(true),
        }
    }
}

impl Firing {
    /// What is to be done, as far as it can be said before the transaction.
    async fn action(&self) -> Result<DueAction> {
        let plan = &self.schedule.plan;
        if self.reckoning.is_late && plan.missed == MissedRuns::Skip && !plan.when.is_once() {
            return Ok(DueAction::None { outcome: RunOutcome::SkippedMissed, code: None });
        }
        if self.schedule.kind == ScheduleKind::Reminder {
            let shown = reminder::message(&self.engine, &self.schedule, self.reckoning, self.now).await?;
            let gone = DueAction::None { outcome: RunOutcome::Failed, code: Some(SESSION_GONE) };
            return Ok(shown.map_or(gone, |(session, message)| DueAction::Show { session, message }));
        }
        match self.stage().await {
            Ok((session, agent)) => {
                let fresh = (plan.place == RunPlace::Fresh).then(|| Box::new(session.clone()));
                let input = Box::new(self.input(session, agent)?);
                Ok(DueAction::Run { input, fresh })
            }
            // A missing agent or conversation is a failed run, and no silence.
            Err(error) if error.is_callers() => {
                Ok(DueAction::None { outcome: RunOutcome::Failed, code: Some(code_of(&error)) })
            }
            Err(error) => Err(error),
        }
    }

    /// The conversation in which it runs, and its agent.
    async fn stage(&self) -> Result<(Session, Agent)> {
        let (engine, schedule) = (&self.engine, &self.schedule);
        let (session, agent) = match (schedule.plan.place, schedule.session_id) {
            (RunPlace::Fresh, _) => {
                let agent = engine.agent(schedule.user_id, schedule.agent_id).await?;
                if agent.status == AgentStatus::Archived {
                    return Err(Error::conflict("agent_archived", "This agent is archived."));
                }
                let name = run_name(&schedule.plan.note, self.reckoning.due);
                (engine.blank_session(schedule.user_id, agent.id, Some(name)), agent)
            }
            (_, Some(session)) => engine.staffed(schedule.user_id, session).await?,
            (_, None) => return Err(Error::NotFound("session")),
        };
        engine.keep_up_with(&agent).await?;
        Ok((session, agent))
    }

    fn input(&self, session: Session, agent: Agent) -> Result<PreparedInput> {
        let message = NewMessage {
            user_id: self.schedule.user_id,
            session_id: session.id,
            content: self.words(),
            attachments: Vec::new(),
            typed: true,
            sender: None,
            mode: InputMode::Queue,
            answers: None,
            source: Source::Schedule,
            model: None,
            // The row of the run is what makes it once: a key would be a client's to use up.
            idempotency_key: None,
        };
        let origin = WordsOrigin::Schedule(self.schedule.label);
        self.engine.prepared(self.key.clone(), session, agent, message, Vec::new(), origin)
    }

    /// What the agent is told.
    fn words(&self) -> String {
        let Reckoning { due, missed, is_late, .. } = self.reckoning;
        let Schedule { number, plan, .. } = &self.schedule;
        let late = if is_late { format!(" It is late: now it is {}.", self.now) } else { String::new() };
        let missed = match missed {
            0 => String::new(),
            missed => format!(" {missed} earlier times were missed."),
        };
        format!(
            "[Cron entry {number} has fired] {}\n\nIt was due at {due}.{late}{missed} Act on it now and directly. Do not make new cron \
             entries.",
            plan.note
        )
    }

    async fn store(&self, action: DueAction) -> Result<(), FiringRefusal> {
        let user = self.schedule.user_id;
        let (arriving, fresh) = match &action {
            DueAction::Run { input, fresh } => {
                (Some(Arriving::of(input)), fresh.as_ref().map(|session| session.id))
            }
            DueAction::Show { .. } | DueAction::None { .. } => (None, None),
        };
        let shows = matches!(action, DueAction::Show { .. });
        let (row, key, engine) = (self.row(), self.key.clone(), self.engine.clone());
        if shows {
            fail::fail_point!("reminder_before_commit");
        }
        fail::fail_point!("fire_before_commit");
        let write = move |tx: &mut Tx| row.write(tx, &engine, &key, action);
        let fired = self.engine.store().attempt(write).await?;
        if shows {
            fail::fail_point!("reminder_after_commit");
        }
        fail::fail_point!("fire_after_commit");
        let outcome = match fired {
            Fired::Turn(outcome) => outcome,
            Fired::Shown(session, events) => {
                self.engine.publish(user, session, &events);
                return Ok(());
            }
            Fired::Nothing => return Ok(()),
        };
        let Some(arriving) = arriving else { return Ok(()) };
        if let Some(session) = fresh {
            self.engine.hint_session(user, session, SessionNews::Created);
        }
        if let Err(error) = self.engine.go_on_with(arriving, outcome).await {
            tracing::warn!(%error, "a turn of a schedule was stored and could not be begun; it is found again");
        }
        Ok(())
    }

    fn row(&self) -> DueRow {
        DueRow {
            id: self.schedule.id,
            user: self.schedule.user_id,
            runs: self.schedule.runs,
            expected: self.expected,
            due: self.reckoning.due,
            missed: self.reckoning.missed,
            next: self.next,
            // Beyond its last run it comes as often as its plan says, until it has run.
            next_unless_run: self.reckoning.next,
            now: self.now,
        }
    }
}

/// What the transaction needs of a firing.
#[derive(Clone, Copy)]
struct DueRow {
    id: ScheduleId,
    user: UserId,
    runs: u64,
    expected: Timestamp,
    due: Timestamp,
    missed: u64,
    next: Option<Timestamp>,
    next_unless_run: Option<Timestamp>,
    now: Timestamp,
}

/// What a due time came to, once it is committed.
enum Fired {
    Turn(InputOutcome),
    Shown(SessionId, Vec<Event>),
    Nothing,
}

impl DueRow {
    /// The session before the schedule, as everybody who writes to both.
    fn write(
        self,
        tx: &mut Tx,
        engine: &Engine,
        key: &DataKey,
        action: DueAction,
    ) -> Result<Fired, FiringRefusal> {
        if schedules::fired_before(tx, self.id, self.due)? {
            // An earlier plan of the schedule had this time, too: it was due once.
            self.advance(tx, false)?;
            return Ok(Fired::Nothing);
        }
        match action {
            DueAction::Run { .. } if schedules::has_open(tx, self.id)? => {
                self.skip(tx, RunOutcome::SkippedOverlap, None)?;
                Ok(Fired::Nothing)
            }
            DueAction::Run { input, fresh } => {
                if let Some(session) = fresh {
                    sessions::create(tx, key, &session)?;
                }
                let (turn, session) = (input.input.turn_id, input.session.id);
                let outcome = input.store(tx)?;
                self.advance(tx, true)?;
                let run = NewRun {
                    turn_id: Some(turn),
                    session_id: Some(session),
                    ..self.run(RunOutcome::Running, None)
                };
                schedules::insert_run(tx, &run)?;
                if self.runs % FORGETS_EVERY == FORGETS_EVERY - 1 {
                    schedules::forget_old(tx, self.id)?;
                }
                Ok(Fired::Turn(outcome))
            }
            DueAction::Show { session, message } => {
                let events = reminder::show(tx, key, (self.user, session), *message)?;
                self.advance(tx, true)?;
                let run = NewRun { session_id: Some(session), ..self.run(RunOutcome::Completed, None) };
                schedules::insert_run(tx, &run)?;
                schedules::forget_failures(tx, self.id)?;
                if self.runs % FORGETS_EVERY == FORGETS_EVERY - 1 {
                    schedules::forget_old(tx, self.id)?;
                }
                Ok(Fired::Shown(session, events))
            }
            DueAction::None { outcome, code } => {
                self.skip(tx, outcome, code)?;
                if outcome == RunOutcome::Failed {
                    count_failure(tx, engine, key, self.id, self.now)?;
                }
                Ok(Fired::Nothing)
            }
        }
    }

    fn skip(
        &self,
        tx: &mut Tx,
        outcome: RunOutcome,
        code: Option<&'static str>,
    ) -> Result<(), FiringRefusal> {
        self.advance(tx, false)?;
        schedules::insert_run(tx, &self.run(outcome, code))?;
        Ok(())
    }

    fn advance(&self, tx: &mut Tx, runs: bool) -> Result<(), FiringRefusal> {
        let next = if runs { self.next } else { self.next_unless_run };
        match schedules::advance(tx, self.id, self.expected, next, runs)? {
            true => Ok(()),
            false => Err(FiringRefusal::Elsewhere),
        }
    }

    fn run(&self, outcome: RunOutcome, code: Option<&'static str>) -> NewRun {
        NewRun {
            schedule_id: self.id,
            due_at: self.due,
            fired_at: self.now,
            turn_id: None,
            session_id: None,
            outcome,
            code,
            missed: self.missed,
        }
    }
}

/// What a conversation of one run is called: how its note begins, and the day.
fn run_name(note: &str, due: Timestamp) -> String {
    format!("{}, {}", name_of(note), due.to_utc().format("%Y-%m-%d"))
}

fn code_of(error: &Error) -> &'static str {
    match error {
        Error::NotFound("agent") => "agent_gone",
        Error::NotFound(_) => SESSION_GONE,
        Error::Conflict { code, .. } | Error::Invalid { code, .. } | Error::Forbidden { code, .. } => code,
        _ => "failed",
    }
}
