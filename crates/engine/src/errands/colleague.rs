//! Finds the agent that an errand or a message is for, and the conversation with it.

use crate::{
    errands::prepared_errand::{Giver, broken},
    error::Error,
};
use capability::Colleague;
use domain::{Agent, Session, SessionId, SessionKind};
use store::{Tx, agents, sessions};

/// Agents that are looked through, and named when one is not found.
const AGENTS: u32 = 500;
const NAMED: usize = 20;

impl Giver {
    /// The agent that is meant: by id, by a name of the person's own agents, by a name of a shared one.
    ///
    /// THREAT[agent-02]: another person's agent is as unknown as one that does not exist.
    pub(crate) async fn colleague(&self, wanted: &Colleague) -> Result<Agent, String> {
        let (vault, user) = (self.engine.store().vault().clone(), self.session.user_id);
        let read = move |tx: &mut Tx| agents::usable(tx, &vault, user, AGENTS);
        let mut agents = self.engine.store().read(read).await.map_err(|error| broken(&error))?;
        let name = wanted.agent.to_lowercase();
        if self.agent.id.to_string() == name
            || (self.session.narrowing.is_none() && self.agent.name.to_lowercase() == name)
        {
            return Err(
                "that is you yourself; `spawn_agent` makes a subagent with some of your tools".to_owned()
            );
        }
        agents.retain(|agent| agent.id != self.agent.id && meant(agent, wanted.among.as_deref()));
        agents.sort_by_key(|agent| agent.user_id != user);
        let same = |agent: &&Agent| agent.id.to_string() == name || agent.name.to_lowercase() == name;
        match agents.iter().find(same) {
            Some(agent) => Ok(agent.clone()),
            // THREAT[label-03] Names of other people's agents are words of other people; this text is nobody's.
            None => {
                agents.retain(|agent| agent.user_id == user);
                Err(unknown_agent(&wanted.agent, &agents))
            }
        }
    }

    /// The conversation with a colleague, there or to be made.
    pub(crate) async fn conversation(&self, agent: &Agent) -> Result<(Session, Agent, bool), String> {
        let (user, parent, other) = (self.session.user_id, self.session.id, agent.id);
        let read = move |tx: &mut Tx| sessions::colleague(tx, user, parent, other);
        let found = self.engine.store().read(read).await.map_err(|error| broken(&error))?;
        match found {
            Some(id) => {
                let (session, agent) =
                    self.engine.staffed(user, id).await.map_err(|error| error.to_string())?;
                Ok((session, agent, false))
            }
            None => {
                let name = Some(format!("{} → {}", self.agent.name, agent.name));
                let session = Session {
                    kind: SessionKind::Colleague,
                    parent_id: Some(parent),
                    ..self.engine.blank_session(user, agent.id, name)
                };
                Ok((session, agent.clone(), true))
            }
        }
    }

    /// The agent that worked in a child of this session before, once more.
    pub(crate) async fn again(&self, id: SessionId) -> Result<(Session, Agent, bool), String> {
        let unknown = || format!("no agent has answered you from the session {id}");
        let (session, agent) = match self.engine.staffed(self.session.user_id, id).await {
            Ok(found) => found,
            Err(Error::NotFound(_)) => return Err(unknown()),
            Err(error) => return Err(format!("the agent of the session {id} cannot be asked: {error}")),
        };
        if session.parent_id != Some(self.session.id) || session.kind == SessionKind::Own {
            return Err(unknown());
        }
        Ok((session, agent, false))
    }
}

fn meant(agent: &Agent, among: Option<&[String]>) -> bool {
    let is =
        |name: &String| *name == agent.id.to_string() || name.to_lowercase() == agent.name.to_lowercase();
    among.is_none_or(|among| among.iter().any(is))
}

/// Those that begin alike first, so that the one that was meant is among the named.
fn unknown_agent(wanted: &str, agents: &[Agent]) -> String {
    let wanted_lower = wanted.to_lowercase();
    let alike = |name: &str| {
        let name = name.to_lowercase();
        name.chars().zip(wanted_lower.chars()).take_while(|(one, other)| one == other).count()
    };
    let mut names: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
    names.sort_by_key(|name| std::cmp::Reverse(alike(name)));
    names.truncate(NAMED);
    let wanted: String = wanted.chars().take(100).collect();
    match names.is_empty() {
        true => format!("agent {wanted:?} not found; there are no other agents"),
        false => format!("agent {wanted:?} not found; there are: {}", names.join(", ")),
    }
}
