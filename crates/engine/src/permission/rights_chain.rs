//! For which agents a call is made: the agent of the session, and every one that waits above it, as they are now.
//!
//! THREAT[gate-17] What a worker knows of its agent is from when the turn began. A right that was taken away since then,
//! or an agent that is no longer shared, is gone with the next call.

use crate::{engine::Engine, error::Result};
use capability::{Resolved, ResolvedTool, Settings, Terms, permits};
use domain::{Agent, Permission, Session, SessionId, SessionKind, Source, TurnId, UserId};
use gate::Party;
use serde_json::Value;
use std::sync::Arc;
use store::{DataKey, Tx, Vault, errands, schedules, sessions};

/// Sessions above one another.
const GENERATIONS: usize = 16;

/// Why a link is in the chain. What else narrows rights, such as the channel of a contact, becomes a kind of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkKind {
    /// The session in which the call is made.
    Session,
    /// A session whose agent waits for the work in the one below it.
    Parent,
    /// The agent as it was when its person made the schedule that all this is for.
    Maker,
}

/// A session of the chain with its agent, if that is there and its person may use it.
pub(crate) struct LinkRow {
    kind: LinkKind,
    pub(crate) session: SessionId,
    agent: Option<Agent>,
    unshared: bool,
}

/// A link of the chain, with what its agent has.
pub(crate) struct RightsLink {
    kind: LinkKind,
    pub(crate) session: SessionId,
    agent: Option<Agent>,
    tools: Arc<Resolved>,
    /// Its agent is another person's, who shares it no longer.
    pub(crate) unshared: bool,
    /// Whose session it is.
    user: UserId,
}

/// The session itself first, then the nearest above it.
pub(crate) fn read_links(
    tx: &mut Tx,
    vault: &Vault,
    key: &DataKey,
    user: UserId,
    own: SessionId,
) -> store::Result<Vec<LinkRow>> {
    let (mut found, mut next) = (Vec::<LinkRow>::new(), Some(own));
    while let Some(session) = next.filter(|_| found.len() <= GENERATIONS) {
        let staffed = sessions::with_agent(tx, vault, key, user, session)?;
        next = staffed.as_ref().and_then(|staffed| above(&staffed.session));
        let unshared = staffed.as_ref().is_some_and(|staffed| !staffed.usable);
        let whole = staffed.filter(|staffed| !unshared && !is_orphan(&staffed.session));
        let kind = if found.is_empty() { LinkKind::Session } else { LinkKind::Parent };
        found.push(LinkRow { kind, session, agent: whole.map(|staffed| staffed.agent), unshared });
    }
    // Further up than the chain is read: what the agents there would permit is not known.
    let beyond = |session| LinkRow { kind: LinkKind::Parent, session, agent: None, unshared: false };
    found.extend(next.map(beyond));
    Ok(found)
}

/// The agent of the schedule, with no more than it had when its person made that; `None` where the turn is not for a schedule.
///
/// THREAT[gate-19] Who has an agent make a schedule, and has it given more rights later, must not have those at the next due time.
pub(crate) fn read_maker(
    tx: &mut Tx,
    key: &DataKey,
    user: UserId,
    (turn, source): (TurnId, Source),
    chain: &[LinkRow],
) -> store::Result<Option<LinkRow>> {
    let of_schedule = match source {
        Source::Schedule => Some(turn),
        Source::Agent => errands::root_of_schedule(tx, turn)?,
        Source::Web | Source::Cli | Source::Bridge => None,
    };
    let (Some(turn), Some(root)) = (of_schedule, chain.last()) else { return Ok(None) };
    // Of a schedule that is gone it is not known what it might do: nothing.
    let maker = schedules::maker_of(tx, key, user, turn)?;
    let agent = root.agent.clone().zip(maker).map(|(agent, maker)| Agent {
        capabilities: maker.capabilities,
        allowed_tools: maker.allowed_tools,
        tool_rules: maker.tool_rules,
        ..agent
    });
    Ok(Some(LinkRow { kind: LinkKind::Maker, session: root.session, agent, unshared: false }))
}

