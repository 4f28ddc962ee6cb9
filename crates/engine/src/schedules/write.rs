//! What is written of a schedule in a transaction, for a person and for a call of their agent. What is refused has changed nothing.

use super::new_schedule::ScheduleChange;
use domain::{Agent, Label, Schedule, ScheduleId, ScheduleState, Session, Timestamp, UserId};
use store::{
    DataKey, Tx, numbers,
    schedules::{self as rows, MakerRights},
    sessions, users,
};

/// Whose small numbers they are, and of what.
pub(crate) const NOUN: &str = "schedule";

/// Why a schedule was not stored.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ScheduleRefusal {
    #[error("this person has too many schedules")]
    TooMany,
    #[error("this person has no such schedule")]
    NotFound,
    #[error("it has come for the last time")]
    Over,
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// When it is written, on whose clock, and how many schedules of one person may come.
#[derive(Clone, Debug)]
pub(crate) struct WriteTerms {
    pub(crate) now: Timestamp,
    pub(crate) home: String,
    pub(crate) most: u64,
}

/// What the agent may do now; later runs have no more.
pub(crate) fn rights(agent: &Agent) -> MakerRights {
    MakerRights {
        capabilities: agent.capabilities.clone(),
        allowed_tools: agent.allowed_tools.clone(),
        tool_rules: agent.tool_rules.clone(),
    }
}

/// `own`: a new conversation for its runs. It gets its number here.
pub(crate) fn create(
    tx: &mut Tx,
    key: &DataKey,
    (mut schedule, own): (Schedule, Option<&Session>),
    maker: &MakerRights,
    terms: &WriteTerms,
) -> Result<Schedule, ScheduleRefusal> {
    if !rows::has_room(tx, schedule.user_id, terms.most)? {
        return Err(ScheduleRefusal::TooMany);
    }
    if let Some(session) = own {
        sessions::create(tx, key, session)?;
    }
    schedule.number = numbers::next(tx, schedule.user_id, NOUN)?;
    rows::create(tx, key, &schedule, maker)?;
    Ok(schedule)
}

/// `label`: what becomes of the label that it has. What the agent may do is taken from now, and failures begin to count anew.
pub(crate) fn change(
    tx: &mut Tx,
    key: &DataKey,
    (user, id): (UserId, ScheduleId),
    (change, label): (ScheduleChange, impl FnOnce(Label) -> Label),
    (maker, terms): (&MakerRights, &WriteTerms),
) -> Result<Schedule, ScheduleRefusal> {
    let mut schedule = rows::hold(tx, key, user, id)?.ok_or(ScheduleRefusal::NotFound)?;
    let when = change.when.is_some();
    schedule.plan = change.of(schedule.plan);
    schedule.revision = schedule.revision.saturating_add(1);
    schedule.label = label(schedule.label);
    if schedule.state == ScheduleState::Active || (when && schedule.state == ScheduleState::Ended) {
        let first = schedule.plan.when.first(terms.now, &terms.home);
        schedule.next_at = first.filter(|_| !schedule.is_used_up());
        schedule.state =
            if schedule.next_at.is_some() { ScheduleState::Active } else { ScheduleState::Ended };
    }
    schedule.failures = 0;
    schedule.updated_at = terms.now;
    rows::update(tx, key, &schedule, maker)?;
    Ok(schedule)
}

/// Pauses or resumes it. What was due before it is resumed is left out.
pub(crate) fn set_state(
    tx: &mut Tx,
    key: &DataKey,
    (user, id): (UserId, ScheduleId),
    wanted: ScheduleState,
    terms: &WriteTerms,
) -> Result<Schedule, ScheduleRefusal> {
    users::hold(tx, user)?;
    let mut schedule = rows::hold(tx, key, user, id)?.ok_or(ScheduleRefusal::NotFound)?;
    if schedule.state == wanted {
        return Ok(schedule);
    }
    let resumes = wanted == ScheduleState::Active;
    let next = schedule.plan.when.first(terms.now, &terms.home).filter(|_| resumes);
    if schedule.state == ScheduleState::Ended || (resumes && (next.is_none() || schedule.is_used_up())) {
        return Err(ScheduleRefusal::Over);
    }
    if resumes && rows::count_active(tx, user)? >= terms.most {
        return Err(ScheduleRefusal::TooMany);
    }
    rows::set_state(tx, user, id, (wanted, next), terms.now)?;
    (schedule.state, schedule.next_at, schedule.failures, schedule.updated_at) = (wanted, next, 0, terms.now);
    Ok(schedule)
}
