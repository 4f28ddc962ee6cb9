//! Money that is held back before it is spent.
//!
//! There is one truth: the rows of the requests to models. What a request may cost at most stands in its row from before it
//! is made until it has ended; then what it cost takes its place, or, where that will never be known, it stays. So the sum
//! of the rows is never less than what was spent, and never more than that and what is under way.

use crate::{Error, Result, Tx, args, database::row::row};
use domain::{AgentId, Budget, ModelCallId, Timestamp, TurnId, UserId};

/// What one row counts. THREAT[provider-02]: a provider may claim any number, and the sum of two must not overflow.
const COUNTED: &str = "CASE WHEN cost_microusd IS NULL THEN COALESCE(reserved_microusd, 0) \
     WHEN cost_microusd > 1000000000000 THEN 1000000000000 ELSE cost_microusd END";

/// Whose money, and for what.
#[derive(Clone, Copy, Debug)]
pub struct Spending {
    pub user: UserId,
    pub agent: AgentId,
    pub turn: TurnId,
    /// When the turn began, or was begun anew by a person.
    pub turn_since: Timestamp,
    /// When the person's day began.
    pub day_since: Timestamp,
}

/// What it may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caps {
    pub turn: Option<u64>,
    pub user_day: Option<u64>,
    /// Of this person with this agent.
    pub agent_day: Option<u64>,
}

impl Caps {
    /// `agent` is what the agent may spend, `person` what its person may with all agents together.
    pub fn new(agent: Budget, person: Budget) -> Self {
        Self {
            turn: agent.lower(person).per_turn_microusd,
            user_day: person.per_day_microusd,
            agent_day: agent.per_day_microusd,
        }
    }

    pub fn is_none(self) -> bool {
        self == Self::default()
    }
}

/// What was spent or is held back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    pub turn: u64,
    pub user_day: u64,
    pub agent_day: u64,
    /// How much of the day's is held back for requests that are under way.
    pub reserved: u64,
}

row! {
    struct SpentRow {
        turn: u64,
        user_day: u64,
        agent_day: u64,
        reserved: u64,
    }
}

/// Which budget has too little left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    Turn,
    UserDay,
    AgentDay,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reserved {
    /// So much is held back.
    Granted(u64),
    Refused {
        which: Which,
        cap: u64,
        spent: u64,
        reserved: u64,
    },
}

pub fn spent(tx: &mut Tx, of: Spending) -> Result<Spent> {
    let sum = |which: &str, what: &str| {
        format!("CAST(COALESCE(SUM(CASE WHEN {which} THEN {what} ELSE 0 END), 0) AS BIGINT)")
    };
    // What it has other agents do counts as its own, and what its maker has done counts for them.
    let root = "COALESCE((SELECT r.root_turn FROM errands r WHERE r.turn_id = $4), $4)";
    let tree = format!(
        "(turn_id = {root} OR turn_id IN (SELECT e.turn_id FROM errands e WHERE e.root_turn = {root})) \
         AND started_at >= $5"
    );
    let day = "started_at >= $3";
    let held = "CASE WHEN status = 'started' THEN COALESCE(reserved_microusd, 0) ELSE 0 END";
    let sql = format!(
        "SELECT {}, {}, {}, {} FROM model_calls \
         WHERE user_id = $1 AND started_at >= CASE WHEN $5 < $3 THEN $5 ELSE $3 END",
        sum(&tree, COUNTED),
        sum(day, COUNTED),
        sum("agent_id = $2 AND started_at >= $3", COUNTED),
        sum(day, held),
    );
    let values = args![of.user, of.agent, of.day_since, of.turn, of.turn_since];
    let SpentRow { turn, user_day, agent_day, reserved } = tx.one(&sql, values)?;
    Ok(Spent { turn, user_day, agent_day, reserved })
}

/// What a person has spent since then, with what is held back, and how much of it that is.
pub fn of_day(tx: &mut Tx, user: UserId, since: Timestamp) -> Result<(u64, u64)> {
    let held = "CASE WHEN status = 'started' THEN COALESCE(reserved_microusd, 0) ELSE 0 END";
    let sql = format!(
        "SELECT CAST(COALESCE(SUM({COUNTED}), 0) AS BIGINT), CAST(COALESCE(SUM({held}), 0) AS BIGINT) \
         FROM model_calls WHERE user_id = $1 AND started_at >= $2"
    );
    tx.one(&sql, args![user, since])
}

/// What a request may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// What the requests before it in the same row have cost: an answer that pauses is asked to go on.
    pub before: u64,
    /// Less than this makes no sense.
    pub least: u64,
    pub most: u64,
}

/// Holds back the most that a request may cost which is about to be made, or what is left if that is enough. A worker that
/// spends the same person's money at the same moment, here or on another node, waits until this transaction has ended.
/// [`Error::Fenced`] when the request is not open any more.
pub fn reserve(
    tx: &mut Tx,
    call: ModelCallId,
    of: Spending,
    caps: Caps,
    Range { before, least, most }: Range,
    at: Timestamp,
) -> Result<Reserved> {
    if tx.run("UPDATE users SET role = role WHERE id = $1", args![of.user])? == 0 {
        return Err(Error::NotFound);
    }
    if before > 0 {
        // Of what was held back for them, this much is spent.
        let sql = "UPDATE model_calls SET reserved_microusd = $2 WHERE id = $1 AND status = 'started'";
        if tx.run(sql, args![call, before])? == 0 {
            return Err(Error::Fenced);
        }
    }
    let spent = spent(tx, of)?;
    let caps = [
        (Which::Turn, caps.turn, spent.turn),
        (Which::AgentDay, caps.agent_day, spent.agent_day),
        (Which::UserDay, caps.user_day, spent.user_day),
    ];
    let left = |cap: u64, spent: u64| cap.saturating_sub(spent);
    let set = caps.into_iter().filter_map(|(which, cap, spent)| Some((which, cap?, spent)));
    let tightest = set.min_by_key(|(_, cap, spent)| left(*cap, *spent));
    let granted = match tightest {
        Some((which, cap, spent_there)) if left(cap, spent_there) < least => {
            return Ok(Reserved::Refused { which, cap, spent: spent_there, reserved: spent.reserved });
        }
        Some((_, cap, spent)) => most.min(left(cap, spent)),
        None => most,
    };
    // Counted from now on: a request that was noted just before midnight is today's.
    let sql =
        "UPDATE model_calls SET reserved_microusd = $2, started_at = $3 WHERE id = $1 AND status = 'started'";
    if tx.run(sql, args![call, before.saturating_add(granted), at])? == 0 {
        return Err(Error::Fenced);
    }
    Ok(Reserved::Granted(granted))
}
