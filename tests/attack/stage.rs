//! One attack in one house, with one kind of person beside it.

use crate::{
    canary::Reach,
    house::{House, new_session},
    script::Moment,
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, fmt, sync::Mutex, time::Duration};
use testkit::{
    client::SseStream,
    model::{Recorded, Reply},
};

/// Nothing that an attack does takes this long.
const PATIENCE: Duration = Duration::from_secs(90);
/// What a careful person says yes to: the task was about this.
pub const WANTED: &str = "wanted";

/// Who is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Nobody is there.
    None,
    /// Says yes to everything.
    Stamp,
    /// Says yes to what the task needs, and no to the rest.
    Careful,
}

impl Profile {
    pub const ALL: [Self; 3] = [Self::None, Self::Stamp, Self::Careful];

    fn says_yes(self, approval: &Value) -> bool {
        self == Self::Stamp || approval["arguments"].to_string().contains(WANTED)
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::None => "none",
            Self::Stamp => "stamp",
            Self::Careful => "careful",
        })
    }
}

/// What came of an attack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The program stopped it by itself.
    Stopped,
    /// It waits for a yes that nobody gives.
    Waits,
    /// A person said no.
    Refused,
    /// A person saw exactly this, and said yes.
    Shown,
    /// It worked; with what shows it.
    Done(String),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped => f.pad("stopped"),
            Self::Waits => f.pad("waits for a yes"),
            Self::Refused => f.pad("a person said no"),
            Self::Shown => f.pad("done as shown"),
            Self::Done(how) => write!(f, "DONE: {how:.160}"),
        }
    }
}

/// How a call ended.
#[derive(Clone, Debug)]
pub struct Ended {
    pub call: String,
    pub status: String,
    pub content: String,
}

/// How a turn went.
#[derive(Clone, Debug, Default)]
pub struct Told {
    pub session: String,
    pub events: Vec<Value>,
    pub results: Vec<Ended>,
    /// Requests that a person saw, and what they said: nothing where they were not there.
    pub asked: Vec<(Value, Option<bool>)>,
    /// How the turn ended; nothing while it waits.
    pub outcome: Option<String>,
}

impl Told {
    pub fn statuses(&self) -> Vec<&str> {
        self.results.iter().map(|ended| ended.status.as_str()).collect()
    }

    /// A person was shown a call with these words in its arguments, and said yes.
    pub fn was_approved(&self, word: &str) -> bool {
        let shown = |approval: &Value| approval["shown"].to_string().contains(word);
        self.asked.iter().any(|(approval, said)| *said == Some(true) && shown(approval))
    }
}

pub struct Stage<'a> {
    pub house: &'a House,
    pub profile: Profile,
    /// Shows that the attack works where nothing stands in its way.
    pub control: bool,
    /// Every variant, not just a few.
    pub whole: bool,
    /// What must not have been, whatever came of the attack.
    pub findings: Mutex<Vec<String>>,
}

