//! A model whose price nobody knows, where a budget is to be kept: what it costs could not be counted, so a person is asked,
//! by the gate and like for a tool.
//!
//! What is asked about is the use of this very model. A yes for once holds for the requests of the turn. Nobody is asked for
//! what happens beside a turn (titles, summaries): that is done without, unless a rule allows it.

use crate::permission::spend_rules::{SpendRefusal, spend};
use crate::{
    budget::purse::{Money, Purse, Refusal, dollars},
    calls::weigh_call::Read,
    claim::planned_call::{PersonRequest, PlannedCall},
    engine::Engine,
    error::Result,
    faults::guards_off,
    worker::Worker,
};
use domain::{
    AgentId, Approval, ApprovalStatus, CallId, EffectClass, Label, Origin, Rule, RuleId, SessionId, ToolRule,
    UserId,
};
use gate::{Circumstances, Party, Verdict, Wanted, Why, shown_arguments, virtual_tools::USE_MODEL};
use serde_json::json;
use store::{Tx, budgets::Caps, calls::Made};
use turn::Input;

/// Who wants to use it, and what was said about that.
struct Use<'a> {
    user: UserId,
    agent: AgentId,
    words: &'a [ToolRule],
    /// The session itself first, then those it is part of.
    sessions: &'a [SessionId],
    rules: &'a [Rule],
    attended: bool,
    answer: Option<&'a Approval>,
    asked: &'a [Approval],
}

impl Use<'_> {
    fn verdict(&self, deed: &PlannedCall) -> Verdict {
        // Whoever it works for uses other models: their rights to this one are not asked for.
        let words = self.words.to_vec();
        let party = Party { agent: self.agent, granted: true, permission: USE_MODEL.permission, words };
        gate::decide(&Circumstances {
            wanted: Wanted { call: deed.id, name: &deed.name, arguments: &deed.arguments },
            tool: Some(USE_MODEL.facts),
            checked: Ok(()),
            user: self.user,
            parties: &[party],
            sessions: self.sessions,
            rules: self.rules,
            label: Label::TRUSTED_PUBLIC,
            site: None,
            attended: self.attended,
            answer: self.answer,
            asked: self.asked,
        })
    }
}

/// In the form of a call, which the gate can weigh; no transcript ever has it.
fn deed(id: CallId, model: &str) -> PlannedCall {
    PlannedCall {
        id,
        name: USE_MODEL.name.to_owned(),
        arguments: json!({ "model": model }),
        origin: Origin::Native,
        class: EffectClass::Read,
        made: Made::default(),
        standing: None,
        problem: None,
    }
}

impl Engine {
    /// For what happens beside a turn: nobody is asked, but a rule may have said yes for as long as it stands.
    pub(crate) async fn unless_a_rule_allows(
        &self,
        tx: &mut Tx,
        purse: Purse<'_>,
        session: SessionId,
        money: Money,
    ) -> store::Result<Money> {
        let Money::Refused(Refusal::UnknownPrice { model, .. }) = &money else { return Ok(money) };
        let (user, agent) = purse.whose();
        let rules = store::rules::for_call(tx, self.store().vault(), user, &[session], self.now()).await?;
        let wanted = Use {
            user,
            agent: agent.id,
            words: &agent.tool_rules,
            sessions: &[session],
            rules: &rules,
            attended: false,
            answer: None,
            asked: &[],
        };
        let verdict = wanted.verdict(&deed(CallId::from_uuid(self.inner.ids.uuid()), model));
        Ok(match verdict {
            Verdict::Run { spends } if spends.is_empty() => Money::NotNeeded,
            _ => money,
        })
    }
}

impl Worker {
    /// A request whose price nobody knows. `true` when it may be made; otherwise a person is asked, or the turn ends.
    pub(crate) async fn weigh_price(&mut self, model: String, caps: Caps) -> bool {
        match self.try_weigh_price(&model, caps).await {
            Ok(None) => true,
            Ok(Some(input)) => {
                self.heard.push_back(input);
                false
            }
            Err(error) => {
                tracing::warn!(%error, "the turn stops here and is taken up again");
                self.lost = true;
                false
            }
        }
    }

