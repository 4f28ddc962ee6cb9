//! Nothing is spent without a reservation, where somebody has set a budget.
//!
//! Before a model is asked, the most that its answer may cost is held back in the database, in the row that accounts for the
//! request; when it has ended, what it cost takes its place. A request that does not fit is not made: the model is allowed to
//! write less, or the turn is paused and says so. Where nobody has set a budget nothing of this happens.

use crate::{
    budget::usage::midnight,
    engine::Engine,
    prompt::token_count,
    wording::{self, Words},
};
use chrono_tz::Tz;
use domain::{Agent, Allowance, Budget, ModelCallId, Parameters, Timestamp, TurnId, User, UserId};
use provider::{Model, ModelRequest, Tokens};
use store::{
    Tx,
    budgets::{self, Caps, Range, Reserved, Spending, Which},
};

/// An answer that may have fewer tokens than this is not asked for.
const LEAST_OUTPUT: u64 = 512;
/// What a model may write for which nobody knows how much it can.
const USUAL_OUTPUT: u64 = 8_192;
const MILLION: u64 = 1_000_000;

/// Why a model was not asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Reached {
        which: Which,
        cap: u64,
        spent: u64,
        reserved: u64,
        zone: String,
    },
    /// And why nobody has allowed it, once somebody was asked.
    UnknownPrice {
        model: String,
        caps: Caps,
        why: Option<String>,
    },
}

/// What is asked of a model, as far as money is concerned.
pub(crate) struct Question<'a> {
    pub(crate) request: &'a ModelRequest,
    /// What it may write.
    pub(crate) most_output: u64,
    /// Tokens that it is told besides: the beginning of an answer that goes on.
    pub(crate) besides: u64,
    /// What that beginning has cost.
    pub(crate) before: u64,
}

impl<'a> Question<'a> {
    pub(crate) const fn new(request: &'a ModelRequest, most_output: u64) -> Self {
        Self { request, most_output, besides: 0, before: 0 }
    }
}

/// What a request may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quote {
    /// For the prompt.
    input: u64,
    /// For a million tokens that the model writes.
    per_million: u64,
    /// What the model would be allowed to write.
    wanted: u64,
    /// What it writes on top, where it thinks before it speaks.
    besides: u64,
}

impl Quote {
    /// `None` when the price is not known.
    pub(crate) fn of(model: &Model, asked: &Question<'_>) -> Option<Self> {
        let Question { request, most_output, besides, .. } = *asked;
        // Estimates are rather too high than too low; a half on top, and what wires add, make it a bound.
        let expected = token_count::of_request(model, request).saturating_add(besides);
        let input = expected.saturating_add(expected / 2).saturating_add(200);
        let plain = model.cost(Tokens { input, ..Tokens::default() })?;
        let stored = model.cost(Tokens { input, stored: input, ..Tokens::default() })?;
        let parameters = request.parameters;
        let usual = model.info().max_output.unwrap_or(USUAL_OUTPUT);
        let wanted = parameters.max_tokens.unwrap_or(usual).min(usual).min(most_output).max(1);
        let all = model.reply_tokens(&Parameters { max_tokens: Some(wanted), ..parameters });
        Some(Self {
            input: plain.max(stored),
            per_million: model.cost(Tokens { output: MILLION, ..Tokens::default() })?,
            wanted,
            besides: all.saturating_sub(wanted),
        })
    }

    pub(crate) fn is_free(self) -> bool {
        self.input == 0 && self.per_million == 0
    }

    fn with_output(self, tokens: u64) -> u64 {
        let tokens = u128::from(tokens.saturating_add(self.besides));
        let output = tokens.saturating_mul(self.per_million.into()).div_ceil(MILLION.into());
        self.input.saturating_add(u64::try_from(output).unwrap_or(u64::MAX))
    }

    /// The least that makes sense, and all of it.
    pub(crate) fn range(self, before: u64) -> Range {
        let least = self.with_output(self.wanted.min(LEAST_OUTPUT));
        Range { before, least, most: self.with_output(self.wanted) }
    }

    /// What the model may write for so much.
    pub(crate) fn affords(self, granted: u64) -> u64 {
        if granted >= self.with_output(self.wanted) || self.per_million == 0 {
            return self.wanted;
        }
        let left = u128::from(granted.saturating_sub(self.input)).saturating_mul(MILLION.into());
        let tokens = u64::try_from(left / u128::from(self.per_million)).unwrap_or(u64::MAX);
        tokens.saturating_sub(self.besides).clamp(1, self.wanted)
    }
}

/// What a person may spend, whoever they talk to.
pub(crate) fn of_person(allowance: Allowance, house: Budget) -> Budget {
    allowance.house.or(house).lower(allowance.own)
}

/// Whose money a request takes, and what it is for.
#[derive(Clone, Copy)]
pub(crate) struct Purse<'a> {
    person: &'a User,
    agent: &'a Agent,
    turn: TurnId,
    /// When the turn began, or was begun anew.
    since: Timestamp,
    /// What is left to it by whoever it works for.
    ceiling: Option<u64>,
}

