//! What an operator sees holds ids, codes and numbers, and no word of a person: the log at its most talkative, its last
//! lines in the API, the numbers, and the spans that are sent away.

use crate::{
    window::{Heard, Window, Words},
    world::{self, Backend, World, quiet},
};
use serde_json::json;
use std::{
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};
use testkit::{
    client::Client,
    collector::Collector,
    model::{Recorded, Reply},
    program::Running,
};

const SAID: &str = "canary-of-a-person-51aa";
const FAILING: &str = "canary-of-a-failure-52bb";
const REPLIED: &str = "canary-of-a-model-53cc";
const ARGUMENT: &str = "canary-of-an-argument-54dd";
const MADE_UP: &str = "canary_of_a_tool_55ee";
const PROMPT: &str = "canary-of-a-prompt-56ff";
const AGENT: &str = "canary-of-an-agent-57ab";
const SESSION: &str = "canary-of-a-title-58bc";
const FILE: &str = "canary-of-a-file-59cd.txt";
const CONTENT: &str = "canary-of-a-content-60de";
const SEARCHED: &str = "canary-of-a-search-61ef";
const PASSWORD: &str = "canary of a password 62fa";
const GUESSED: &str = "canary of a guess 63ab";
const PROVIDER_KEY: &str = "sk-canary-of-a-key-64bc";
const COMPLAINT: &str = "canary-of-a-vendor-65cd";
const WRONG_KEY: &str = "majordomo-canary-of-a-key-66de";

const WORDS: [&str; 16] = [
    SAID,
    FAILING,
    REPLIED,
    ARGUMENT,
    MADE_UP,
    PROMPT,
    AGENT,
    SESSION,
    FILE,
    CONTENT,
    SEARCHED,
    PASSWORD,
    GUESSED,
    PROVIDER_KEY,
    COMPLAINT,
    WRONG_KEY,
];

fn reply(request: &Recorded) -> Reply {
    let said = request.last_user();
    match request.results_since_user().len() {
        _ if said == FAILING => {
            Reply::status(400).body(json!({ "error": { "message": COMPLAINT } }).to_string())
        }
        0 if said == SAID => Reply::text(REPLIED).then_calls([
            ("count_effect", json!({ "tag": ARGUMENT })),
            ("count_read", json!({ "wrong": ARGUMENT })),
            (MADE_UP, json!({ "tag": ARGUMENT })),
        ]),
        _ => Reply::pieces([REPLIED, " ", REPLIED]).pace(Duration::from_millis(30)),
    }
}

/// Everything that was shown to an operator.
#[derive(Default)]
struct Shown {
    logs: Vec<PathBuf>,
    texts: Vec<(&'static str, String)>,
}

impl Shown {
    async fn look(&mut self, client: &Client) {
        for (what, path) in [("the numbers", "/metrics"), ("the last lines", "/v1/logs?limit=1000")] {
            self.texts.push((what, client.get(path).await.unwrap().expect(200).to_string()));
        }
    }

