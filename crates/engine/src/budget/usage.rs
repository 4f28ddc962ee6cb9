//! What was spent: tokens and money, by day, person, agent, session, turn or model.

use crate::{
    budget::payer,
    engine::Engine,
    error::{Error, Result},
};
use chrono::{DateTime, Days, NaiveDate, NaiveTime, TimeZone};
use chrono_tz::Tz;
use domain::{Timestamp, Usage, UserId};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use store::budgets;
use store::usage::{UsageBy, UsageRange, UsageSum, sums};

/// Lines of one answer.
const LINES: u32 = 1_000;
/// Quarters of an hour in a little more than a year.
const QUARTERS: u32 = 40_000;
const USUAL_DAYS: u64 = 30;
const MOST_DAYS: i64 = 400;

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct UsageQuestion {
    /// `day`, `user`, `agent`, `session`, `turn` or `model`; absent = by day.
    pub by: Option<String>,
    /// A day (`2026-02-28`) or a moment; absent = thirty days ago.
    pub from: Option<String>,
    /// The last day, or a moment; absent = now.
    pub to: Option<String>,
}

/// One line of the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UsageLine {
    /// The day, the id or the model.
    pub key: String,
    /// Requests that were sent to models, also those that failed, for titles and for summaries.
    pub calls: u64,
    #[serde(flatten)]
    pub usage: Usage,
    /// Requests whose cost is not known; while there are any, the cost of the line is not known either.
    pub unknown_calls: u64,
    /// Of the calls, those of which the provider did not say what they took: it is estimated.
    pub estimated_calls: u64,
}

/// What a person may still spend today, with all agents together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BudgetLeft {
    /// Absent = none is set.
    pub per_day_microusd: Option<u64>,
    pub per_turn_microusd: Option<u64>,
    /// Spent since midnight, with what is held back.
    pub spent_microusd: u64,
    /// Held back for requests that are under way.
    pub reserved_microusd: u64,
    pub left_microusd: Option<u64>,
    /// The next midnight in the time zone of the server.
    pub resets_at: Timestamp,
}

impl Engine {
    /// What the person may still spend today.
    pub async fn budget_left(&self, user: UserId) -> Result<BudgetLeft> {
        let person = self.people().user(user).await?;
        let budget = payer::of_person(person.budget, self.inner.settings.budget.default);
        let (from, resets_at) = payer::day_of(&self.inner.settings.budget.zone, self.now());
        let spent = self.store().read(move |tx| budgets::of_day(tx, user, from)).await?;
        Ok(BudgetLeft {
            per_day_microusd: budget.per_day_microusd,
            per_turn_microusd: budget.per_turn_microusd,
            spent_microusd: spent.0,
            reserved_microusd: spent.1,
            left_microusd: budget.per_day_microusd.map(|cap| cap.saturating_sub(spent.0)),
            resets_at,
        })
    }

    /// `whose`: `None` = everybody. `reader` is who asks: days begin at their midnight.
    pub async fn usage(
        &self,
        reader: UserId,
        whose: Option<UserId>,
        question: UsageQuestion,
    ) -> Result<Vec<UsageLine>> {
        let zone = self.people().user(reader).await?.time_zone.parse().unwrap_or(Tz::UTC);
        let by = by(question.by.as_deref())?;
        let (from, to) = span(&question, zone, self.now())?;
        let range = UsageRange { user: whose, from, to };
        let limit = if by == UsageBy::Quarter { QUARTERS } else { LINES };
        let sums = self.store().read(move |tx| sums(tx, by, range, limit)).await?;
        if by == UsageBy::Quarter {
            return Ok(days(sums, zone));
        }
        Ok(sums.into_iter().map(line).collect())
    }
}

