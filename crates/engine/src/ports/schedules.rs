//! What agents of the person do later, for a call. What a call changes is committed together with a receipt, so it happens once however
//! often the call runs.

use crate::{
    bus::node_note::SessionNews,
    claim::turn_context::TurnContext,
    engine::Engine,
    error::{Error, Result as EngineResult},
    ports::receipt::CallReceipt,
    schedules::{
        new_schedule::{NewSchedule, ScheduleChange, check},
        write::{self, ScheduleRefusal, rights},
    },
};
use async_trait::async_trait;
use capability::{ScheduleDraft, ScheduleEdit, ScheduleError, ScheduleListing, ScheduleWritten, Schedules};
use domain::{
    AgentId, CallId, RunPlace, Schedule, ScheduleId, ScheduleRun, ScheduleState, SessionId, UserId, UserRole,
};
use prompt::provenance_label::SeenLabel;
use serde_json::{Value, json};
use store::{DataKey, Page, Tx, schedules as rows};

/// What a call is told that may not make, change or resume a schedule.
pub(crate) const NOT_LATER: &str = "this can be done only where your person speaks with you: not in the run of a cron entry, not for another \
                                    agent, and not over a bridge.";

/// Whose schedules, and on behalf of which call: none of it comes from what a model wrote.
///
/// THREAT[time-01] They are those of the session's person; and where that person does not speak themself, none is made, changed or resumed.
pub(crate) struct CallSchedules {
    engine: Engine,
    user: UserId,
    agent: AgentId,
    session: SessionId,
    receipt: CallReceipt,
    /// `false`: this turn is told nothing of what the person's agents do later.
    is_there: bool,
    may_act_later: bool,
    /// Whatever the call reads is in what it gives back, and in what it makes.
    seen: SeenLabel,
}

impl CallSchedules {
    pub(crate) fn new(turn: &TurnContext, call: CallId, seen: SeenLabel) -> Self {
        Self {
            engine: turn.engine.clone(),
            user: turn.session.user_id,
            agent: turn.agent.id,
            session: turn.session.id,
            receipt: CallReceipt::new(turn, call),
            is_there: turn.speaks_for_person(),
            may_act_later: turn.may_act_later(),
            seen,
        }
    }

    fn check(&self) -> Result<(), ScheduleError> {
        let words = || ScheduleError::Refused("there are no cron entries in this conversation.".to_owned());
        if self.is_there { Ok(()) } else { Err(words()) }
    }

    /// THREAT[time-03] Guests have no schedules: they could neither see nor stop what an agent made for them.
    async fn check_later(&self) -> Result<(), ScheduleError> {
        if !self.may_act_later {
            return Err(ScheduleError::Refused(NOT_LATER.to_owned()));
        }
        let person = self.engine.people().user(self.user).await.map_err(|error| refused(error.into()))?;
        match person.role {
            UserRole::Guest => Err(ScheduleError::Refused("guests have no schedules.".to_owned())),
            _ => Ok(()),
        }
    }

    async fn named(&self, number: u64) -> Result<ScheduleId, ScheduleError> {
        let user = self.user;
        let found = self.engine.store().read(move |tx: &mut Tx| rows::id_of(tx, user, number)).await;
        found.map_err(broken)?.ok_or(ScheduleError::NotFound)
    }

    async fn home(&self) -> Result<String, ScheduleError> {
        self.engine.home_zone(self.user).await.map_err(refused)
    }

    /// `home`: on whose clock it is said when it comes.
    async fn once(
        &self,
        home: String,
        change: impl Fn(&mut Tx, &DataKey) -> Result<Schedule, ScheduleRefusal> + Send + Sync + 'static,
    ) -> Result<ScheduleWritten, ScheduleError> {
        let written = move |tx: &mut Tx, key: &DataKey| match change(tx, key) {
            Err(ScheduleRefusal::Store(error)) => Err(error),
            Err(refusal) => Ok(Err(refusal)),
            Ok(schedule) => Ok(Ok(json!(said(&schedule, &home)))),
        };
        let done = self.stored(written).await?;
        serde_json::from_value(done).map_err(|_| ScheduleError::Broken("a call made two changes".to_owned()))
    }

    async fn stored(
        &self,
        change: impl Fn(&mut Tx, &DataKey) -> store::Result<Result<Value, ScheduleRefusal>>
        + Send
        + Sync
        + 'static,
    ) -> Result<Value, ScheduleError> {
        fail::fail_point!("schedule_before_commit");
        let done = self.receipt.once(change).await.map_err(broken)?;
        fail::fail_point!("schedule_after_commit");
        let done = done.map_err(|refusal| match self.engine.schedule_refused(refusal) {
            Error::NotFound("schedule") => ScheduleError::NotFound,
            other => refused(other),
        })?;
        self.engine.schedules_changed(self.user);
        Ok(done)
    }

    async fn set_state(&self, number: u64, wanted: ScheduleState) -> Result<ScheduleWritten, ScheduleError> {
        let (user, id, home) = (self.user, self.named(number).await?, self.home().await?);
        let terms = self.engine.write_terms(self.engine.now(), home.clone());
        self.once(home, move |tx, key| write::set_state(tx, key, (user, id), wanted, &terms)).await
    }

