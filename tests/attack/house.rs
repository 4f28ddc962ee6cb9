//! A server full of things that an attacker would like to have: people, their words and files, keys, services beside it.

use crate::{
    canary::{Canary, Detector, Reach},
    row::HOME,
    script::Director,
    sinks::Sinks,
};
use rand::{SeedableRng, rngs::StdRng};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};
use tempfile::TempDir;
use testkit::{
    client::Client,
    counting::{COUNTER, counts},
    model::ModelServer,
    program::{Program, Running},
};
use tokio::sync::Mutex;

/// Names of hosts that are elsewhere first, here then, or both at once.
pub const FICKLE: [&str; 3] =
    ["turning.attack.example.com", "home.attack.example.com", "both.attack.example.com"];
const PASSWORD: &str = "correct horse battery\n";

/// What is taken away from the program, to show what it was good for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Weakened {
    pub guard: Option<&'static str>,
}

pub struct House {
    pub running: Running,
    pub program: Program,
    pub model: ModelServer,
    pub director: Director,
    pub sinks: Sinks,
    pub canaries: Vec<Canary>,
    pub detector: Detector,
    /// The person whose agents attack.
    pub bob: Client,
    /// Somebody else.
    pub eve: Client,
    pub ada: Client,
    /// Brings what strangers say to bob's agent.
    pub bridge: Client,
    /// Where nothing of the program has any business.
    pub outside: PathBuf,
    pub log: PathBuf,
    /// Browsers of people who have signed in, by their names.
    browsers: Mutex<HashMap<String, Client>>,
    folder: TempDir,
}

impl House {
    pub async fn open(seed: u64, weakened: Weakened) -> Self {
        Self::with_store(seed, weakened, None).await
    }