fn by(word: Option<&str>) -> Result<UsageBy> {
    match word.unwrap_or("day") {
        "day" => Ok(UsageBy::Quarter),
        "user" => Ok(UsageBy::User),
        "agent" => Ok(UsageBy::Agent),
        "session" => Ok(UsageBy::Session),
        "turn" => Ok(UsageBy::Turn),
        "model" => Ok(UsageBy::Model),
        _ => Err(Error::invalid("bad_query", "by must be day, user, agent, session, turn or model.")),
    }
}

/// The asked time; `to` is not included.
fn span(question: &UsageQuestion, zone: Tz, now: Timestamp) -> Result<(Timestamp, Timestamp)> {
    let today = now.to_utc().with_timezone(&zone).date_naive();
    let first = today.checked_sub_days(Days::new(USUAL_DAYS - 1)).unwrap_or(today);
    let from = match &question.from {
        Some(text) => moment("from", text, zone, 0)?,
        None => midnight(first, zone),
    };
    let to = match &question.to {
        Some(text) => moment("to", text, zone, 1)?,
        None => now.plus_millis(1),
    };
    let most = MOST_DAYS * 24 * 60 * 60 * 1_000;
    if to.as_millis().saturating_sub(from.as_millis()) > most {
        return Err(Error::invalid(
            "bad_query",
            format!("from and to must be at most {MOST_DAYS} days apart."),
        ));
    }
    Ok((from, to))
}

/// A day begins at its midnight; `after` = 1 means the midnight that ends it.
fn moment(name: &str, text: &str, zone: Tz, after: u64) -> Result<Timestamp> {
    if let Ok(moment) = DateTime::parse_from_rfc3339(text) {
        return Ok(Timestamp::from_millis(moment.timestamp_millis()));
    }
    let day = text.parse::<NaiveDate>().ok().and_then(|day| day.checked_add_days(Days::new(after)));
    day.map(|day| midnight(day, zone)).ok_or_else(|| {
        let detail =
            format!("{name} must be a day such as 2026-02-28, or a time such as 2026-02-28T12:00:00Z.");
        Error::invalid("bad_query", detail)
    })
}

/// The first moment of a day; where clocks jump over midnight, the first that exists.
pub(crate) fn midnight(day: NaiveDate, zone: Tz) -> Timestamp {
    let local = day.and_time(NaiveTime::MIN);
    let hours = (0..24).map(|hour| local + chrono::TimeDelta::hours(hour));
    let first = hours.filter_map(|time| zone.from_local_datetime(&time).earliest()).next();
    Timestamp::from_millis(
        first.map_or_else(|| local.and_utc().timestamp_millis(), |at| at.timestamp_millis()),
    )
}

fn days(quarters: Vec<UsageSum>, zone: Tz) -> Vec<UsageLine> {
    let mut days: BTreeMap<NaiveDate, UsageLine> = BTreeMap::new();
    for quarter in quarters {
        let at = Timestamp::from_millis(quarter.key.parse().unwrap_or(0));
        let day = at.to_utc().with_timezone(&zone).date_naive();
        let new = line(UsageSum { key: day.to_string(), ..quarter });
        let sum = match days.remove(&day) {
            Some(known) => UsageLine {
                calls: known.calls.saturating_add(new.calls),
                usage: known.usage.plus(new.usage),
                unknown_calls: known.unknown_calls.saturating_add(new.unknown_calls),
                estimated_calls: known.estimated_calls.saturating_add(new.estimated_calls),
                key: new.key,
            },
            None => new,
        };
        days.insert(day, sum);
    }
    days.into_values().collect()
}

fn line(sum: UsageSum) -> UsageLine {
    let usage = Usage {
        input_tokens: sum.input_tokens,
        output_tokens: sum.output_tokens,
        cached_tokens: sum.cached_tokens,
        cost_microusd: (sum.unknown_calls == 0).then_some(sum.cost_microusd),
    };
    let UsageSum { key, calls, unknown_calls, estimated_calls, .. } = sum;
    UsageLine { key, calls, usage, unknown_calls, estimated_calls }
}

#[cfg(test)]
#[path = "usage_tests.rs"]
mod tests;
