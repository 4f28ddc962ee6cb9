//! The other agents, for a call. A message that a call sends is committed together with a receipt, so it is sent once
//! however often the call runs.

use crate::{claim::input_refusal::InputRefusal, errands::errand_refusal::ErrandRefusal};
use crate::{
    claim::turn_context::TurnView,
    errands::prepared_errand::{AnnouncedErrand, Giver},
};
use async_trait::async_trait;
use capability::{Addressee, Colleagues, KnownAgent, SentMessage, ToolError};
use domain::{Agent, CallId, Label, Session, SessionKind};
use prompt::provenance_label::SeenLabel;
use serde_json::json;
use store::{Tx, agents, calls, turns};

/// Agents that are listed.
const AGENTS: u32 = 100;

/// Whose colleagues, and on behalf of which call: none of it comes from what a model wrote.
pub(crate) struct CallColleagues {
    giver: Giver,
    epoch: u64,
    /// Names of other people's agents are words of other people.
    seen: SeenLabel,
}

impl CallColleagues {
    pub(crate) fn new(at: &TurnView<'_>, call: CallId, seen: SeenLabel) -> Self {
        Self { giver: Giver::new(at, call), epoch: at.turn.epoch, seen }
    }

    /// THREAT[label-03] Whoever shares an agent chooses its name.
    fn saw(&self, agents: &[Agent]) {
        if agents.iter().any(|agent| agent.user_id != self.giver.session.user_id) {
            self.seen.add(Label::UNTRUSTED_PUBLIC);
        }
    }

    /// Where the other agent reads it: the one that works above this session reads it there, any other in the conversation
    /// that this session has with it.
    async fn place(&self, to: &Addressee) -> Result<(Session, Agent, bool), String> {
        let giver = &self.giver;
        let user = giver.session.user_id;
        let at = |id| async move { giver.engine.staffed(user, id).await.map_err(|error| error.to_string()) };
        let colleague = match to {
            Addressee::Oneself => {
                let (session, agent) = at(giver.session.id).await?;
                return Ok((session, agent, false));
            }
            Addressee::Colleague(colleague) => colleague,
        };
        let agent = giver.colleague(colleague).await?;
        if giver.session.kind != SessionKind::Own
            && let Some(parent) = giver.session.parent_id
            && let Ok((session, above)) = at(parent).await
            && session.agent_id == agent.id
        {
            return Ok((session, above, false));
        }
        giver.conversation(&agent).await
    }

    /// What this call has sent before, if it has.
    async fn receipt(&self) -> Result<Option<SentMessage>, ToolError> {
        let (key, turn, call) = (self.giver.key.clone(), self.giver.turn, self.giver.call);
        let read = move |tx: &mut Tx| calls::receipt(tx, &key, turn, call);
        let found = self.giver.engine.store().read(read).await.map_err(broken)?;
        found.map(serde_json::from_value).transpose().map_err(|_| two_changes())
    }
}

fn broken(error: store::Error) -> ToolError {
    match error {
        store::Error::Uncertain(_) => ToolError::Unknown(
            "outcome unknown: the connection to the database broke while the message was being sent. Ask whether it arrived \
             before you send it again"
                .to_owned(),
        ),
        other => ToolError::Internal(other.to_string()),
    }
}

fn two_changes() -> ToolError {
    ToolError::Internal("a call made two changes".to_owned())
}

fn known(agent: &Agent) -> KnownAgent {
    KnownAgent { agent_id: agent.id, name: agent.name.clone() }
}

#[async_trait]
impl Colleagues for CallColleagues {
    async fn list(&self) -> Result<Vec<KnownAgent>, ToolError> {
        let (vault, user) = (self.giver.engine.store().vault().clone(), self.giver.session.user_id);
        let read = move |tx: &mut Tx| agents::usable(tx, &vault, user, AGENTS);
        let agents = self.giver.engine.store().read(read).await.map_err(broken)?;
        self.saw(&agents);
        // Which agents a person has is theirs to tell.
        self.seen.add(Label::TRUSTED_PRIVATE);
        Ok(agents.iter().filter(|agent| agent.id != self.giver.agent.id).map(known).collect())
    }

    async fn send(&self, to: Addressee, message: String) -> Result<SentMessage, ToolError> {
        // Asked first: what was sent is not to be refused afterwards for being one too many.
        if let Some(sent) = self.receipt().await? {
            return Ok(sent);
        }
        let reach = self.giver.reach(0, false).await.map_err(ToolError::Failed)?;
        let place = self.place(&to).await.map_err(ToolError::Failed)?;
        self.saw(std::slice::from_ref(&place.1));
        let sent = SentMessage { agent: known(&place.1), session_id: place.0.id };
        let prepared = self.giver.prepare(place, message, reach, None).await.map_err(ToolError::Failed)?;
        let going = AnnouncedErrand::new(&prepared);
        let (key, turn, epoch, call) = (self.giver.key.clone(), self.giver.turn, self.epoch, self.giver.call);
        let (giver, writing, receipt) = (self.giver.clone(), prepared.clone(), json!(sent));
        let write = move |tx: &mut Tx| {
            turns::fence(tx, turn, epoch)?;
            if calls::receipt(tx, &key, turn, call)?.is_some() {
                return Err(store::Error::Fenced.into());
            }
            // Counted behind the fence: calls of one message run side by side.
            if let Some(words) = giver.refusal(tx)? {
                return Ok(Err(words));
            }
            let outcome = writing.write(tx)?;
            calls::note_receipt(tx, &key, call, &receipt)?;
            Ok(Ok(outcome))
        };
        fail::fail_point!("send_before_commit");
        let written = self.giver.engine.store().attempt(write).await.map_err(|refusal| match refusal {
            ErrandRefusal::Store(error) => broken(error),
            ErrandRefusal::Input(InputRefusal::UploadGone | InputRefusal::NothingToAnswer) => {
                ToolError::Internal(refusal.to_string())
            }
            refusal => ToolError::failed(refusal.words()),
        })?;
        let outcome = written.map_err(ToolError::Failed)?;
        fail::fail_point!("send_after_commit");
        self.giver.engine.set_going(prepared, going, outcome);
        Ok(sent)
    }
}
