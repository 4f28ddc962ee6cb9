//! What agents remember: it is told where its person speaks, and never before that person kept what others had a say in.

mod search;
mod told;
mod waits;

use crate::{
    permission::labels::world_with,
    world::{Setup, World},
};
use domain::{CapabilityRef, KnowledgeEntry, KnowledgeStore, ResultStatus, SessionId, UserId};
use engine::{AgentFields, Change, NewSession};
use serde_json::{Value, json};
use store::{Tx, knowledge::EntryName};
use testkit::model::{Recorded, Reply};

/// An agent that remembers, reads words of others (`page`) and acts outside (`touch`).
async fn world(is_postgres: bool) -> World {
    let url = if is_postgres { crate::world::postgres().await } else { None };
    remembers(world_with(|setup: &mut Setup| setup.url = url).await).await
}

async fn remembers(world: World) -> World {
    let capabilities = ["workshop", "street", "session_file_system", "colleagues", "knowledge"];
    let capabilities = Change::Set(capabilities.map(CapabilityRef::from).to_vec());
    let fields = AgentFields { capabilities, ..AgentFields::default() };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
    world
}

impl World {
    async fn remember(&self, words: &str) -> (ResultStatus, String) {
        self.manage(json!({ "action": "upsert", "store": "memory", "content": words })).await
    }

    async fn manage(&self, arguments: Value) -> (ResultStatus, String) {
        self.act("manage_knowledge", arguments).await
    }

    async fn remembers(&self, words: &str) -> String {
        let (status, said) = self.remember(words).await;
        assert_eq!(status, ResultStatus::Ok, "{said}");
        said
    }

    /// What the model is told of everything, with the next message.
    async fn next_prompt(&self) -> String {
        self.model.script(Reply::text("Hello."));
        self.run("Hello").await;
        said(&self.model.last_request().unwrap())
    }

    /// From now on this world is in a new conversation with the same agent.
    async fn begin_anew(&mut self) {
        let new = NewSession::with(self.agent);
        self.session = self.engine().create_session(self.user, new).await.unwrap().id;
    }

    async fn memory(&self, number: u64) -> KnowledgeEntry {
        let name = EntryName::Number(KnowledgeStore::Memory, number);
        self.entry(self.user, name).await.expect("it is there")
    }

    async fn entry(&self, user: UserId, name: EntryName) -> Option<KnowledgeEntry> {
        let key = self.store.data_key(user).await.unwrap();
        let read = move |tx: &mut Tx| store::knowledge::get(tx, &key, user, name);
        self.store.read(read).await.unwrap()
    }

    fn in_session(&mut self, session: SessionId) {
        self.session = session;
    }
}

fn said(request: &Recorded) -> String {
    serde_json::to_string(request.messages()).unwrap()
}
