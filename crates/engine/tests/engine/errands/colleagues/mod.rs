//! Several agents: errands that wait for an answer, messages that do not, and subagents that are never more than who made
//! them.

mod asked_first;
mod errands;
mod limits;
mod messages;
mod refused;
mod rights;
mod stopping;

use crate::world::{Setup, World};
use domain::{AgentId, CapabilityRef, Session, SessionId, UserId, UserRole};
use engine::{AgentFields, Change, Principal};
use serde_json::{Value, json};
use std::sync::Arc;
use store::{Page, sessions::SessionFilter};
use testkit::model::{Recorded, Reply};
use tokio::sync::Notify;

/// The butler, who may ask others, and the cook.
pub struct Kitchen {
    pub world: World,
    pub cook: AgentId,
}

impl Kitchen {
    pub async fn new() -> Self {
        Self::with(|_| {}).await
    }

    pub async fn on(is_postgres: bool) -> Self {
        Self::of(World::on(is_postgres, |_| {}).await).await
    }

    pub async fn with(change: impl FnOnce(&mut Setup)) -> Self {
        Self::of(World::with(change).await).await
    }

    async fn of(world: World) -> Self {
        let cook = agent(&world, world.user, "cook", "You cook.").await;
        let all = ["colleagues", "test_math", "workshop"].map(CapabilityRef::from).to_vec();
        change_agent(&world, AgentFields { capabilities: Change::Set(all), ..AgentFields::default() }).await;
        Self { world, cook }
    }

    /// The sessions in which others work for this one, the oldest first.
    pub async fn children(&self, parent: SessionId) -> Vec<Session> {
        let filter = SessionFilter { parent_id: Some(parent), ..SessionFilter::default() };
        let found = self.world.engine().sessions(self.world.user, filter, Page::first(100)).await.unwrap();
        let mut items = found.items;
        items.sort_by_key(|session| session.id);
        items
    }

    pub async fn child(&self) -> Session {
        let mut children = self.children(self.world.session).await;
        assert_eq!(children.len(), 1, "{children:?}");
        children.remove(0)
    }

    /// What the first call of the last turn came to, as the butler read it.
    pub async fn result(&self) -> Value {
        let messages = self.world.messages().await;
        let result = messages.iter().rev().find(|message| message.role == domain::Role::Tool).unwrap();
        serde_json::from_str(&result.content).unwrap()
    }

    /// Nothing runs and nothing waits, in any session.
    pub async fn at_rest(&self) {
        let open = "SELECT COUNT(*) FROM turns WHERE status <> 'ended'";
        let rest = async {
            loop {
                let left: u64 = self.world.store.read(move |tx| tx.one(open, Vec::new())).await.unwrap();
                if left == 0 && self.world.engine().running_turns() == 0 {
                    return;
                }
                tokio::task::yield_now().await;
            }
        };
        assert!(tokio::time::timeout(crate::world::PATIENCE, rest).await.is_ok(), "something still goes on");
    }
}

pub async fn agent(world: &World, user: UserId, name: &str, prompt: &str) -> AgentId {
    let fields = AgentFields {
        name: Change::Set(name.to_owned()),
        system_prompt: Change::Set(prompt.to_owned()),
        capabilities: Change::Set(["colleagues", "workshop"].map(CapabilityRef::from).to_vec()),
        markup: Change::Set(domain::MarkupSettings::OFF),
        ..AgentFields::default()
    };
    world.engine().create_agent(&Principal::operator(user, UserRole::Owner), fields).await.unwrap().id
}

pub async fn change_agent(world: &World, fields: AgentFields) {
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
}

/// Who is asked.
pub fn is(request: &Recorded, words: &str) -> bool {
    request.messages().first().is_some_and(|message| message["content"].to_string().contains(words))
}

pub fn call(name: &str, arguments: Value) -> Reply {
    Reply::calls([(name, arguments)])
}

/// The butler makes this call, then says `Done.`; the cook, and every subagent, says `answer` when the gate opens.
pub fn script(
    world: &World,
    name: &'static str,
    arguments: Value,
    answer: &'static str,
    gate: Option<Arc<Notify>>,
) {
    world.model.respond(move |request| {
        if !is(request, "You are the butler.") {
            let reply = Reply::text(answer);
            return match &gate {
                Some(gate) => reply.gate(gate.clone()),
                None => reply,
            };
        }
        match request.results_since_user().len() {
            0 => call(name, arguments.clone()),
            _ => Reply::text("Done."),
        }
    });
}

pub fn soup() -> Value {
    json!({ "agent": "cook", "task": "Make soup" })
}
