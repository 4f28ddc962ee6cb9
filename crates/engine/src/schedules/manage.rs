//! What a person does with their schedules: makes, changes, pauses, resumes and deletes them, and looks what came of them.

use super::{
    new_schedule::{NewSchedule, ScheduleChange, SchedulePreview, check, check_when, name_of},
    write::{self, NOUN, ScheduleRefusal, WriteTerms, rights},
};
use crate::{
    bus::node_note::SessionNews,
    engine::Engine,
    error::{Error, Result},
    idempotency_key,
    wake_ups::WakeUp,
};
use domain::{
    Agent, AgentStatus, Label, RunPlace, Schedule, ScheduleId, ScheduleKind, ScheduleRun, ScheduleState,
    Session, Timestamp, UserId, When, schedule::when::SHOWN_TIMES,
};
use prompt::input_label;
use store::{
    Page, Paged, Tx,
    idempotency::KeyUse,
    schedules::{self as rows, MakerRights},
};

/// A new schedule before it is stored.
pub(crate) struct UnstoredSchedule {
    pub(crate) schedule: Schedule,
    /// A new conversation for its runs.
    pub(crate) own: Option<Session>,
    pub(crate) maker: MakerRights,
    pub(crate) terms: WriteTerms,
}

impl Engine {
    pub async fn schedules(&self, user: UserId, page: Page) -> Result<Paged<Schedule>> {
        let key = self.store().data_key(user).await?;
        Ok(self.store().read(move |tx: &mut Tx| rows::list(tx, &key, user, page)).await?)
    }

    pub async fn schedule(&self, user: UserId, id: ScheduleId) -> Result<Schedule> {
        let key = self.store().data_key(user).await?;
        let read = move |tx: &mut Tx| rows::get(tx, &key, user, id);
        self.store().read(read).await?.ok_or_else(no_schedule)
    }

    /// What came of its due times, the newest first.
    pub async fn schedule_runs(
        &self,
        user: UserId,
        id: ScheduleId,
        page: Page,
    ) -> Result<Paged<ScheduleRun>> {
        self.schedule(user, id).await?;
        Ok(self.store().read(move |tx: &mut Tx| rows::list_runs(tx, user, id, page)).await?)
    }

    /// When something would be due, for a person who thinks about it.
    pub async fn preview_schedule(&self, user: UserId, when: &When) -> Result<SchedulePreview> {
        let (home, now) = (self.home_zone(user).await?, self.now());
        check_when(when, now, &home)?;
        let first = when.first(now, &home);
        let rest = first.map(|first| when.times(first, &home, SHOWN_TIMES - 1)).unwrap_or_default();
        Ok(SchedulePreview {
            description: when.describe(&home),
            times: first.into_iter().chain(rest).collect(),
        })
    }

    /// A repeated key finds the schedule that the first one made.
    pub async fn create_schedule(
        &self,
        user: UserId,
        new: NewSchedule,
        idempotency_key: Option<String>,
    ) -> Result<Schedule> {
        let id = ScheduleId::from_uuid(self.inner.ids.uuid());
        let keyed = self.keyed(user, NOUN, idempotency_key, format!("{new:?}"), id.to_string());
        if let Some(before) = self.made_before(keyed.as_ref()).await? {
            return self.schedule(user, before).await;
        }
        let label = note_label(&new.note, new.typed);
        let unstored = self.unstored_schedule(user, &new, label).await?;
        let UnstoredSchedule { schedule, own, maker, terms } = unstored;
        let schedule = Schedule { id, ..schedule };
        let (key, vault) = (self.store().data_key(user).await?, self.store().vault().clone());
        let own_id = own.as_ref().map(|session| session.id);
        let write = move |tx: &mut Tx| {
            let noted = idempotency_key::note(tx, &vault, keyed.as_ref())?;
            if let KeyUse::Repeat { .. } = noted {
                return Ok((noted, schedule));
            }
            let saved = write::create(tx, &key, (schedule, own.as_ref()), &maker, &terms)?;
            Ok((noted, saved))
        };
        let (noted, schedule) =
            self.store().attempt(write).await.map_err(|refusal| self.schedule_refused(refusal))?;
        if let Some(before) = idempotency_key::made(noted)? {
            return self.schedule(user, before).await;
        }
        if let Some(session) = own_id {
            self.hint_session(user, session, SessionNews::Created);
        }
        self.schedules_changed(user);
        Ok(schedule)
    }

    /// Everything of a new schedule but its number.
    pub(crate) async fn unstored_schedule(
        &self,
        user: UserId,
        new: &NewSchedule,
        label: Label,
    ) -> Result<UnstoredSchedule> {
        let (home, now) = (self.home_zone(user).await?, self.now());
        let plan = new.plan();
        check(&plan, now, &home)?;
        if new.kind == ScheduleKind::Reminder && new.place != RunPlace::Here {
            let detail = "place: A reminder is shown in the conversation for which it is made.";
            return Err(Error::invalid("bad_schedule", detail));
        }
        let (agent, session_id, own) = self.stage_of(user, new).await?;
        let schedule = Schedule {
            id: ScheduleId::from_uuid(self.inner.ids.uuid()),
            user_id: user,
            number: 0,
            kind: new.kind,
            agent_id: agent.id,
            session_id,
            state: ScheduleState::Active,
            revision: 1,
            next_at: plan.when.first(now, &home),
            failures: 0,
            runs: 0,
            label,
            plan,
            created_at: now,
            updated_at: now,
        };
        let (maker, terms) = (rights(&agent), self.write_terms(now, home));
        Ok(UnstoredSchedule { schedule, own, maker, terms })
    }

