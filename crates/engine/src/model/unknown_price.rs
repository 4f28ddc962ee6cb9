//! A model whose price is not known, where a budget is to be kept: what it costs could not be counted, so a person is asked,
//! by the gate and like for a tool.
//!
//! What is asked about is the use of this very model. A yes for once holds for the requests of the turn. No person is asked for
//! what happens beside a turn (titles, summaries): that is done without, unless a rule allows it.

use crate::permission::spend_rules::{SpendRefusal, spend};
use crate::{
    budget::{
        payer::{Payer, dollars},
        reserve::{Money, Refusal},
    },
    claim::{
        decision_audit,
        planned_call::PlannedCall,
        turn_context::{TurnContext, TurnLost, TurnView},
    },
    engine::Engine,
    error::Result,
    faults::guards_off,
    model::asking::Asking,
    permission::{approval_request::RequestedApproval, circumstances::DecisionFacts},
    store_retry::Patience,
};
use domain::{
    AgentId, Approval, ApprovalStatus, CallId, EffectClass, Label, Origin, Rule, RuleId, SessionId, ToolRule,
    UserId,
};
use gate::{Circumstances, Party, Verdict, Wanted, Why, shown_arguments, virtual_tools::USE_MODEL};
use serde_json::json;
use store::{Tx, audit::AuditEntry, budgets::Caps, calls::TextCallDetails};
use turn::Input;

/// Who wants to use the model, and what was said about that.
struct ModelUse<'a> {
    user: UserId,
    agent: AgentId,
    words: &'a [ToolRule],
    /// The session itself first, then those it is part of.
    sessions: &'a [SessionId],
    rules: &'a [Rule],
    may_ask_person: bool,
    answer: Option<&'a Approval>,
    asked: &'a [Approval],
}

impl ModelUse<'_> {
    fn verdict(&self, call: &PlannedCall) -> Verdict {
        // The agents that it works for use other models: their rights to this one are not asked for.
        let words = self.words.to_vec();
        let party = Party { agent: self.agent, granted: true, permission: USE_MODEL.permission, words };
        gate::decide(&Circumstances {
            wanted: Wanted { call: call.id, name: &call.name, arguments: &call.arguments },
            tool: Some(USE_MODEL.facts),
            checked: Ok(()),
            user: self.user,
            parties: &[party],
            sessions: self.sessions,
            rules: self.rules,
            label: Label::TRUSTED_PUBLIC,
            site: None,
            attended: self.may_ask_person,
            answer: self.answer,
            asked: self.asked,
        })
    }
}

/// In the form of a call, which the gate can weigh; no transcript ever has it.
fn use_model_call(id: CallId, model: &str) -> PlannedCall {
    PlannedCall {
        id,
        name: USE_MODEL.name.to_owned(),
        arguments: json!({ "model": model }),
        origin: Origin::Native,
        class: EffectClass::Read,
        made: TextCallDetails::default(),
        standing: None,
        problem: None,
    }
}

impl Engine {
    /// For what happens beside a turn: no person is asked, but a rule may have said yes for as long as it stands.
    pub(crate) fn unless_a_rule_allows(
        &self,
        tx: &mut Tx,
        payer: Payer<'_>,
        session: SessionId,
        money: Money,
    ) -> store::Result<Money> {
        let Money::Refused(Refusal::UnknownPrice { model, .. }) = &money else { return Ok(money) };
        let (user, agent) = payer.whose();
        let rules = store::rules::for_call(tx, self.store().vault(), user, &[session], self.now())?;
        let wanted = ModelUse {
            user,
            agent: agent.id,
            words: &agent.tool_rules,
            sessions: &[session],
            rules: &rules,
            may_ask_person: false,
            answer: None,
            asked: &[],
        };
        let verdict = wanted.verdict(&use_model_call(CallId::from_uuid(self.inner.ids.uuid()), model));
        Ok(match verdict {
            Verdict::Run { spends } if spends.is_empty() => Money::NotNeeded,
            _ => money,
        })
    }
}

impl Asking {
    /// A request whose price is not known. `None` when it may be made, otherwise what the machine hears: that a person is to
    /// be asked, or that the turn ends.
    pub(super) async fn weigh_price(
        &mut self,
        at: &TurnView<'_>,
        audits: &mut Vec<AuditEntry>,
        model: &str,
        caps: Caps,
    ) -> std::result::Result<Option<Input>, TurnLost> {
        let mut patience = Patience::default();
        loop {
            let mut decided = Vec::new();
            match self.try_weigh_price(at, &mut decided, model, caps).await {
                Ok(heard) => {
                    audits.extend(decided);
                    return Ok(heard);
                }
                // Nothing was stored: it is decided once more, and said once.
                Err(error) if patience.again_after(&at.turn.engine, &error).await => {}
                Err(error) => {
                    tracing::warn!(%error, "the turn stops here and is taken up again");
                    return Err(TurnLost);
                }
            }
        }
    }