    /// Where one of the words stands.
    fn leaks(&self, words: &[&str]) -> Vec<String> {
        let logs = self.logs.iter().map(|path| ("the log", std::fs::read_to_string(path).unwrap()));
        let texts: Vec<_> = logs.chain(self.texts.iter().cloned()).collect();
        let mut leaks = Vec::new();
        for (what, text) in &texts {
            for word in words.iter().filter(|word| text.contains(**word)) {
                let line = text.lines().find(|line| line.contains(word)).unwrap_or_default();
                leaks.push(format!("{word} in {what}: {line:.400}"));
            }
        }
        leaks
    }
}

async fn serve(world: &World, shown: &mut Shown) -> Running {
    let log = world.data.path().join(format!("log-{}", shown.logs.len()));
    let running = world.program.serve_into(&log).await.unwrap();
    shown.logs.push(log);
    running
}

async fn say(client: &Client, session: &str, text: &str) -> String {
    let stream = client.send_message(session, text, &json!({ "content": text })).await.unwrap();
    let events = stream.collect().await.unwrap();
    events[0].data["turn_id"].as_str().unwrap().to_owned()
}

/// Whatever a person does of which somebody could write too much into a log.
async fn live(client: &Client, world: &World, base: &str) -> (String, String) {
    let fields = json!({ "name": AGENT, "system_prompt": PROMPT, "capabilities": ["counting"] });
    let agent = world::agent(client, fields).await;
    let session = client.post("/v1/sessions", &json!({ "agent_id": agent, "name": SESSION })).await.unwrap();
    let session = session.expect(201)["id"].as_str().unwrap().to_owned();
    let turn = say(client, &session, SAID).await;
    say(client, &session, FAILING).await;
    client.upload(FILE, "text/plain", CONTENT.as_bytes()).await.unwrap().expect(201);
    client.upload(FILE, "image/png", CONTENT.as_bytes()).await.unwrap().expect(415);
    client.get(&format!("/v1/sessions?search={SEARCHED}")).await.unwrap().expect(200);
    client.get(&format!("/v1/{SEARCHED}/x?q={SEARCHED}")).await.unwrap().expect(404);
    client
        .post(&format!("/v1/sessions/{session}/messages"), &json!({ CONTENT: CONTENT }))
        .await
        .unwrap()
        .expect(400);
    let mut window = Window::new(std::slice::from_ref(&session));
    let mut open = window.open(base, &world.key).await;
    window.say(&mut open, Words { session: session.clone(), text: format!("{SAID} here") }).await;
    while !window.unacknowledged.is_empty() {
        assert_ne!(window.hear(&mut open, Duration::from_secs(30)).await, Heard::Broken);
    }
    quiet(client, &session).await;
    let person = json!({ "name": "bea", "password": PASSWORD, "role": "member" });
    client.post("/v1/users", &person).await.unwrap();
    for password in [PASSWORD, GUESSED] {
        let login = json!({ "name": "bea", "password": password });
        Client::new(base, "").post("/v1/login", &login).await.unwrap();
    }
    Client::new(base, WRONG_KEY).get("/v1/me").await.unwrap().expect(401);
    assert_eq!(
        world.model.last_request().unwrap().header("authorization"),
        Some(&*format!("Bearer {PROVIDER_KEY}"))
    );
    (session, turn)
}

async fn no_word_of_anybody_is_shown(backend: Backend) {
    let Some(mut world) = World::new(backend).await else {
        return;
    };
    let collector = Collector::start().await.unwrap();
    world.program = world
        .program
        .clone()
        .env("MAJORDOMO_LOG", "trace")
        .env("MAJORDOMO_DEFAULTS_TITLES", "true")
        .env("MAJORDOMO_PROVIDER_TEST_API_KEY", PROVIDER_KEY)
        .env("MAJORDOMO_TELEMETRY_OTLP_ENDPOINT", collector.url());
    // It falls silent in the middle of this one, until it is asked again.
    let again = format!("{SAID} again");
    let (said, held) = (again.clone(), AtomicBool::new(true));
    world.model.respond(move |request| {
        let silent = request.last_user() == said && held.swap(false, Ordering::SeqCst);
        if silent { reply(request).stall_after_pieces(1) } else { reply(request) }
    });
    let mut shown = Shown::default();

    let running = serve(&world, &mut shown).await;
    let client = running.client(&world.key);
    let (session, turn) = live(&client, &world, &running.base).await;
    shown.look(&client).await;
    assert!(collector.was_told(&turn).await, "no span of the turn was sent");
    // In the middle of a turn: what is taken up is talked about as well.
    let body = json!({ "content": again });
    let mut stream = client.send_message(&session, "again", &body).await.unwrap();
    while stream.next().await.unwrap().unwrap().event != "text" {}
    running.kill().await.unwrap();
    let running = serve(&world, &mut shown).await;
    let client = running.client(&world.key);
    quiet(&client, &session).await;
    shown.look(&client).await;
    assert_eq!(running.terminate().await.unwrap(), Some(0));

    let sent = collector.taken();
    for name in ["request", "turn", "model_call", "tool_call"] {
        assert!(sent.contains(&format!("\"name\":\"{name}\"")), "no span {name} was sent");
    }
    shown.texts.push(("the spans", sent));
    // The control: the search finds what is there, in each of the places.
    let found = shown.leaks(&[&session, &turn, "majordomo_turns_total"]);
    for what in ["the log", "the last lines", "the numbers", "the spans"] {
        let texts: Vec<_> = shown.texts.iter().filter(|(known, _)| *known == what).collect();
        assert!(found.iter().any(|leak| leak.contains(what)), "nothing was found in {what}: {texts:?}");
    }
    let key = world.key.as_str();
    let words: Vec<&str> = WORDS.into_iter().chain([key, "correct horse"]).collect();
    assert_eq!(shown.leaks(&words), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn no_word_of_anybody_is_shown_to_an_operator() {
    no_word_of_anybody_is_shown(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_word_of_anybody_is_shown_to_an_operator_of_postgres() {
    no_word_of_anybody_is_shown(Backend::Postgres).await;
}