/// For whom a session's agent works. A fork is a person's own, and no part of what it was copied from.
fn above(session: &Session) -> Option<SessionId> {
    session.parent_id.filter(|_| session.kind != SessionKind::Own)
}

/// An agent worked in it for another session, which is gone: with which rights it would act cannot be known any more.
/// THREAT[agent-05]: what was narrow is wide when who made it so is deleted.
fn is_orphan(session: &Session) -> bool {
    session.kind != SessionKind::Own && session.parent_id.is_none()
}

impl Engine {
    /// With what each of them has. A link whose agent cannot be made out has nothing.
    pub(crate) async fn rights_links(&self, user: UserId, rows: Vec<LinkRow>) -> Result<Vec<RightsLink>> {
        let mut links = Vec::with_capacity(rows.len());
        for LinkRow { kind, session, agent, unshared } in rows {
            let tools = match &agent {
                Some(agent) => {
                    let registry = self.registry_of(agent).await?;
                    registry.resolve(&agent.capabilities, &agent.allowed_tools).unwrap_or_default()
                }
                None => Resolved::default(),
            };
            links.push(RightsLink { kind, session, agent, tools: Arc::new(tools), unshared, user });
        }
        Ok(links)
    }
}

impl RightsLink {
    /// It is no session of the chain.
    pub(crate) fn is_maker(&self) -> bool {
        self.kind == LinkKind::Maker
    }

    pub(crate) fn tool(&self, name: &str) -> Option<&Arc<ResolvedTool>> {
        self.tools.tool(name)
    }

    /// What the tool says of this call where this agent makes it, if it has the tool.
    pub(crate) fn terms(&self, name: &str, arguments: &Value) -> Option<Terms> {
        let (agent, tool) = (self.agent.as_ref()?, self.tool(name)?);
        let mut terms = tool.tool.terms(&self.tools.settings(&tool.capability), arguments);
        // THREAT[gate-18] Whoever shares an agent permits nothing with it to those it is shared with.
        if agent.user_id != self.user {
            let unset = tool.tool.terms(&Settings::new(), arguments);
            terms.permission = terms.permission.max(unset.permission);
        }
        Some(terms)
    }

    /// As the gate sees it, for a call of this tool. No permission is asked for what the house does for all agents.
    /// `session_agent` stands for an agent that is not there.
    pub(crate) fn party(
        &self,
        session_agent: domain::AgentId,
        name: &str,
        arguments: &Value,
        is_system_function: bool,
    ) -> Party {
        let own = if is_system_function {
            Some(Permission::Allow)
        } else {
            self.terms(name, arguments).map(|terms| terms.permission)
        };
        let action = arguments.get("action").and_then(Value::as_str);
        Party {
            agent: self.agent.as_ref().map_or(session_agent, |agent| agent.id),
            granted: self.tools.grants(name, action),
            permission: own.unwrap_or(Permission::Deny),
            words: self.agent.as_ref().map(|agent| agent.tool_rules.clone()).unwrap_or_default(),
        }
    }
}

/// The link of the session in which the call is made.
pub(crate) fn own(links: &[RightsLink]) -> Option<&RightsLink> {
    links.iter().find(|link| link.kind == LinkKind::Session)
}

/// Do they all speak for the same agent? Then what is said about it holds for the whole chain.
pub(crate) fn is_one_agent(links: &[RightsLink]) -> bool {
    let ids = || links.iter().map(|link| link.agent.as_ref().map(|agent| agent.id));
    ids().zip(ids().skip(1)).all(|(one, next)| one == next)
}

/// The settings a call runs with: what all of them permit. None when one of them does not have the tool.
pub(crate) fn settings(links: &[RightsLink], name: &str) -> Option<Arc<Settings>> {
    let mut joined: Option<Arc<Settings>> = None;
    for link in links {
        let theirs = link.tools.settings(&link.tool(name)?.capability);
        joined = Some(match joined {
            None => theirs,
            Some(own) if own == theirs => own,
            Some(own) => Arc::new(permits::common(&own, &theirs)),
        });
    }
    joined
}
