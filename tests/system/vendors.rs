//! A session that goes from one vendor to another and back, with tool calls in its history.

use crate::world::{self, Backend, World};
use serde_json::{Value, json};
use testkit::{
    client::Client,
    model::{ModelServer, Reply},
};

const KEY: &str = "sk-ant-0123456789-never-shown";

/// A server of the other wire, whose model thinks.
async fn claude() -> ModelServer {
    let claude = ModelServer::start().await;
    let thinking = json!({"supported": true, "types": {"enabled": {"supported": true}}});
    claude.model_entries([json!({"type": "model", "id": "claude", "max_input_tokens": 200_000,
        "max_tokens": 64_000, "capabilities": {"thinking": thinking}})]);
    claude
}

struct Talk {
    client: Client,
    agent: String,
    session: String,
}

impl Talk {
    async fn say(&self, words: &str) -> Value {
        let path = format!("/v1/sessions/{}/messages", self.session);
        let answer = self.client.post(&path, &json!({ "content": words })).await.unwrap().expect(200);
        assert_eq!(answer["outcome"], "completed", "{answer}");
        answer
    }

    async fn use_model(&self, model: &str) {
        let fields = json!({ "model": model, "parameters": { "reasoning": "high", "seed": 1 } });
        self.client.patch(&format!("/v1/agents/{}", self.agent), &fields).await.unwrap().expect(200);
    }
}

fn search() -> [Value; 2] {
    [
        json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "five"}}),
        json!({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1",
            "content": [{"type": "web_search_result", "encrypted_content": "EqgfCioIARgBIiQ"}]}),
    ]
}

fn kinds(message: &Value) -> Vec<&str> {
    message["content"].as_array().unwrap().iter().map(|block| block["type"].as_str().unwrap()).collect()
}

/// A turn with the other vendor, with reasoning, a call, a search and citations.
async fn over_there(talk: &Talk, claude: &ModelServer) {
    talk.use_model("anthropic/claude").await;
    let searched = search().into_iter().fold(Reply::text("Six, it is said."), Reply::block);
    claude.queue([
        Reply::text("Now I add.").thinking("Plus one …").then_calls([("add", json!({"a": 5, "b": 1}))]),
        searched
            .thinking("So.")
            .citation(json!({"type": "web_search_result_location", "encrypted_index": "Eo8B"})),
    ]);
    let second = talk.say("And one more?").await;
    assert_eq!(second["message"]["content"], "Six, it is said.");
    assert!(second["usage"]["input_tokens"].as_u64().unwrap() > 0);
    let seen = claude.requests();
    let roles: Vec<&str> = seen[0].messages().iter().map(|m| m["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "user", "assistant", "user"]);
    assert_eq!(kinds(&seen[0].messages()[1]), ["text", "tool_use", "tool_use"]);
    assert_eq!(kinds(&seen[0].messages()[2]), ["tool_result", "tool_result"]);
    assert_eq!(kinds(&seen[1].messages()[5]), ["thinking", "text", "tool_use"]);
    assert_eq!(seen[1].body["thinking"]["type"], "enabled");
    assert_eq!(seen[0].header("x-api-key"), Some(KEY));
}

/// What was made for one model is kept, and says for which.
async fn keeps_its_blocks(talk: &Talk) {
    let path = format!("/v1/sessions/{}/messages?limit=100", talk.session);
    let messages = talk.client.get(&path).await.unwrap().expect(200);
    let parts: Vec<&Value> =
        messages["items"].as_array().unwrap().iter().map(|message| &message["parts"]).collect();
    let native =
        parts.iter().flat_map(|parts| parts.as_array().unwrap()).filter(|part| part["type"] == "native");
    assert!(native.clone().count() >= 5 && native.clone().all(|part| part["model"] == "anthropic/claude"));
}

async fn from_vendor_to_vendor(backend: Backend) {
    let Some(mut world) = World::new(backend).await else {
        return;
    };
    let claude = claude().await;
    world.program = world.program.env("ANTHROPIC_API_KEY", KEY).env("ANTHROPIC_BASE_URL", claude.root_url());
    let running = world.serve().await;
    let client = running.client(&world.key);
    world::known(&client, "anthropic/claude").await;
    let fields =
        json!({ "name": "traveller", "system_prompt": "You travel.", "capabilities": ["test_math"] });
    let agent = world::agent(&client, fields).await;
    let session = world::new_session(&client, &agent).await;
    let mut talk = Talk { client, agent, session };

    talk.use_model("test/scripted").await;
    let sums = [("add", json!({"a": 2, "b": 3})), ("divide", json!({"a": 1, "b": 0}))];
    world.model.queue([Reply::text("I add. ").then_calls(sums), Reply::text("Five.")]);
    assert_eq!(talk.say("2+3?").await["message"]["content"], "Five.");

    over_there(&talk, &claude).await;

    talk.use_model("test/scripted").await;
    world.model.queue([Reply::calls([("add", json!({"a": 6, "b": 1}))]), Reply::text("Seven.")]);
    assert_eq!(talk.say("And again?").await["message"]["content"], "Seven.");
    let sent = world.model.last_request().unwrap().body.to_string();
    assert!(sent.contains("Six, it is said.") && !sent.contains("signature") && !sent.contains("encrypted"));

    // What was signed survives the death of the program, word for word: the server compares.
    running.kill().await.unwrap();
    let running = world.serve().await;
    talk.client = running.client(&world.key);
    world::known(&talk.client, "anthropic/claude").await;
    talk.use_model("anthropic/claude").await;
    claude.script(Reply::text("Eight.").thinking("Hm."));
    assert_eq!(talk.say("And now?").await["message"]["content"], "Eight.");
    let last = claude.last_request().unwrap();
    let told: Vec<Vec<&str>> = last.messages().iter().map(kinds).collect();
    assert_eq!(told[7], ["thinking", "server_tool_use", "web_search_tool_result", "text"]);
    assert_eq!(last.messages()[7]["content"][2], search()[1]);

    keeps_its_blocks(&talk).await;
    assert_eq!(running.terminate().await.unwrap(), Some(0));
    world.model.assert_clean();
    claude.assert_clean();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_changes_its_vendor_in_the_middle_and_goes_back() {
    from_vendor_to_vendor(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_changes_its_vendor_in_the_middle_and_goes_back_on_postgres() {
    from_vendor_to_vendor(Backend::Postgres).await;
}