    /// With the plan that a change leads to, as far as it can be known before the transaction.
    async fn check_change(&self, id: ScheduleId, change: &ScheduleChange, home: &str) -> EngineResult<()> {
        let before = self.engine.schedule(self.user, id).await?;
        check(&change.clone().of(before.plan), self.engine.now(), home)
    }
}

/// What a call is told of a schedule that it has changed.
fn said(schedule: &Schedule, home: &str) -> ScheduleWritten {
    ScheduleWritten {
        number: schedule.number,
        state: schedule.state,
        next_at: schedule.next_at,
        description: schedule.plan.when.describe(home),
    }
}

fn broken(error: store::Error) -> ScheduleError {
    match error {
        store::Error::Uncertain(_) => ScheduleError::Unknown(
            "outcome unknown: the connection to the database broke while it was being written down. List what is there before \
             you repeat the call"
                .to_owned(),
        ),
        other => ScheduleError::Broken(other.to_string()),
    }
}

fn refused(error: Error) -> ScheduleError {
    match error {
        Error::Store(error) => broken(error),
        error if error.is_callers() => ScheduleError::Refused(error.to_string()),
        error => ScheduleError::Broken(error.to_string()),
    }
}

#[async_trait]
impl Schedules for CallSchedules {
    async fn create(&self, draft: ScheduleDraft) -> Result<ScheduleWritten, ScheduleError> {
        self.check()?;
        self.check_later().await?;
        let ScheduleDraft { when, kind, note, place, missed, max_runs } = draft;
        let is_here = place == RunPlace::Here;
        let new = NewSchedule {
            when,
            kind,
            note: self.engine.without_secrets(note),
            place,
            session_id: is_here.then_some(self.session),
            agent_id: (!is_here).then_some(self.agent),
            missed: Some(missed),
            max_runs,
            typed: false,
        };
        // THREAT[time-02] Of what it was made it is for ever, so that a run is never more trusted than the step that made it.
        let made =
            self.engine.unstored_schedule(self.user, &new, self.seen.label()).await.map_err(refused)?;
        let home = made.terms.home.clone();
        let (user, own) = (self.user, made.own.as_ref().map(|session| session.id));
        let create = move |tx: &mut Tx, key: &DataKey| {
            write::create(tx, key, (made.schedule.clone(), made.own.as_ref()), &made.maker, &made.terms)
        };
        let written = self.once(home, create).await?;
        if let Some(session) = own {
            self.engine.hint_session(user, session, SessionNews::Created);
        }
        Ok(written)
    }

    async fn change(&self, number: u64, edit: ScheduleEdit) -> Result<ScheduleWritten, ScheduleError> {
        self.check()?;
        self.check_later().await?;
        let (user, id, home) = (self.user, self.named(number).await?, self.home().await?);
        let ScheduleEdit { when, note, missed, max_runs } = edit;
        let note = note.map(|note| self.engine.without_secrets(note));
        let change = ScheduleChange { when, note, missed, max_runs, typed: false };
        self.check_change(id, &change, &home).await.map_err(refused)?;
        let maker =
            self.engine.agent_of_schedule(user, id).await.map(|agent| rights(&agent)).map_err(refused)?;
        let (terms, label) = (self.engine.write_terms(self.engine.now(), home.clone()), self.seen.label());
        self.once(home, move |tx, key| {
            let change = (change.clone(), |before: domain::Label| before.join(label));
            write::change(tx, key, (user, id), change, (&maker, &terms))
        })
        .await
    }

    async fn resume(&self, number: u64) -> Result<ScheduleWritten, ScheduleError> {
        self.check()?;
        self.check_later().await?;
        self.set_state(number, ScheduleState::Active).await
    }

    async fn pause(&self, number: u64) -> Result<ScheduleWritten, ScheduleError> {
        self.check()?;
        self.set_state(number, ScheduleState::Paused).await
    }

    async fn delete(&self, number: u64) -> Result<(), ScheduleError> {
        self.check()?;
        let user = self.user;
        let delete = move |tx: &mut Tx, _: &DataKey| {
            let Some(id) = rows::id_of(tx, user, number)? else { return Ok(Err(ScheduleRefusal::NotFound)) };
            rows::delete(tx, user, id)?;
            Ok(Ok(json!(number)))
        };
        self.stored(delete).await.map(drop)
    }

    async fn list(&self, most: u32) -> Result<ScheduleListing, ScheduleError> {
        self.check()?;
        let home = self.home().await?;
        let page = self.engine.schedules(self.user, Page::first(most)).await.map_err(refused)?;
        page.items.iter().for_each(|schedule| self.seen.add(schedule.label));
        let described = |schedule: Schedule| {
            let words = schedule.plan.when.describe(&home);
            (schedule, words)
        };
        Ok(ScheduleListing { schedules: page.items.into_iter().map(described).collect(), total: page.total })
    }

    async fn runs(&self, number: u64, most: u32) -> Result<Vec<ScheduleRun>, ScheduleError> {
        self.check()?;
        let id = self.named(number).await?;
        let page = self.engine.schedule_runs(self.user, id, Page::first(most)).await;
        Ok(page.map_err(refused)?.items)
    }
}
