//! People who talk to any node: each message is said until it is acknowledged, with the same key, wherever they are answered.

use super::anywhere::Addresses;
use crate::{
    checker::Acknowledged,
    window::{Heard, Window, Words},
};
use rand::{RngExt, rngs::StdRng};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use testkit::client::Client;
use tokio::time::{sleep, timeout};

/// A client that hears nothing for so long tries another node.
const NO_HEAD: Duration = Duration::from_secs(5);
const NO_EVENT: Duration = Duration::from_secs(30);
/// One that waits for the whole reply, which may have others before it.
const NO_REPLY: Duration = Duration::from_secs(40);
const MOMENT: Duration = Duration::from_millis(20);

/// An answer to a request that waited for the whole turn.
pub struct WholeAnswer {
    pub text: String,
    pub body: Value,
}

/// What was acknowledged, and what was answered at once.
#[derive(Default)]
pub struct Told {
    pub acknowledged: Vec<Acknowledged>,
    pub answers: Vec<WholeAnswer>,
}

pub struct Talker {
    pub client: Client,
    pub session: String,
    pub name: String,
    pub addresses: Addresses,
    pub random: StdRng,
}

impl Talker {
    fn somewhere(&mut self) -> Client {
        self.client.at(&self.addresses.any(&mut self.random))
    }

    /// One message after the other, by stream or for the whole reply; one more after it is enough.
    pub async fn talk(mut self, by_stream: bool, enough: Arc<AtomicBool>) -> Told {
        let mut told = Told::default();
        for number in 0.. {
            let is_last = enough.load(Ordering::SeqCst);
            let text = format!("{}-{number}", self.name);
            let turn = match by_stream {
                true => self.follow(&text).await,
                false => {
                    let body = self.wait(&text).await;
                    let turn = body["turn_id"].as_str().unwrap().to_owned();
                    told.answers.push(WholeAnswer { text: text.clone(), body });
                    turn
                }
            };
            told.acknowledged.push(Acknowledged { session: self.session.clone(), text, turn });
            if is_last {
                break;
            }
        }
        told
    }

    /// Its first event names the turn; the rest is followed as long as the connection holds.
    async fn follow(&mut self, text: &str) -> String {
        loop {
            let (client, body) = (self.somewhere(), json!({ "content": text }));
            let sent = timeout(NO_HEAD, client.send_message(&self.session, text, &body)).await;
            if let Ok(Ok(mut stream)) = sent {
                assert!(matches!(stream.status, 200 | 429 | 503), "refused with {}", stream.status);
                if stream.status == 200
                    && let Ok(Ok(Some(first))) = timeout(NO_HEAD, stream.next()).await
                {
                    assert_eq!(first.data["type"], "input_accepted");
                    while let Ok(Ok(Some(_))) = timeout(NO_EVENT, stream.next()).await {}
                    return first.data["turn_id"].as_str().unwrap().to_owned();
                }
            }
            sleep(MOMENT).await;
        }
    }

    async fn wait(&mut self, text: &str) -> Value {
        let path = format!("/v1/sessions/{}/messages", self.session);
        loop {
            let (client, body) = (self.somewhere(), json!({ "content": text }));
            if let Ok(Ok(answer)) = timeout(NO_REPLY, client.post_once(&path, text, &body)).await {
                assert!(matches!(answer.status, 200 | 429 | 503), "{answer:?}");
                if answer.status == 200 {
                    return answer.body;
                }
            }
            sleep(MOMENT).await;
        }
    }
}

/// A person whose window is connected to one node after the other, in all of their sessions.
pub struct AtWindow {
    pub window: Window,
    pub key: String,
    pub name: String,
    pub addresses: Addresses,
    pub random: StdRng,
}

impl AtWindow {
    /// Says the next thing wherever a turn has ended, until it is enough and everything that was said is acknowledged.
    pub async fn talk(mut self, enough: Arc<AtomicBool>) -> Window {
        let mut said: HashMap<String, usize> = HashMap::new();
        let mut next = |session: &str, name: &str| {
            let number = said.entry(session.to_owned()).or_default();
            *number += 1;
            Words {
                session: session.to_owned(),
                text: format!("{name}{}.w-{number}", &session[session.len() - 4..]),
            }
        };
        // What is not acknowledged is said by every connection.
        let first: Vec<Words> = self.window.seen.keys().map(|session| next(session, &self.name)).collect();
        self.window.unacknowledged.extend(first);
        while !enough.load(Ordering::SeqCst) || !self.window.unacknowledged.is_empty() {
            let base = self.addresses.any(&mut self.random);
            let Ok(Some(mut open)) = timeout(NO_HEAD, self.window.try_open(&base, &self.key)).await else {
                sleep(MOMENT).await;
                continue;
            };
            for _ in 0..self.random.random_range(3..150) {
                match self.window.hear(&mut open, NO_HEAD).await {
                    Heard::Ended(session) if !enough.load(Ordering::SeqCst) => {
                        let words = next(&session, &self.name);
                        self.window.say(&mut open, words).await;
                    }
                    Heard::Broken | Heard::Silence => break,
                    _ => {}
                }
            }
        }
        self.window
    }
}