    /// What the machine is to hear; nothing when the model may be asked.
    async fn try_weigh_price(&mut self, model: &str, caps: Caps) -> Result<Option<Input>> {
        loop {
            let read = self.read_circumstances(None).await?;
            let answer = self.record.leave.and_then(|call| read.asked_by(call)).cloned();
            // A new request has a new name, so that an old answer is never taken for its own.
            let covered = answer.as_ref().filter(|answer| answer.arguments == json!({ "model": model }));
            let id = covered.map_or_else(|| CallId::from_uuid(self.new_uuid()), |answer| answer.call_id);
            let deed = deed(id, model);
            let verdict = self.verdict_of_price(&deed, &read, covered);
            match self.carry_out(&deed, &read, verdict, caps, covered).await? {
                Weighed::Anew => {}
                Weighed::May => return Ok(None),
                Weighed::Hears(input) => return Ok(Some(input)),
            }
        }
    }

    async fn carry_out(
        &mut self,
        deed: &PlannedCall,
        read: &Read,
        verdict: Verdict,
        caps: Caps,
        answer: Option<&Approval>,
    ) -> Result<Weighed> {
        let model = self.model.as_ref().map(|model| model.id().to_owned()).unwrap_or_default();
        let verdict = match verdict {
            Verdict::Ask { scopes, .. } => {
                let spell_out = !guards_off::shown_is_off();
                let agent = shown_arguments::text(&self.agent.name, false, spell_out);
                let model = shown_arguments::text(&model, true, spell_out);
                Verdict::Ask { why: vec![Why::UnknownPrice { agent, model, budget: words_of(caps) }], scopes }
            }
            other => other,
        };
        self.note(deed, &verdict, answer);
        Ok(match verdict {
            Verdict::Run { spends } => match self.spend(spends).await {
                Ok(()) => Weighed::May,
                Err(SpendRefusal::Spent) => Weighed::Anew,
                Err(SpendRefusal::Store(error)) => return Err(error.into()),
            },
            Verdict::Ask { why, scopes } => {
                if let PersonRequest::Approval(approval) = self.request(deed, read, &why, scopes) {
                    self.leave = Some(approval);
                }
                Weighed::Hears(Input::LeaveWanted)
            }
            Verdict::Deny(why) => self.refused(model, caps, why.to_string()),
            Verdict::Refuse(problem) => self.refused(model, caps, problem),
        })
    }

    fn refused(&mut self, model: String, caps: Caps, why: String) -> Weighed {
        tracing::info!(code = "price_unknown", "the model is not asked");
        self.refusal = Some(Refusal::UnknownPrice { model, caps, why: Some(why) });
        Weighed::Hears(Input::BudgetRefused)
    }

    fn verdict_of_price(&self, deed: &PlannedCall, read: &Read, answer: Option<&Approval>) -> Verdict {
        let sessions: Vec<SessionId> = read.sessions().collect();
        // A no ended the turn. When somebody wants it run once more, they are asked once more.
        let open = |asked: &&Approval| asked.status == ApprovalStatus::Pending;
        let asked: Vec<Approval> = read.asked.iter().filter(open).cloned().collect();
        let wanted = Use {
            user: self.session.user_id,
            agent: self.agent.id,
            words: &self.agent.tool_rules,
            sessions: &sessions,
            rules: &read.rules,
            attended: read.is_attended(),
            answer,
            asked: &asked,
        };
        wanted.verdict(deed)
    }

    async fn spend(&mut self, spends: Vec<RuleId>) -> Result<(), SpendRefusal> {
        if spends.is_empty() {
            return Ok(());
        }
        self.engine.store().attempt(async move |tx: &mut Tx| spend(tx, &spends).await).await
    }
}

/// What came of weighing.
enum Weighed {
    May,
    Hears(Input),
    /// Somebody else has used a rule up meanwhile.
    Anew,
}

/// The budgets that are to be kept.
fn words_of(caps: Caps) -> String {
    let turn = caps.turn.map(|cap| format!("{} a turn", dollars(cap)));
    let day = [caps.agent_day, caps.user_day].into_iter().flatten().min();
    let day = day.map(|cap| format!("{} a day", dollars(cap)));
    turn.into_iter().chain(day).collect::<Vec<_>>().join(" and ")
}

#[cfg(test)]
#[path = "unknown_price_tests.rs"]
mod tests;
