//! Some faults in a row, and what is left when everything has come to rest.

use super::{
    NODES, Town,
    everything::{self, Ends, SeenEverything},
    reader::wander,
    talkers::{AtWindow, Talker, Told, WholeAnswer},
};
use crate::{
    beside::name,
    checker::{self, Acknowledged},
    follower::Seen,
    script,
    window::{Heard, Window},
    world,
};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use testkit::{client::Client, model::Recorded};
use tokio::{
    sync::watch,
    task::JoinHandle,
    time::{sleep, timeout},
};

/// In each of these a person talks by streams and another one waits for whole replies; a third reads.
const SHARED: usize = 3;
/// These belong to a person at a window.
const AT_WINDOW: usize = 2;
/// Nothing that is waited for takes this long.
const PATIENCE: Duration = Duration::from_secs(180);
/// A reply takes two seconds, so that most faults come in the middle of one, and two at once are noticed.
const PACE: Duration = Duration::from_millis(60);
/// More than all of it costs.
const BUDGET: u64 = 1_000_000_000_000;

/// What a request is about: each message begins with the name of its conversation. A summary is beside the turns.
pub fn conversation(request: &Recorded) -> String {
    let said = script::asked(request).0;
    match script::summary(request) {
        Some(_) => String::new(),
        None => said.split('.').next().unwrap_or_default().to_owned(),
    }
}

struct People {
    sessions: Vec<String>,
    talkers: Vec<JoinHandle<Told>>,
    readers: Vec<(watch::Sender<Option<u64>>, JoinHandle<Seen>)>,
    of_everything: (watch::Sender<Option<Ends>>, JoinHandle<SeenEverything>),
    at_window: JoinHandle<Window>,
    enough: Arc<AtomicBool>,
}

pub async fn live_through(town: &mut Town, number: usize, blows: usize) {
    town.world.model.respond(|request| script::reply(request, PACE));
    let client = a_client(town).await;
    let people = gather(town, number, &client).await;
    for _ in 0..blows {
        town.strike().await;
    }
    people.enough.store(true, Ordering::SeqCst);
    look_at_everything(town, number, people).await;
}

