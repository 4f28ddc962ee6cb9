//! Nothing is spent without a reservation, where a budget is set.
//!
//! Before a model is asked, the most that its answer may cost is held back in the database, in the row that accounts for the
//! request; when it has ended, what it cost takes its place. A request that does not fit is not made: the model is allowed to
//! write less, or the turn is paused and says so. Where no budget is set nothing of this happens.

use crate::{
    budget::{
        payer::{Payer, dollars, of_person},
        quote::{Quote, QuotedRequest},
    },
    engine::Engine,
    wording::{self, EndingWords},
};
use domain::{Agent, ModelCallId, Parameters, User, UserId};
use provider::Model;
use store::{
    Tx,
    budgets::{self, Caps, Reserved, Which},
};

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
    /// `why`: the reason why it was not allowed, once a person was asked.
    UnknownPrice {
        model: String,
        caps: Caps,
        why: Option<String>,
    },
}

/// What became of a request for money.
pub(crate) enum Money {
    /// No budget is set, or it costs nothing.
    NotNeeded,
    /// The model may write so many tokens.
    Held(PaidTokens),
    Refused(Refusal),
}

/// How many tokens were paid for: the model must not write more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PaidTokens(pub(crate) u64);

impl PaidTokens {
    /// Said aloud, also where the model would be left to its own limit.
    pub(crate) fn bound(self, parameters: Parameters) -> Parameters {
        let most = parameters.max_tokens.map_or(self.0, |most| most.min(self.0));
        Parameters { max_tokens: Some(most), ..parameters }
    }
}

impl Engine {
    /// The person, where they or the agent have a budget to keep; for what is asked beside a turn.
    pub(crate) fn person_with_budget(
        &self,
        tx: &mut Tx,
        user: UserId,
        agent: &Agent,
    ) -> store::Result<Option<User>> {
        let person = store::users::by_id(tx, self.store().vault(), user)?;
        let person = person.ok_or(store::Error::NotFound)?;
        let caps = Caps::new(agent.budget, of_person(person.budget, self.inner.settings.budget.default));
        Ok((!caps.is_none()).then_some(person))
    }

    /// Holds back what a request may cost, inside its caller's transaction; its row is there already.
    pub(crate) fn hold_back(
        &self,
        tx: &mut Tx,
        call: ModelCallId,
        payer: Payer<'_>,
        model: &Model,
        asked: QuotedRequest<'_>,
    ) -> store::Result<Money> {
        let caps = payer.caps(self.inner.settings.budget.default);
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
                payer.spending(&self.inner.settings.budget.zone, now),
                caps,
                quote.range(asked.before),
                now,
            )? {
                Reserved::Granted(amount) => Money::Held(PaidTokens(quote.affords(amount))),
                Reserved::Refused { which, cap, spent, reserved } => {
                    let zone = self.inner.settings.budget.zone.clone();
                    Money::Refused(Refusal::Reached { which, cap, spent, reserved, zone })
                }
            },
        )
    }
}

impl Refusal {
    pub(crate) fn words(&self) -> EndingWords {
        match self {
            Self::UnknownPrice { model, why, .. } => {
                let why = why.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
                wording::paused(
                    "price_unknown",
                    &format!(
                        "I stopped: the price of {model} is not known, so I cannot keep to the budget{why}. Set a price for its provider \
                         or mark it as free, choose another model, or remove the budget. Then retry. Your message is saved."
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
        held => format!(" ({} of it is reserved for running work and may become free again)", dollars(held)),
    };
    match which {
        Which::Turn => format!(
            "I stopped: one reply may spend {cap}, and {spent} is spent. Ask me to continue, which starts a new count, or raise the \
             budget per reply. Your message is saved."
        ),
        Which::AgentDay => format!(
            "I stopped: this agent may spend {cap} a day with you, and {spent} is spent{held}. Retry after midnight ({zone}), or \
             raise the daily budget of this agent. Your message is saved."
        ),
        Which::UserDay => format!(
            "I stopped: you may spend {cap} a day, and {spent} is spent{held}. Retry after midnight ({zone}), or raise your budget. \
             If the server sets it, ask an admin. Your message is saved."
        ),
    }
}
