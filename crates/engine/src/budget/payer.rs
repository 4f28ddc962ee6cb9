//! Whose money a request takes, and what counts as a day of it.

use crate::budget::usage::midnight;
use chrono_tz::Tz;
use domain::{Agent, Allowance, Budget, Timestamp, TurnId, User, UserId};
use store::budgets::{Caps, Spending};

const MILLION: u64 = 1_000_000;

/// What a person may spend, with all agents together.
pub(crate) fn of_person(allowance: Allowance, house: Budget) -> Budget {
    allowance.house.or(house).lower(allowance.own)
}

/// Whose money a request takes, and what it is for.
#[derive(Clone, Copy)]
pub(crate) struct Payer<'a> {
    person: &'a User,
    agent: &'a Agent,
    turn: TurnId,
    /// When the turn began, or was begun anew.
    since: Timestamp,
    /// What is left to it by the agent that it works for.
    ceiling: Option<u64>,
}

impl<'a> Payer<'a> {
    pub(crate) fn new(person: &'a User, agent: &'a Agent, turn: TurnId, since: Timestamp) -> Self {
        Self { person, agent, turn, since, ceiling: None }
    }

    /// With what the agent that it works for leaves to it.
    pub(crate) fn below(self, ceiling: Option<u64>) -> Self {
        Self { ceiling, ..self }
    }

    pub(crate) fn whose(&self) -> (UserId, &'a Agent) {
        (self.person.id, self.agent)
    }

    pub(crate) fn caps(&self, house: Budget) -> Caps {
        let caps = Caps::new(self.agent.budget, of_person(self.person.budget, house));
        let ceiling = [caps.turn, self.ceiling].into_iter().flatten().min();
        Caps { turn: ceiling, ..caps }
    }

    /// THREAT[money-05]: a person who chooses their own midnight has as many days as they like; all days are the server's.
    pub(crate) fn spending(&self, zone: &str, now: Timestamp) -> Spending {
        Spending {
            user: self.person.id,
            agent: self.agent.id,
            turn: self.turn,
            turn_since: self.since,
            day_since: day_of(zone, now).0,
        }
    }
}

/// When the day began in this zone, and when it ends.
pub(crate) fn day_of(zone: &str, now: Timestamp) -> (Timestamp, Timestamp) {
    let zone: Tz = zone.parse().unwrap_or(Tz::UTC);
    let today = now.to_utc().with_timezone(&zone).date_naive();
    (midnight(today, zone), midnight(today.succ_opt().unwrap_or(today), zone))
}

/// Micro-USD as people write it.
pub(crate) fn dollars(amount: u64) -> String {
    let (whole, rest) = (amount / MILLION, amount % MILLION);
    let cents = format!("{rest:06}");
    let cents = cents.trim_end_matches('0');
    format!("${whole}.{cents:0<2}")
}

#[cfg(test)]
#[path = "payer_tests.rs"]
mod tests;