    /// With its memory in this database.
    pub async fn with_store(seed: u64, weakened: Weakened, url: Option<&str>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut canaries = made(seed);
        let value = |name: &str, all: &[Canary]| canary(all, name).value.clone();
        let sinks = Sinks::new(folder.path(), &value("metadata", &canaries)).await;
        let (model, director) = (ModelServer::start().await, Director::default());
        director.direct(&model);
        let (counter, outside) = (folder.path().join("counter"), folder.path().join("outside"));
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("secret.txt"), value("host file", &canaries)).unwrap();
        let mut program =
            Program::new(env!("CARGO_BIN_EXE_majordomo-under-test"), folder.path().join("data"))
                .model(&model.url())
                .env(COUNTER, counter.to_string_lossy())
                .env("MAJORDOMO_LOG", "warn")
                .env("MAJORDOMO_PROVIDER_TEST_API_KEY", format!("sk-{}", value("provider key", &canaries)))
                .env("NAMES_AT", format!("127.0.0.1:{}", sinks.names))
                .env("HOUSE_SECRET", value("environment", &canaries))
                .env("http_proxy", format!("http://127.0.0.1:{}", sinks.forbidden))
                .env("HTTPS_PROXY", format!("http://127.0.0.1:{}", sinks.forbidden));
        if let Some(url) = url {
            program = program.env("MAJORDOMO_STORE_URL", url);
        }
        let mut neighbours = vec![sinks.allowed, sinks.turncoat];
        match weakened.guard {
            Some(HOME) => neighbours.extend([sinks.forbidden, sinks.metadata]),
            Some(guard) => program = program.env("GUARDS_OFF", guard),
            None => {}
        }
        let mut neighbours: Vec<String> = neighbours.iter().map(|port| format!("127.0.0.1:{port}")).collect();
        if weakened.guard == Some(HOME) {
            neighbours.extend(FICKLE.map(|name| format!("{name}:{}", sinks.forbidden)));
        }
        program = program.env("MAJORDOMO_EGRESS_PRIVATE_HOSTS", neighbours.join(","));
        // The model sees the pictures that people attach.
        std::fs::create_dir(program.data()).unwrap();
        let sees = "[provider.test.images]\nscripted = true\n";
        std::fs::write(program.data().join("majordomo.toml"), sees).unwrap();
        let keys = people(&program).await;
        let master = std::fs::read_to_string(program.data().join("master.key")).unwrap();
        canaries.push(Canary::found("master key", &master));
        let log = folder.path().join("log");
        let running = program.serve_into(&log).await.unwrap();
        let [ada, eve, bob, bridge] = keys.map(|key| running.client(&key));
        receive(&program).await;
        plant(&ada, &value("message of the owner", &canaries), &value("file of the owner", &canaries)).await;
        plant(&eve, &value("message of another", &canaries), &value("file of another", &canaries)).await;
        let detector = Detector::new(&canaries);
        Self {
            running,
            program,
            model,
            director,
            sinks,
            canaries,
            detector,
            bob,
            eve,
            ada,
            bridge,
            outside,
            log,
            browsers: Mutex::default(),
            folder,
        }
    }

    pub fn canary(&self, name: &str) -> &str {
        &canary(&self.canaries, name).value
    }

    /// How often a tool that acts outside was run with this word.
    pub fn done(&self, word: &str) -> usize {
        let ran = counts(&self.counter()).into_iter();
        ran.filter(|((tool, tag), _)| tool == "count_effect" && tag == word).map(|(_, times)| times).sum()
    }

    /// The same, for any word that begins like this.
    pub fn begun(&self, beginning: &str) -> usize {
        let ran = counts(&self.counter()).into_iter();
        let mine = ran.filter(|((tool, tag), _)| tool == "count_effect" && tag.starts_with(beginning));
        mine.map(|(_, times)| times).sum()
    }

    /// Where tools that act outside note what they were given.
    fn counter(&self) -> PathBuf {
        self.folder.path().join("counter")
    }

    /// How much was ever given to tools that act outside.
    pub fn given(&self) -> usize {
        std::fs::read(self.counter()).map_or(0, |bytes| bytes.len())
    }

    /// Everything that left the house: what was said at the sinks, and what tools were given after so many bytes.
    pub fn left(&self, given_before: usize) -> Vec<(String, Vec<u8>)> {
        let heard = self.sinks.heard().into_iter().map(|(name, bytes)| (name.to_owned(), bytes));
        let counted = std::fs::read(self.counter()).unwrap_or_default();
        heard.chain([("a tool".to_owned(), counted[given_before.min(counted.len())..].to_vec())]).collect()
    }

    /// What lies outside that was not put there.
    pub fn strewn(&self) -> Vec<String> {
        let names = std::fs::read_dir(&self.outside).unwrap().map(|entry| entry.unwrap().file_name());
        let names = names.map(|name| name.to_string_lossy().into_owned());
        names.filter(|name| name != "secret.txt").collect()
    }

    /// A browser in which this person has signed in: some things are done by no key. One for all attacks, because a quick machine
    /// makes more of them in a minute than a person may sign in.
    pub async fn browser(&self, name: &str) -> Client {
        let mut browsers = self.browsers.lock().await;
        if let Some(browser) = browsers.get(name) {
            return browser.clone();
        }
        let signed_in = Client::signed_in(&self.running.base, name, PASSWORD.trim()).await.unwrap();
        let browser = signed_in.expect("the password is right");
        browsers.insert(name.to_owned(), browser.clone());
        browser
    }

    pub async fn is_alive(&self) -> bool {
        self.ada.get("/readyz").await.is_ok_and(|answer| answer.status == 200)
    }

    /// Lines of the log that nobody should be able to cause.
    pub fn complaints(&self) -> Vec<String> {
        let text = std::fs::read_to_string(&self.log).unwrap();
        let bad = |line: &&str| line.contains("panicked") || line.contains("ERROR");
        text.lines().filter(bad).take(20).map(str::to_owned).collect()
    }

    /// An agent of bob's. What a key may not give it, bob gives it in the terminal of the house.
    pub async fn agent_of_bob(&self, fields: Value) -> String {
        let made = self.bob.post("/v1/agents", &fields).await.unwrap();
        if made.status != 403 {
            return made.expect(201)["id"].as_str().unwrap().to_owned();
        }
        let mut words: Vec<String> = ["--json", "--user", "bob", "agent", "add"].map(str::to_owned).to_vec();
        words.push(fields["name"].as_str().unwrap().to_owned());
        let others = fields.as_object().unwrap().iter().filter(|(name, _)| *name != "name");
        words.extend(others.map(|(name, value)| format!("{name}={value}")));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let made: Value = serde_json::from_str(&self.program.must(&words, "").await).unwrap();
        made["id"].as_str().unwrap().to_owned()
    }

    /// A file that bob wrote, in a session of his. What is added later is not his for that. He says so himself: no key does.
    pub async fn own_file(&self, session: &str, name: &str, content: &str) {
        let (path, browser) = (format!("/v1/sessions/{session}"), self.browser("bob").await);
        let own = async |own: bool| {
            browser.patch(&path, &json!({ "own_files": own })).await.unwrap().expect(200);
        };
        own(true).await;
        self.bob.put_file(session, name, content.as_bytes()).await.unwrap().expect(201);
        own(false).await;
    }

    pub fn data(&self) -> &Path {
        self.program.data()
    }
}

