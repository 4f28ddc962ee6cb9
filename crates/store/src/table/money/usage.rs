//! What was spent, added up from the requests to models.

use crate::{Arg, Result, Tx, args, database::row::row};
use domain::{Timestamp, UserId};

/// The most that one request is believed to have taken of anything.
const MOST: i64 = 1_000_000_000_000;

/// By what it is added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsageBy {
    /// A quarter of an hour: every time zone's day begins with one.
    Quarter,
    User,
    Agent,
    Session,
    Turn,
    Model,
}

impl UsageBy {
    const fn column(self) -> &'static str {
        match self {
            Self::Quarter => "CAST(started_at / 900000 * 900000 AS TEXT)",
            Self::User => "user_id",
            Self::Agent => "agent_id",
            Self::Session => "session_id",
            Self::Turn => "turn_id",
            Self::Model => "model",
        }
    }
}

/// Which requests.
#[derive(Clone, Copy, Debug)]
pub struct UsageRange {
    /// `None` = everybody's.
    pub user: Option<UserId>,
    pub from: Timestamp,
    /// Not included.
    pub to: Timestamp,
}

row! {
    /// One line of a sum.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct UsageSum {
        /// An id, a model, or milliseconds.
        pub key: String,
        /// Requests that went out.
        pub calls: u64,
        pub input_tokens: u64,
        pub output_tokens: u64,
        pub cached_tokens: u64,
        /// Of the requests whose cost is known.
        pub cost_microusd: u64,
        /// Requests whose cost is not known; those that still run are not among them.
        pub unknown_calls: u64,
        /// Those of which we have counted ourselves what they took.
        pub estimated_calls: u64,
    }
}

/// The largest sums come first; by time, the oldest.
pub fn sums(tx: &mut Tx, by: UsageBy, range: UsageRange, limit: u32) -> Result<Vec<UsageSum>> {
    let column = by.column();
    let sum = |what: &str| format!("CAST(COALESCE(SUM({what}), 0) AS BIGINT)");
    // THREAT[provider-02]: a provider may claim any number, and the sum of two of them must not overflow.
    let believed = |what: &str| sum(&format!("CASE WHEN {what} > {MOST} THEN {MOST} ELSE {what} END"));
    // What was noted and has not ended, or ended with a crash, counts as one that went out.
    let calls = sum("COALESCE(requests, 1)");
    let unknown =
        sum("CASE WHEN cost_microusd IS NULL AND status <> 'started' AND COALESCE(requests, 1) > 0 \
         THEN 1 ELSE 0 END");
    let order = if by == UsageBy::Quarter { "MIN(started_at)" } else { "6 DESC, 4 DESC, 1" };
    let mut arguments: Vec<Arg> = args![range.from, range.to, limit];
    let mut whose = "";
    if let Some(user) = range.user {
        arguments.push(user.into());
        whose = "AND user_id = $4";
    }
    let sql = format!(
        "SELECT {column}, {calls}, {}, {}, {}, {}, {unknown}, {} FROM model_calls \
         WHERE started_at >= $1 AND started_at < $2 {whose} GROUP BY {column} ORDER BY {order} LIMIT $3",
        believed("input_tokens"),
        believed("output_tokens"),
        believed("cached_tokens"),
        believed("cost_microusd"),
        sum("estimated"),
    );
    tx.all(&sql, arguments)
}