    /// The agent that runs, the conversation in which it does, and that conversation itself where it is new.
    async fn stage_of(
        &self,
        user: UserId,
        new: &NewSchedule,
    ) -> Result<(Agent, Option<domain::SessionId>, Option<Session>)> {
        let missing =
            |field: &str| Error::invalid("bad_schedule", format!("{field}: It is needed for this place."));
        if new.place == RunPlace::Here {
            let id = new.session_id.ok_or_else(|| missing("session_id"))?;
            let (session, agent) =
                self.staffed(user, id).await.map_err(|error| unknown("session_id", error))?;
            return Ok((agent, Some(session.id), None));
        }
        let id = new.agent_id.ok_or_else(|| missing("agent_id"))?;
        let agent = self.agent(user, id).await.map_err(|error| unknown("agent_id", error))?;
        if agent.status == AgentStatus::Archived {
            return Err(Error::conflict("agent_archived", "This agent is archived. Restore it first."));
        }
        let own = (new.place == RunPlace::Own)
            .then(|| self.blank_session(user, agent.id, Some(name_of(&new.note))));
        Ok((agent, own.as_ref().map(|session| session.id), own))
    }

    /// Changes its plan. What the agent may do is taken from now, and failures begin to count anew.
    pub async fn change_schedule(
        &self,
        user: UserId,
        id: ScheduleId,
        change: ScheduleChange,
    ) -> Result<Schedule> {
        let (home, now) = (self.home_zone(user).await?, self.now());
        let before = self.schedule(user, id).await?;
        let agent = self.agent_of_schedule(user, id).await?;
        check(&change.clone().of(before.plan), now, &home)?;
        let (key, maker) = (self.store().data_key(user).await?, rights(&agent));
        let terms = self.write_terms(now, home);
        let write = move |tx: &mut Tx| {
            // A label only gets better with other words.
            let noted = change.note.as_ref().map(|note| note_label(note, change.typed));
            let label = |before| noted.unwrap_or(before);
            write::change(tx, &key, (user, id), (change, label), (&maker, &terms))
        };
        let changed = self.store().attempt(write).await.map_err(|refusal| self.schedule_refused(refusal))?;
        self.schedules_changed(user);
        Ok(changed)
    }

    pub(crate) async fn agent_of_schedule(&self, user: UserId, id: ScheduleId) -> Result<Agent> {
        let schedule = self.schedule(user, id).await?;
        self.agent(user, schedule.agent_id).await.map_err(|error| match error {
            Error::NotFound(_) => Error::conflict(
                "agent_gone",
                "The agent of this schedule no longer exists. Delete the schedule.",
            ),
            other => other,
        })
    }

    /// It does not come before it is resumed. A run that is at work goes on.
    pub async fn pause_schedule(&self, user: UserId, id: ScheduleId) -> Result<Schedule> {
        self.set_schedule_state(user, id, ScheduleState::Paused).await
    }

    /// It comes again from now on; what was due meanwhile is left out.
    pub async fn resume_schedule(&self, user: UserId, id: ScheduleId) -> Result<Schedule> {
        self.set_schedule_state(user, id, ScheduleState::Active).await
    }

    async fn set_schedule_state(
        &self,
        user: UserId,
        id: ScheduleId,
        wanted: ScheduleState,
    ) -> Result<Schedule> {
        let terms = self.write_terms(self.now(), self.home_zone(user).await?);
        let key = self.store().data_key(user).await?;
        let write = move |tx: &mut Tx| write::set_state(tx, &key, (user, id), wanted, &terms);
        let changed = self.store().attempt(write).await.map_err(|refusal| self.schedule_refused(refusal))?;
        self.schedules_changed(user);
        Ok(changed)
    }

    /// With what is known of its runs; the conversations of the runs stay.
    pub async fn delete_schedule(&self, user: UserId, id: ScheduleId) -> Result<()> {
        if !self.store().write(move |tx: &mut Tx| rows::delete(tx, user, id)).await? {
            return Err(no_schedule());
        }
        self.schedules_changed(user);
        Ok(())
    }

    pub(crate) fn write_terms(&self, now: Timestamp, home: String) -> WriteTerms {
        WriteTerms { now, home, most: self.inner.settings.schedules.per_person }
    }

    /// After the commit of what changed.
    pub(crate) fn schedules_changed(&self, user: UserId) {
        self.wake(WakeUp::Due);
        self.tell_lists(user);
    }

    pub(crate) async fn home_zone(&self, user: UserId) -> Result<String> {
        Ok(self.people().user(user).await?.time_zone)
    }

    pub(crate) fn schedule_refused(&self, refusal: ScheduleRefusal) -> Error {
        match refusal {
            ScheduleRefusal::TooMany => {
                let most = self.inner.settings.schedules.per_person;
                let detail = format!(
                    "You already have {most} schedules. Pause or delete one that you no longer need."
                );
                Error::conflict("too_many_schedules", detail)
            }
            ScheduleRefusal::Over => {
                let detail = "This schedule has come for the last time. Change when it is due.";
                Error::conflict("schedule_over", detail)
            }
            ScheduleRefusal::NotFound => no_schedule(),
            ScheduleRefusal::Store(error) => error.into(),
        }
    }
}

/// Whose words the note is: as for a message of its person.
fn note_label(note: &str, typed: bool) -> Label {
    input_label::words(note, typed, false)
}

fn no_schedule() -> Error {
    Error::NotFound("schedule")
}

/// An id in a body is the caller's mistake, and a foreign one looks like one that does not exist.
fn unknown(field: &str, error: Error) -> Error {
    match error {
        Error::NotFound(_) => Error::invalid("bad_schedule", format!("{field}: There is none with this id.")),
        other => other,
    }
}