    async fn try_weigh_price(
        &mut self,
        at: &TurnView<'_>,
        audits: &mut Vec<AuditEntry>,
        model: &str,
        caps: Caps,
    ) -> Result<Option<Input>> {
        let TurnContext { engine, key, session, turn_id, source, .. } = at.turn;
        loop {
            let facts =
                DecisionFacts::read(engine, key, session.user_id, (session.id, *turn_id, *source), false)
                    .await?;
            let answer = at.record.price_approval.and_then(|call| facts.asked_by(call)).cloned();
            // A new request has a new name, so that an old answer is never taken for its own.
            let covered = answer.as_ref().filter(|answer| answer.arguments == json!({ "model": model }));
            let id = covered.map_or_else(|| CallId::from_uuid(at.turn.new_uuid()), |answer| answer.call_id);
            let call = use_model_call(id, model);
            let verdict = self.in_words(at.turn, verdict_of_price(at.turn, &call, &facts, covered), caps);
            audits.extend(decision_audit::entry(at.turn, at.record, &call, &verdict, covered));
            match self.carry_out(at, &call, &facts, verdict, caps).await? {
                PriceDecision::Again => {}
                PriceDecision::May => return Ok(None),
                PriceDecision::Hear(input) => return Ok(Some(input)),
            }
        }
    }

    fn model_name(&self) -> String {
        self.model.as_ref().map(|model| model.id().to_owned()).unwrap_or_default()
    }

    /// What a person is asked says which model, and which budgets could not be kept.
    fn in_words(&self, turn: &TurnContext, verdict: Verdict, caps: Caps) -> Verdict {
        match verdict {
            Verdict::Ask { scopes, .. } => {
                let spell_out = !guards_off::shown_is_off();
                let agent = shown_arguments::text(&turn.agent.name, false, spell_out);
                let model = shown_arguments::text(&self.model_name(), true, spell_out);
                Verdict::Ask { why: vec![Why::UnknownPrice { agent, model, budget: words_of(caps) }], scopes }
            }
            other => other,
        }
    }

    async fn carry_out(
        &mut self,
        at: &TurnView<'_>,
        call: &PlannedCall,
        facts: &DecisionFacts,
        verdict: Verdict,
        caps: Caps,
    ) -> Result<PriceDecision> {
        Ok(match verdict {
            Verdict::Run { spends } => match spend_now(at.turn, spends).await {
                Ok(()) => PriceDecision::May,
                Err(SpendRefusal::Spent) => PriceDecision::Again,
                Err(SpendRefusal::Store(error)) => return Err(error.into()),
            },
            Verdict::Ask { why, scopes } => {
                let request = at.turn.approval_request(at.record, call, None);
                if let RequestedApproval::New(approval) = request.make(facts, &[], &why, scopes) {
                    self.price_approval = Some(approval);
                }
                PriceDecision::Hear(Input::PriceApprovalNeeded)
            }
            Verdict::Deny(why) => self.refused(caps, why.to_string()),
            Verdict::Refuse(problem) => self.refused(caps, problem),
        })
    }

    fn refused(&mut self, caps: Caps, why: String) -> PriceDecision {
        tracing::info!(code = "price_unknown", "the model is not asked");
        self.refusal = Some(Refusal::UnknownPrice { model: self.model_name(), caps, why: Some(why) });
        PriceDecision::Hear(Input::BudgetRefused)
    }
}

fn verdict_of_price(
    turn: &TurnContext,
    call: &PlannedCall,
    facts: &DecisionFacts,
    answer: Option<&Approval>,
) -> Verdict {
    let sessions: Vec<SessionId> = facts.sessions().collect();
    // A no ended the turn. When its person wants it run once more, they are asked once more.
    let open = |asked: &&Approval| asked.status == ApprovalStatus::Pending;
    let asked: Vec<Approval> = facts.asked.iter().filter(open).cloned().collect();
    let wanted = ModelUse {
        user: turn.session.user_id,
        agent: turn.agent.id,
        words: &turn.agent.tool_rules,
        sessions: &sessions,
        rules: &facts.rules,
        may_ask_person: facts.may_ask_person(),
        answer,
        asked: &asked,
    };
    wanted.verdict(call)
}

async fn spend_now(turn: &TurnContext, spends: Vec<RuleId>) -> Result<(), SpendRefusal> {
    if spends.is_empty() {
        return Ok(());
    }
    turn.engine.store().attempt(move |tx: &mut Tx| spend(tx, &spends)).await
}

/// What is done about a request whose price is not known.
enum PriceDecision {
    May,
    Hear(Input),
    /// Another turn has used a rule up meanwhile: it is decided once more.
    Again,
}

/// The budgets that are to be kept.
fn words_of(caps: Caps) -> String {
    let turn = caps.turn.map(|cap| format!("{} a reply", dollars(cap)));
    let day = [caps.agent_day, caps.user_day].into_iter().flatten().min();
    let day = day.map(|cap| format!("{} a day", dollars(cap)));
    turn.into_iter().chain(day).collect::<Vec<_>>().join(" and ")
}

#[cfg(test)]
#[path = "unknown_price_tests.rs"]
mod tests;