/// At some node; all of them are there.
async fn a_client(town: &mut Town) -> Client {
    let node = town.random.random_range(0..NODES);
    let client = town.running[node].as_ref().unwrap().client(&town.world.key);
    let ready = async {
        while !matches!(client.get("/readyz").await, Ok(answer) if answer.status == 200) {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, ready).await.unwrap_or_else(|_| panic!("{} is not ready", name(node)));
    client
}

async fn gather(town: &mut Town, number: usize, client: &Client) -> People {
    let budget = json!({ "budget": { "per_day_microusd": BUDGET } });
    client.patch("/v1/me", &budget).await.unwrap().expect(200);
    // A person has one agent of a name.
    let capabilities = json!(["counting", "current_time", "test_math", "session_file_system"]);
    let worker = json!({ "name": format!("worker {number}"), "capabilities": capabilities });
    let agent = world::agent(client, worker).await;
    let enough = Arc::new(AtomicBool::new(false));
    let mut random = || StdRng::seed_from_u64(town.random.random());
    let (mut sessions, mut talkers, mut readers) = (Vec::new(), Vec::new(), Vec::new());
    for index in 0..SHARED + AT_WINDOW {
        let session = world::new_session(client, &agent).await;
        let (finish, until) = watch::channel(None);
        let reading = wander(client.clone(), session.clone(), town.addresses.clone(), random(), until);
        readers.push((finish, tokio::spawn(reading)));
        for by_stream in [true, false].into_iter().filter(|_| index < SHARED) {
            let talker = Talker {
                client: client.clone(),
                session: session.clone(),
                name: format!("t{number}s{index}.{}", if by_stream { 's' } else { 'b' }),
                addresses: town.addresses.clone(),
                random: random(),
            };
            talkers.push(tokio::spawn(talker.talk(by_stream, enough.clone())));
        }
        sessions.push(session);
    }
    let person = AtWindow {
        window: Window::new(&sessions[SHARED..]),
        key: town.world.key.clone(),
        name: format!("t{number}w"),
        addresses: town.addresses.clone(),
        random: random(),
    };
    let at_window = tokio::spawn(person.talk(enough.clone()));
    let (finish, until) = watch::channel(None);
    let reading = everything::wander(client.clone(), town.addresses.clone(), random(), until);
    let of_everything = (finish, tokio::spawn(reading));
    People { sessions, talkers, readers, of_everything, at_window, enough }
}

async fn look_at_everything(town: &mut Town, number: usize, people: People) {
    let People { sessions, talkers, readers, of_everything, at_window, .. } = people;
    let (mut acknowledged, mut answers) = (Vec::new(), Vec::new());
    for talker in talkers {
        let told = timeout(PATIENCE, talker).await.expect("a talker gets no answer").unwrap();
        acknowledged.extend(told.acknowledged);
        answers.extend(told.answers);
    }
    let mut window = timeout(PATIENCE, at_window).await.expect("the window gets no answer").unwrap();
    let said = window.acknowledged.iter().map(|(words, turn)| Acknowledged {
        session: words.session.clone(),
        text: words.text.clone(),
        turn: turn.clone(),
    });
    acknowledged.extend(said);
    let client = a_client(town).await;
    let mut ends = Vec::new();
    for session in &sessions {
        ends.push(world::quiet(&client, session).await);
    }
    let report = checker::check(&town.world, &client, &sessions, &acknowledged).await;
    let (mut moves, mut in_a_message) = (0, 0);
    for ((finish, reader), (session, end)) in readers.into_iter().zip(sessions.iter().zip(&ends)) {
        finish.send_replace(Some(*end));
        let seen = timeout(PATIENCE, reader).await.expect("a reader does not see the end").unwrap();
        same_as_the_log(&client, session, &seen).await;
        moves += seen.connections;
        in_a_message += seen.resumed_mid_message;
    }
    let (finish, reader) = of_everything;
    finish.send_replace(Some(sessions.iter().cloned().zip(ends.iter().copied()).collect()));
    let everything =
        timeout(PATIENCE, reader).await.expect("who reads everything does not see the end").unwrap();
    everything_is_in_the_logs(&client, &sessions, &everything).await;
    read_to_the_end(town, &mut window, sessions.iter().zip(ends).skip(SHARED)).await;
    for (session, seen) in &window.seen {
        same_as_the_log(&client, session, seen).await;
    }
    answers_are_in_the_log(&client, &acknowledged, &answers).await;
    // Three faults in a row without a step forward, and a turn says so and gives up; nothing else may fail.
    let expected = ["completed", "failed no_progress"];
    assert!(report.outcomes.keys().all(|outcome| expected.contains(&outcome.as_str())), "{report:?}");
    assert!(report.effects > 0 && in_a_message > 0, "too little happened: {report:?}");
    println!(
        "season {number}: {report:?}; {moves} connections of readers, {in_a_message} in the middle of a message; \
         {} of a window, {} in the middle of a message; {} requests waited for the whole",
        window.connections,
        window.resumed_in_a_message,
        answers.len()
    );
}

async fn same_as_the_log(client: &Client, session: &str, seen: &Seen) {
    let log = checker::log(client, session).await;
    let part = |event: &Value| (event["seq"].clone(), event["type"].clone(), event["data"].clone());
    let seen: Vec<_> = seen.durable.iter().map(part).collect();
    let log: Vec<_> = log.iter().map(part).collect();
    // A summary may follow a turn at any time after its end.
    assert_eq!(seen, log[..seen.len()], "a reader saw something else than the log");
}

/// Of the conversations of this season; those before it have ended.
async fn everything_is_in_the_logs(client: &Client, sessions: &[String], seen: &SeenEverything) {
    let mut count = 0;
    for session in sessions {
        for event in checker::log(client, session).await {
            let told = seen.events.get(&(session.clone(), event["seq"].as_u64().unwrap()));
            let Some(told) = told else { continue };
            assert_eq!(
                *told,
                json!([event["type"], event["data"]]),
                "{session} was told otherwise than the log"
            );
            count += 1;
        }
    }
    assert!(count > 0 && seen.connections > 1, "too little was read: {count} in {}", seen.connections);
}

/// The window is connected once more, and hears the rest.
async fn read_to_the_end<'a>(
    town: &Town,
    window: &mut Window,
    ends: impl Iterator<Item = (&'a String, u64)> + Clone,
) {
    let base = &town.running[0].as_ref().unwrap().base;
    let mut open = window.open(base, &town.world.key).await;
    while !ends.clone().all(|(session, end)| window.seen[session].has(end)) {
        let heard = window.hear(&mut open, PATIENCE).await;
        assert!(!matches!(heard, Heard::Silence | Heard::Broken), "{heard:?}");
    }
}

/// What was answered to a request that waited for it is what the log has of its turn, and the same wherever it is asked again.
async fn answers_are_in_the_log(client: &Client, acknowledged: &[Acknowledged], answers: &[WholeAnswer]) {
    for WholeAnswer { text, body } in answers {
        let said = acknowledged.iter().find(|said| said.text == *text).unwrap();
        let path = format!("/v1/sessions/{}/messages", said.session);
        let again = client.post_once(&path, text, &json!({ "content": text })).await.unwrap().expect(200);
        for part in ["turn_id", "outcome", "message", "reply", "calls"] {
            assert_eq!(again[part], body[part], "{part} of {text}");
        }
    }
    for session in acknowledged.iter().map(|said| &said.session).collect::<std::collections::BTreeSet<_>>() {
        let log = checker::log(client, session).await;
        for WholeAnswer { body, .. } in answers {
            let of_turn = |event: &&Value| event["turn_id"] == body["turn_id"];
            let last = log.iter().rev().filter(of_turn).find(|event| event["type"] == "message_complete");
            if let Some(last) = last {
                assert_eq!(body["message"]["content"], last["data"]["content"], "{body}");
            }
        }
    }
}