impl<'a> Purse<'a> {
    pub(crate) fn new(person: &'a User, agent: &'a Agent, turn: TurnId, since: Timestamp) -> Self {
        Self { person, agent, turn, since, ceiling: None }
    }

    /// With what whoever it works for leaves to it.
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

    /// THREAT[money-05]: somebody who chooses their own midnight has as many days as they like; all days are the house's.
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

/// What became of a request for money.
pub(crate) enum Money {
    /// Nobody has set a budget, or it costs nothing.
    NotNeeded,
    /// The model may write so many tokens.
    Held(Paid),
    Refused(Refusal),
}

/// How many tokens were paid for: the model must not write more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Paid(pub(crate) u64);

impl Paid {
    /// Said aloud, also where the model would be left to its own limit.
    pub(crate) fn bound(self, parameters: Parameters) -> Parameters {
        let most = parameters.max_tokens.map_or(self.0, |most| most.min(self.0));
        Parameters { max_tokens: Some(most), ..parameters }
    }
}

impl Engine {
    /// The person, where they or the agent have a budget to keep; for what is asked beside a turn.
    pub(crate) async fn person_with_budget(
        &self,
        tx: &mut Tx,
        user: UserId,
        agent: &Agent,
    ) -> store::Result<Option<User>> {
        let person = store::users::by_id(tx, self.store().vault(), user).await?;
        let person = person.ok_or(store::Error::NotFound)?;
        let caps = Caps::new(agent.budget, of_person(person.budget, self.inner.settings.budget.default));
        Ok((!caps.is_none()).then_some(person))
    }

    /// Holds back what a request may cost, inside somebody's transaction; its row is there already.
    pub(crate) async fn hold_back(
        &self,
        tx: &mut Tx,
        call: ModelCallId,
        purse: Purse<'_>,
        model: &Model,
        asked: Question<'_>,
    ) -> store::Result<Money> {
        let caps = purse.caps(self.inner.settings.budget.default);
        if caps.is_none() {
            return Ok(Money::NotNeeded);
        }
        let Some(quote) = Quote::of(model, &asked) else {
            let model = model.id().to_owned();
            return Ok(Money::Refused(Refusal::UnknownPrice { model, caps, why: None }));
        };
        if quote.is_free() {
            return Ok(Money::NotNeeded);
        }
        let now = self.now();
        Ok(
            match budgets::reserve(
                tx,
                call,
                purse.spending(&self.inner.settings.budget.zone, now),
                caps,
                quote.range(asked.before),
                now,
            )
            .await?
            {
                Reserved::Granted(amount) => Money::Held(Paid(quote.affords(amount))),
                Reserved::Refused { which, cap, spent, reserved } => {
                    let zone = self.inner.settings.budget.zone.clone();
                    Money::Refused(Refusal::Reached { which, cap, spent, reserved, zone })
                }
            },
        )
    }
}

impl Refusal {
    pub(crate) fn words(&self) -> Words {
        match self {
            Self::UnknownPrice { model, why, .. } => {
                let why = why.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
                wording::paused(
                    "price_unknown",
                    &format!(
                        "I stopped here: the price of {model} is not known, so I cannot keep to a budget with it{why}. Set a \
                         price for its provider or mark it as free, choose another model, or take the budget away, and retry. \
                         Your message is kept."
                    ),
                )
            }
            Self::Reached { which, cap, spent, reserved, zone } => {
                wording::paused("limit_budget", &reached(*which, *cap, *spent, *reserved, zone))
            }
        }
    }
}

fn reached(which: Which, cap: u64, spent: u64, reserved: u64, zone: &str) -> String {
    let (cap, spent) = (dollars(cap), dollars(spent));
    let held = match reserved {
        0 => String::new(),
        held => format!(" ({} of it is held back for work under way, and may come back)", dollars(held)),
    };
    match which {
        Which::Turn => format!(
            "I stopped here: this turn may spend {cap}, and {spent} of it is spent. Ask me to go on, which counts anew, or raise \
             the budget per turn. Your message is kept."
        ),
        Which::AgentDay => format!(
            "I stopped here: this agent may spend {cap} a day with you, and {spent} of it is spent{held}. Retry after midnight \
             ({zone}), or raise budget.per_day_microusd of this agent. Your message is kept."
        ),
        Which::UserDay => format!(
            "I stopped here: you may spend {cap} a day, and {spent} of it is spent{held}. Retry after midnight ({zone}), or raise \
             your budget; where the house has set it, ask an admin. Your message is kept."
        ),
    }
}

/// Micro-USD as people write it.
pub(crate) fn dollars(amount: u64) -> String {
    let (whole, rest) = (amount / MILLION, amount % MILLION);
    let cents = format!("{rest:06}");
    let cents = cents.trim_end_matches('0');
    format!("${whole}.{cents:0<2}")
}

#[cfg(test)]
#[path = "purse_tests.rs"]
mod tests;
