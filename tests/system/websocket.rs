//! A window that loses its connection again and again ends with exactly what the log has.

use crate::{
    checker::{self, Acknowledged},
    ground,
    window::{Heard, Open, Window, Words},
    world::{self, Backend, World},
};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};
use std::{collections::HashMap, time::Duration};
use testkit::{
    model::{Recorded, Reply},
    program::Running,
};

const SESSIONS: usize = 3;
const CUTS: usize = 50;
/// Every so many cuts it is the server that goes.
const KILL_EVERY: usize = 10;
const SILENCE: Duration = Duration::from_millis(300);

/// Long enough that most cuts come in the middle of a message.
fn reply(request: &Recorded) -> Reply {
    let said = request.last_user();
    if said.starts_with("[@user:ask]") {
        return Reply::text("Thank you.");
    }
    let question = said.ends_with(['2', '6']).then(|| "<ask options=\"yes, no\">Shall I?</ask>".to_owned());
    let words = (0..40).map(|word| format!("{said}-wörd{word} "));
    let text = Reply::pieces(words.chain(question)).pace(Duration::from_millis(2));
    let calls = said.ends_with(['1', '3', '5', '7', '9']) && request.results_since_user().is_empty();
    if calls { text.then_calls([("count_effect", json!({ "tag": said }))]) } else { text }
}

/// A person at the window: what they do depends on the seed alone.
struct Person {
    random: StdRng,
    window: Window,
    said: HashMap<String, usize>,
    stops: usize,
}

impl Person {
    async fn say_next(&mut self, open: &mut Open, session: &str) {
        let number = self.said.entry(session.to_owned()).or_default();
        let text = format!("{}-{number}", &session[session.len() - 4..]);
        *number += 1;
        self.window.say(open, Words { session: session.to_owned(), text }).await;
    }

    /// Looks at the window for a while: speaks when a turn has ended, stops one now and then.
    async fn look(&mut self, open: &mut Open) {
        for _ in 0..self.random.random_range(3..60) {
            match self.window.hear(open, SILENCE).await {
                Heard::Ended(session) => self.say_next(open, &session).await,
                Heard::Asked(question) => open.answer(&question).await,
                Heard::Live(session) if self.random.random_ratio(1, 60) => {
                    self.stops += 1;
                    open.abort(&session).await;
                }
                Heard::Broken => return,
                // Whatever was said is lost with a connection; somebody who sees nothing happen speaks again.
                Heard::Silence if self.window.unacknowledged.is_empty() => {
                    let sessions: Vec<String> = self.window.seen.keys().cloned().collect();
                    let session = &sessions[self.random.random_range(0..sessions.len())];
                    self.say_next(open, session).await;
                }
                _ => {}
            }
        }
    }
}

async fn lose_it_often(backend: Backend, cuts: usize, seed: u64) {
    println!("window: {backend:?}, {cuts} cuts, replay with KILL_SEED={seed}");
    let Some(world) = World::new(backend).await else {
        return;
    };
    world.model.respond(reply);
    let mut running = world.serve().await;
    let client = running.client(&world.key);
    let agent = world::worker(&client).await;
    let mut sessions = Vec::new();
    for _ in 0..SESSIONS {
        sessions.push(world::new_session(&client, &agent).await);
    }
    let window = Window::new(&sessions);
    let mut person = Person { random: StdRng::seed_from_u64(seed), window, said: HashMap::new(), stops: 0 };
    let mut open = person.window.open(&running.base, &world.key).await;
    for session in &sessions {
        person.say_next(&mut open, session).await;
    }
    for cut in 1..=cuts {
        person.look(&mut open).await;
        if cut % KILL_EVERY == 0 {
            running.kill().await.unwrap();
            running = world.serve().await;
        }
        open = person.window.open(&running.base, &world.key).await;
    }
    be_asked(&mut person, &mut open, &sessions[0]).await;
    compare(&world, &running, person, open, &sessions).await;
    assert_eq!(running.terminate().await.unwrap(), Some(0));
    ground::check_nothing_left(world.program.data());
}

/// Every question may have been in a turn that was stopped before it came to it. Now nobody stops anything any more, except by
/// what was still on its way when the last connection was cut.
async fn be_asked(person: &mut Person, open: &mut Open, session: &str) {
    for attempt in 0..5 {
        if person.window.answered > 0 {
            return;
        }
        // As `reply` wants it: it ends in 2.
        let text = format!("{}-at-last-{attempt}2", &session[session.len() - 4..]);
        person.window.say(open, Words { session: session.to_owned(), text }).await;
        while person.window.answered == 0 {
            match person.window.hear(open, Duration::from_secs(30)).await {
                Heard::Asked(question) => open.answer(&question).await,
                Heard::Silence => break,
                Heard::Broken => panic!("the connection broke"),
                Heard::Live(_) | Heard::Ended(_) | Heard::Other => {}
            }
        }
    }
}

/// Waits until everything has come to rest and been seen, and compares it with the log.
async fn compare(world: &World, running: &Running, mut person: Person, mut open: Open, sessions: &[String]) {
    while !person.window.unacknowledged.is_empty() || !person.window.unanswered.is_empty() {
        let heard = person.window.hear(&mut open, Duration::from_secs(30)).await;
        assert!(!matches!(heard, Heard::Silence | Heard::Broken), "{heard:?}");
        if let Heard::Asked(question) = heard {
            open.answer(&question).await;
        }
    }
    let client = running.client(&world.key);
    for session in sessions {
        world::answer_until_quiet(&client, session, "yes").await;
        // A summary may follow a turn at any time after its end: what the log has now is compared, and what comes later is not.
        let log = checker::log(&client, session).await;
        let end = log.last().unwrap()["seq"].as_u64().unwrap();
        while !person.window.seen[session].has(end) {
            let heard = person.window.hear(&mut open, Duration::from_secs(30)).await;
            assert!(!matches!(heard, Heard::Silence | Heard::Broken), "{heard:?}");
        }
        let same = |events: &[Value]| -> Vec<(Value, Value, Value)> {
            let part = |event: &Value| (event["seq"].clone(), event["type"].clone(), event["data"].clone());
            events.iter().map(part).collect()
        };
        let seen = &person.window.seen[session].durable[..log.len()];
        assert_eq!(same(seen), same(&log), "the window saw something else");
    }
    let acknowledged: Vec<Acknowledged> = person
        .window
        .acknowledged
        .iter()
        .map(|(Words { session, text }, turn)| Acknowledged {
            session: session.clone(),
            text: text.clone(),
            turn: turn.clone(),
        })
        .collect();
    let report = checker::check(world, &client, sessions, &acknowledged).await;
    let Person { window, stops, .. } = person;
    assert!(window.answered > 0, "nothing was asked");
    assert!(window.resumed_in_a_message > 0, "no cut was in the middle of a message");
    println!(
        "{} connections, {} resumed in the middle of a message, {stops} stops, {} answers: {report:?}",
        window.connections, window.resumed_in_a_message, window.answered
    );
}

fn seed() -> u64 {
    std::env::var("KILL_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(rand::random)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_that_loses_its_connection_ends_with_the_log() {
    lose_it_often(Backend::Sqlite, CUTS, seed()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_that_loses_its_connection_ends_with_the_log_on_postgres() {
    lose_it_often(Backend::Postgres, CUTS / 2, seed()).await;
}