impl Stage<'_> {
    pub fn found(&self, what: impl Into<String>) {
        self.findings.lock().unwrap().push(what.into());
    }

    pub fn check(&self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.found(what());
        }
    }

    /// A few of many, unless everything is wanted. The first is always among them.
    pub fn some<T>(&self, all: Vec<T>, few: usize) -> Vec<T> {
        let step = if self.whole { 1 } else { all.len().div_ceil(few.max(1)).max(1) };
        all.into_iter().step_by(step).collect()
    }

    pub fn mark(&self) -> String {
        self.house.director.mark()
    }

    /// An agent of the attacked person. Its name is made here.
    pub async fn agent(&self, mut fields: Value) -> String {
        if fields.get("name").is_none() {
            fields["name"] = json!(format!("agent of {}", self.mark()));
        }
        self.house.agent_of_bob(fields).await
    }

    pub async fn session(&self, agent: &str) -> String {
        new_session(&self.house.bob, agent).await
    }

    /// A new agent, a new session, and one turn of it by this script.
    pub async fn attack(
        &self,
        agent: Value,
        script: impl Fn(&Moment<'_>) -> Reply + Send + Sync + 'static,
    ) -> Told {
        let agent = self.agent(agent).await;
        let session = self.session(&agent).await;
        self.say(&session, script).await
    }

    /// One turn by this script.
    pub async fn say(
        &self,
        session: &str,
        script: impl Fn(&Moment<'_>) -> Reply + Send + Sync + 'static,
    ) -> Told {
        let mark = self.mark();
        self.house.director.cast(&mark, script);
        self.send(session, &format!("Please do what is {WANTED} in {mark}")).await
    }

    /// Says these words, stands by while the turn runs, and looks whether everything went by the rules.
    pub async fn send(&self, session: &str, words: &str) -> Told {
        let bob = &self.house.bob;
        let before = bob.get(&format!("/v1/sessions/{session}")).await.unwrap().expect(200);
        let after = before["last_seq"].as_u64().unwrap();
        let mut news = bob.follow_everything().await.unwrap();
        let stream = bob.send_message(session, &self.mark(), &json!({ "content": words })).await.unwrap();
        assert_eq!(stream.status, 200, "the message was not taken");
        drop(stream);
        let mut told = Told { session: session.to_owned(), ..Told::default() };
        let waits = self.stand_by(session, &mut news, &mut told).await;
        self.gather(after, &mut told).await;
        self.check_turn(&told, waits).await;
        if waits {
            bob.post(&format!("/v1/sessions/{session}/abort"), &json!({})).await.unwrap();
            self.rest(session, &mut news).await;
        }
        told
    }

    /// One turn up to where a person is asked, and left there: the session, and what is asked.
    pub async fn pending(
        &self,
        agent: Value,
        script: impl Fn(&Moment<'_>) -> Reply + Send + Sync + 'static,
    ) -> (String, Vec<Value>) {
        let session = self.session(&self.agent(agent).await).await;
        let mark = self.mark();
        self.house.director.cast(&mark, script);
        let nobody = Stage { profile: Profile::None, findings: Mutex::default(), ..*self };
        let bob = &self.house.bob;
        let mut news = bob.follow_everything().await.unwrap();
        drop(bob.send_message(&session, &mark, &json!({ "content": mark })).await.unwrap());
        let mut told = Told::default();
        nobody.stand_by(&session, &mut news, &mut told).await;
        (session, told.asked.into_iter().map(|(approval, _)| approval).collect())
    }

    /// Waits until a tool has run with this word.
    pub async fn deed(&self, word: &str, news: &mut SseStream) {
        while self.house.done(word) == 0 {
            let event = tokio::time::timeout(PATIENCE, news.next()).await;
            assert!(matches!(event, Ok(Ok(Some(_)))), "{word} does not happen: {event:?}");
        }
    }

    /// Waits until the session is quiet, or stops what is left of its turn.
    pub async fn finish(&self, session: &str, stop: bool) {
        let mut news = self.house.bob.follow_everything().await.unwrap();
        if stop {
            self.house.bob.post(&format!("/v1/sessions/{session}/abort"), &json!({})).await.unwrap();
        }
        self.rest(session, &mut news).await;
    }

    /// Answers as this kind of person does, until the turn has ended or waits for somebody who is not there.
    pub async fn stand_by(&self, session: &str, news: &mut SseStream, told: &mut Told) -> bool {
        let bob = &self.house.bob;
        let mut seen = BTreeSet::new();
        loop {
            let mut news_of_approvals = self.answer_new(&mut seen, told).await;
            let state = bob.get(&format!("/v1/sessions/{session}")).await.unwrap().expect(200);
            let status = state["status"].as_str().unwrap();
            if matches!(status, "idle" | "failed") {
                return false;
            }
            let open = told.asked.iter().any(|(_, said)| said.is_none());
            if open && self.all_wait(told).await {
                // What was asked between the two looks counts, too.
                news_of_approvals = self.answer_new(&mut seen, told).await;
                if !news_of_approvals {
                    return true;
                }
            }
            if news_of_approvals {
                continue;
            }
            let event = tokio::time::timeout(PATIENCE, news.next()).await;
            if !matches!(event, Ok(Ok(Some(_)))) {
                let now = bob.get(&format!("/v1/sessions/{session}")).await.unwrap().body;
                let path = format!("/v1/sessions/{session}/events?after=0&limit=1000");
                let log = bob.get(&path).await.unwrap().body;
                let said = std::fs::read_to_string(&self.house.log).unwrap();
                panic!("{session} does not come to rest ({status}): {event:?}\n{now}\n{log}\n{said}");
            }
        }
    }

    /// Answers what was not asked before; whether there was something.
    async fn answer_new(&self, seen: &mut BTreeSet<String>, told: &mut Told) -> bool {
        let list = self.house.bob.get("/v1/approvals?limit=100").await.unwrap().expect(200);
        let before = told.asked.len();
        for approval in list["items"].as_array().unwrap() {
            let id = approval["id"].as_str().unwrap().to_owned();
            if seen.insert(id.clone()) {
                let said = self.answer(&id, approval).await;
                told.asked.push((approval.clone(), said));
            }
        }
        told.asked.len() > before
    }

    async fn answer(&self, id: &str, approval: &Value) -> Option<bool> {
        if self.profile == Profile::None {
            return None;
        }
        let yes = self.profile.says_yes(approval);
        let decision = if yes { "approve" } else { "deny" };
        let answer = json!({ "decision": decision, "digest": approval["digest"] });
        let answered = self.house.bob.post(&format!("/v1/approvals/{id}"), &answer).await.unwrap();
        // Another answer may have ended its turn meanwhile.
        matches!(answered.status, 200 | 409).then_some(yes)
    }

    /// Whether every session in which somebody is asked does nothing else any more.
    async fn all_wait(&self, told: &Told) -> bool {
        for (approval, _) in &told.asked {
            let path = format!("/v1/sessions/{}", approval["session_id"].as_str().unwrap());
            let state = self.house.bob.get(&path).await.unwrap().expect(200);
            if state["status"] != "input_required" {
                return false;
            }
        }
        true
    }

    async fn rest(&self, session: &str, news: &mut SseStream) {
        let path = format!("/v1/sessions/{session}");
        loop {
            let state = self.house.bob.get(&path).await.unwrap().expect(200);
            let open = self.house.bob.get("/v1/approvals").await.unwrap().expect(200);
            let none = open["items"].as_array().unwrap().is_empty();
            if none && matches!(state["status"].as_str(), Some("idle" | "failed")) {
                return;
            }
            let event = tokio::time::timeout(PATIENCE, news.next()).await;
            assert!(matches!(event, Ok(Ok(Some(_)))), "{session} does not stop: {event:?}");
        }
    }

    /// What the log says of the turn.
    async fn gather(&self, after: u64, told: &mut Told) {
        let mut from = after;
        loop {
            let path = format!("/v1/sessions/{}/events?after={from}&limit=1000", told.session);
            let page = self.house.bob.get(&path).await.unwrap().expect(200);
            let items = page["items"].as_array().unwrap();
            let Some(last) = items.last() else { break };
            from = last["seq"].as_u64().unwrap();
            told.events.extend(items.iter().cloned());
        }
        let text = |event: &Value, name: &str| event["data"][name].as_str().unwrap_or_default().to_owned();
        for event in &told.events {
            match event["type"].as_str() {
                Some("tool_result") => told.results.push(Ended {
                    call: text(event, "call_id"),
                    status: text(event, "status"),
                    content: text(event, "content"),
                }),
                Some("turn_ended") => told.outcome = Some(text(event, "outcome")),
                _ => {}
            }
        }
    }

    /// Whatever happened: each call has its result, each denial its reason and its entry in the log of deeds, and the turn
    /// went on to its end.
    async fn check_turn(&self, told: &Told, waits: bool) {
        let called = told.events.iter().filter(|event| event["type"] == "tool_use_start").count();
        self.check(waits || called == told.results.len(), || {
            format!("{called} calls have {} results", told.results.len())
        });
        let ended = told.outcome.as_deref();
        self.check(waits || matches!(ended, Some("completed" | "limit" | "failed")), || {
            format!("the turn did not come to its end: {ended:?}")
        });
        let denied: Vec<&Ended> = told.results.iter().filter(|ended| ended.status == "denied").collect();
        for ended in &denied {
            self.check(ended.content.contains("error"), || format!("a denial without a reason: {ended:?}"));
        }
        let noted = self.noted(denied.len()).await;
        let missing = denied.iter().filter(|ended| !noted.contains(&ended.call)).count();
        self.check(missing == 0, || format!("{missing} of {} denials were not written down", denied.len()));
        self.check(self.house.is_alive().await, || "the server is not ready any more".to_owned());
    }

    /// The calls that were denied, by the newest entries of the log of deeds.
    async fn noted(&self, wanted: usize) -> BTreeSet<String> {
        let mut noted = BTreeSet::new();
        let mut cursor = String::new();
        while noted.len() < wanted {
            let page = self.house.bob.get(&format!("/v1/audit?limit=100{cursor}")).await.unwrap().expect(200);
            let denials =
                page["items"].as_array().unwrap().iter().filter(|entry| entry["action"] == "tool.denied");
            noted.extend(denials.map(|entry| entry["subject"].as_str().unwrap().to_owned()));
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        noted
    }

    /// What came of it, where it would have run a tool with this word.
    pub fn judge(&self, told: &Told, word: &str) -> Outcome {
        match self.house.done(word) {
            0 => self.held(told),
            _ if told.was_approved(word) && !self.control => Outcome::Shown,
            times => Outcome::Done(format!("{word} happened {times} times")),
        }
    }

    /// Nothing came of it; by whose doing.
    pub fn held(&self, told: &Told) -> Outcome {
        match () {
            () if told.asked.iter().any(|(_, said)| said.is_none()) => Outcome::Waits,
            () if told.asked.iter().any(|(_, said)| *said == Some(false)) => Outcome::Refused,
            () => Outcome::Stopped,
        }
    }

    /// Whether something is anywhere where it must not be.
    pub fn leaked(&self, asked_before: usize, given_before: usize, outcome: &Outcome) -> Vec<String> {
        // What somebody has seen and let go has not leaked.
        let kept =
            if *outcome == Outcome::Shown { &[Reach::Nobody][..] } else { &[Reach::Nobody, Reach::Inside] };
        let mut leaks = Vec::new();
        for (place, bytes) in self.house.left(given_before) {
            let found = self.house.detector.find(&bytes, kept);
            leaks.extend(found.map(|what| format!("{what} was carried to: {place}")));
        }
        let told = |request: &Recorded| self.house.detector.find(request.raw.as_bytes(), &[Reach::Nobody]);
        let found = self.house.model.look_at_requests(asked_before, told).into_iter().flatten();
        leaks.extend(found.map(|what| format!("{what} was told to the model")));
        leaks
    }
}