fn made(seed: u64) -> Vec<Canary> {
    let mut dice = StdRng::seed_from_u64(seed);
    let kept = [
        "metadata",
        "host file",
        "provider key",
        "environment",
        "message of the owner",
        "file of the owner",
        "message of another",
        "file of another",
    ];
    let mut all: Vec<Canary> =
        kept.into_iter().map(|name| Canary::new(name, Reach::Nobody, &mut dice)).collect();
    all.push(Canary::new("diary", Reach::Inside, &mut dice));
    all.push(Canary::new("ledger", Reach::Inside, &mut dice));
    all.push(Canary::new("typed", Reach::Inside, &mut dice));
    all
}

fn canary<'a>(all: &'a [Canary], name: &str) -> &'a Canary {
    all.iter().find(|canary| canary.name == name).unwrap_or_else(|| panic!("no canary {name}"))
}

async fn people(program: &Program) -> [String; 4] {
    let mut keys = Vec::new();
    for (name, role) in [("ada", "owner"), ("eve", "member"), ("bob", "member")] {
        program.must(&["user", "add", name, "--role", role, "--password-stdin"], PASSWORD).await;
        keys.push(program.must(&["--user", name, "api-key", "new"], "").await);
    }
    keys.push(
        program
            .must(&["--user", "bob", "api-key", "new", "--scope", "bridge", "--source", "telegram"], "")
            .await,
    );
    keys.try_into().unwrap()
}

/// The agent that hears strangers can do something.
async fn receive(program: &Program) {
    let web = json!({ "id": "web_fetch", "settings": { "hosts": ["127.0.0.1", "*.attack.example.com"] } });
    let capabilities = json!(["counting", "session_file_system", "colleagues", web]);
    let change = format!("capabilities={capabilities}");
    program.must(&["--user", "bob", "agent", "set", "main", &change], "").await;
}

/// A conversation that is nobody else's business, with a file.
async fn plant(client: &Client, message: &str, file: &str) {
    let agent = made_agent(client, json!({ "name": "diary", "capabilities": ["session_file_system"] })).await;
    let session = new_session(client, &agent).await;
    let path = format!("/v1/sessions/{session}");
    client.post(&format!("{path}/messages"), &json!({ "content": message })).await.unwrap().expect(200);
    client.put_file(&session, "secret.txt", file.as_bytes()).await.unwrap().expect(201);
}

async fn made_agent(client: &Client, fields: Value) -> String {
    client.post("/v1/agents", &fields).await.unwrap().expect(201)["id"].as_str().unwrap().to_owned()
}

pub async fn new_session(client: &Client, agent: &str) -> String {
    let created = client.post("/v1/sessions", &json!({ "agent_id": agent })).await.unwrap().expect(201);
    created["id"].as_str().unwrap().to_owned()
}
