//! What a person does with their schedules: makes, changes, pauses, resumes and deletes them, and looks what came of them.

use super::{
    firing::name_of,
    new_schedule::{NewSchedule, ScheduleChange, SchedulePreview, check, check_when},
};
use crate::{
    bus::node_note::SessionNews,
    engine::Engine,
    error::{Error, Result},
    idempotency_key,
    wake_ups::WakeUp,
};
use domain::{
    Agent, AgentStatus, Label, RunPlace, Schedule, ScheduleId, ScheduleRun, ScheduleState, Session, UserId,
    When, schedule::when::SHOWN_TIMES,
};
use prompt::input_label;
use store::{
    Page, Paged, Tx,
    idempotency::KeyUse,
    numbers,
    schedules::{self as rows, MakerRights},
    sessions,
};

/// Whose small numbers they are, and of what.
const NOUN: &str = "schedule";

/// Why a schedule was not stored.
#[derive(Debug, thiserror::Error)]
enum ScheduleRefusal {
    #[error("this person has too many schedules")]
    TooMany,
    #[error("this person has no such schedule")]
    NotFound,
    #[error("it has come for the last time")]
    Over,
    #[error(transparent)]
    Store(#[from] store::Error),
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
        let (home, now) = (self.home_zone(user).await?, self.now());
        let plan = new.plan();
        check(&plan, now, &home)?;
        let (agent, session_id, own) = self.stage_of(user, &new).await?;
        let schedule = Schedule {
            id,
            user_id: user,
            number: 0,
            agent_id: agent.id,
            session_id,
            state: ScheduleState::Active,
            revision: 1,
            next_at: plan.when.first(now, &home),
            failures: 0,
            runs: 0,
            label: note_label(&plan.note, new.typed),
            plan,
            created_at: now,
            updated_at: now,
        };
        let (key, vault, maker) =
            (self.store().data_key(user).await?, self.store().vault().clone(), rights(&agent));
        let most = self.inner.settings.schedules.per_person;
        let own_id = own.as_ref().map(|session| session.id);
        let mut saved = schedule;
        let write = move |tx: &mut Tx| {
            let noted = idempotency_key::note(tx, &vault, keyed.as_ref())?;
            if let KeyUse::Repeat { .. } = noted {
                return Ok((noted, saved));
            }
            if let Some(session) = &own {
                sessions::create(tx, &key, session)?;
            }
            saved.number = numbers::next(tx, user, NOUN)?;
            match rows::create(tx, &key, &saved, &maker, most)? {
                true => Ok((noted, saved)),
                false => Err(ScheduleRefusal::TooMany),
            }
        };
        let (noted, schedule) = self.store().attempt(write).await.map_err(|refusal| self.refused(refusal))?;
        if let Some(before) = idempotency_key::made(noted)? {
            return self.schedule(user, before).await;
        }
        if let Some(session) = own_id {
            self.hint_session(user, session, SessionNews::Created);
        }
        self.changed(user);
        Ok(schedule)
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
        let agent = self.agent(user, before.agent_id).await.map_err(|error| match error {
            Error::NotFound(_) => Error::conflict(
                "agent_gone",
                "The agent of this schedule no longer exists. Delete the schedule.",
            ),
            other => other,
        })?;
        check(&change.clone().of(before.plan), now, &home)?;
        let (key, maker) = (self.store().data_key(user).await?, rights(&agent));
        let write = move |tx: &mut Tx| {
            let mut schedule = rows::hold(tx, &key, user, id)?.ok_or(ScheduleRefusal::NotFound)?;
            let (typed, note, when) = (change.typed, change.note.clone(), change.when.is_some());
            schedule.plan = change.of(schedule.plan);
            schedule.revision = schedule.revision.saturating_add(1);
            // A label only gets better with other words.
            if let Some(note) = note {
                schedule.label = note_label(&note, typed);
            }
            if schedule.state == ScheduleState::Active || (when && schedule.state == ScheduleState::Ended) {
                schedule.next_at = schedule.plan.when.first(now, &home).filter(|_| !schedule.is_used_up());
                schedule.state =
                    if schedule.next_at.is_some() { ScheduleState::Active } else { ScheduleState::Ended };
            }
            schedule.failures = 0;
            schedule.updated_at = now;
            rows::update(tx, &key, &schedule, &maker)?;
            Ok(schedule)
        };
        let changed = self.store().attempt(write).await.map_err(|refusal| self.refused(refusal))?;
        self.changed(user);
        Ok(changed)
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
        let (home, now, most) =
            (self.home_zone(user).await?, self.now(), self.inner.settings.schedules.per_person);
        let key = self.store().data_key(user).await?;
        let write = move |tx: &mut Tx| {
            store::users::hold(tx, user)?;
            let mut schedule = rows::hold(tx, &key, user, id)?.ok_or(ScheduleRefusal::NotFound)?;
            if schedule.state == wanted {
                return Ok(schedule);
            }
            let resumes = wanted == ScheduleState::Active;
            let next = schedule.plan.when.first(now, &home).filter(|_| resumes);
            if schedule.state == ScheduleState::Ended
                || (resumes && (next.is_none() || schedule.is_used_up()))
            {
                return Err(ScheduleRefusal::Over);
            }
            if resumes && rows::count_active(tx, user)? >= most {
                return Err(ScheduleRefusal::TooMany);
            }
            rows::set_state(tx, user, id, (wanted, next), now)?;
            (schedule.state, schedule.next_at, schedule.failures, schedule.updated_at) =
                (wanted, next, 0, now);
            Ok(schedule)
        };
        let changed = self.store().attempt(write).await.map_err(|refusal| self.refused(refusal))?;
        self.changed(user);
        Ok(changed)
    }

    /// With what is known of its runs; the conversations of the runs stay.
    pub async fn delete_schedule(&self, user: UserId, id: ScheduleId) -> Result<()> {
        if !self.store().write(move |tx: &mut Tx| rows::delete(tx, user, id)).await? {
            return Err(no_schedule());
        }
        self.changed(user);
        Ok(())
    }

    /// After the commit of what changed.
    fn changed(&self, user: UserId) {
        self.wake(WakeUp::Due);
        self.tell_lists(user);
    }

    async fn home_zone(&self, user: UserId) -> Result<String> {
        Ok(self.people().user(user).await?.time_zone)
    }

    fn refused(&self, refusal: ScheduleRefusal) -> Error {
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

/// What the agent may do now; later runs have no more.
fn rights(agent: &Agent) -> MakerRights {
    MakerRights {
        capabilities: agent.capabilities.clone(),
        allowed_tools: agent.allowed_tools.clone(),
        tool_rules: agent.tool_rules.clone(),
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
