//! What a person is asked before a call runs: the approval, with everything that they are shown.

use crate::{
    engine::Engine,
    faults::guards_off,
    permission::{circumstances::DecisionFacts, reach, rights_chain},
};
use capability::ResolvedTool;
use domain::{
    Approval, ApprovalId, ApprovalStatus, CallId, Danger, Label, RuleScope, SessionId, TurnId, Workplace,
    canonical_tool,
};
use gate::{Scopes, Why, argument_digest, shown_arguments, virtual_tools::USE_MODEL};
use prompt::provenance_label::Provenance;
use serde_json::Value;

/// A call for which a person is asked.
pub(crate) struct ApprovalRequest<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) session: SessionId,
    pub(crate) turn: TurnId,
    pub(crate) call: CallId,
    /// The tool's name as the model wrote it.
    pub(crate) name: &'a str,
    pub(crate) arguments: &'a Value,
    /// None where there is no tool of this name.
    pub(crate) tool: Option<&'a ResolvedTool>,
    /// Of what the model was told when it made the call.
    pub(crate) provenance: &'a Provenance,
    /// What the approval is bound to.
    pub(crate) digest: String,
    /// Where the call goes, if that is all that it tells.
    pub(crate) host: Option<String>,
}

/// The approval that a call waits for.
pub(crate) enum RequestedApproval {
    New(Box<Approval>),
    /// That of an earlier call, which would do the very same.
    Shared(ApprovalId),
}

impl ApprovalRequest<'_> {
    /// The approval of an earlier call for the very same thing, if one waits; a new one otherwise. `unstored`: the approvals
    /// that this step of the turn asks for and that are not in the database yet.
    pub(crate) fn make(
        self,
        facts: &DecisionFacts,
        unstored: &[&Approval],
        why: &[Why],
        scopes: Scopes,
    ) -> RequestedApproval {
        let same = |asked: &&Approval| {
            asked.status == ApprovalStatus::Pending
                && asked.tool == canonical_tool(self.name)
                && argument_digest::same(&asked.arguments, self.arguments)
        };
        if let Some(shared) = facts.asked.iter().chain(unstored.iter().copied()).find(same) {
            return RequestedApproval::Shared(shared.id);
        }
        let kinds = self.tool.map_or(&[][..], |tool| tool.tool.argument_kinds());
        let now = self.engine.now();
        let expiry = self.engine.inner.settings.approvals.expiry;
        let expiry = i64::try_from(expiry.as_millis()).unwrap_or(i64::MAX);
        RequestedApproval::New(Box::new(Approval {
            id: ApprovalId::from_uuid(self.engine.inner.ids.uuid()),
            session_id: self.session,
            turn_id: self.turn,
            call_id: self.call,
            tool: canonical_tool(self.name).to_owned(),
            arguments: self.arguments.clone(),
            shown: shown_arguments::arguments(kinds, self.arguments, !guards_off::shown_is_off()),
            danger: self.danger(),
            why: why.iter().map(|why| self.words_of(why, facts.held)).collect(),
            digest: self.digest,
            scopes: offered(scopes, facts),
            host: self.host,
            workplace: None,
            reaches: reach::of_call(self.engine, &facts.links, self.tool, self.name, self.arguments),
            label: Some(self.provenance.label.join(facts.held)),
            status: ApprovalStatus::Pending,
            reason: None,
            expires_at: now.plus_millis(expiry),
            created_at: now,
        }))
    }

    fn workplace(&self) -> Option<Workplace> {
        self.tool.and_then(|tool| tool.tool.workplace(self.arguments))
    }

    fn danger(&self) -> Danger {
        match self.tool {
            Some(tool) => tool.tool.danger(),
            None if self.name == USE_MODEL.name => Danger::Moderate,
            None => Danger::Dangerous,
        }
    }

    /// For the person who is asked: with what was private and what was untrusted, where that is the reason.
    fn words_of(&self, why: &Why, held: Label) -> String {
        let concern = || {
            let mut whole = self.provenance.clone();
            whole.add(held, || "the files of this conversation, which the program could read".to_owned());
            whole.concern()
        };
        match why {
            Why::RuleOfTwo => concern().unwrap_or_else(|| why.to_string()),
            why => why.to_person(self.name, self.workplace()),
        }
    }
}

/// For how long the person may say yes.
fn offered(scopes: Scopes, facts: &DecisionFacts) -> Vec<RuleScope> {
    match scopes {
        Scopes::OnceOnly => vec![RuleScope::Once],
        Scopes::Session => vec![RuleScope::Once, RuleScope::Session],
        // A rule that holds for ever is about one agent, and those that this one works for would be asked again.
        Scopes::Every if !rights_chain::is_one_agent(&facts.links) => {
            vec![RuleScope::Once, RuleScope::Session]
        }
        Scopes::Every => vec![RuleScope::Once, RuleScope::Session, RuleScope::Always],
    }
}
