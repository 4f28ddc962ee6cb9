//! Conversations that outgrow their model.

use crate::world::{World, shown, until_type};
use domain::{
    CapabilityRef, EnvelopeBody, Event, EventBody, Integrity, Label, Message, MessageId, Role, TurnId,
    UserId, UserRole,
};
use engine::{AgentFields, Change, Compacted, Error, NewPerson};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use store::{
    Tx, compactions,
    compactions::Compaction,
    log::{self, Entry},
};
use testkit::model::{Recorded, Reply};
use uuid::Uuid;

pub const HEADING: &str = "[Summary of earlier conversation]\n";

pub fn asks_for_summary(request: &Recorded) -> bool {
    let system = request.messages()[0]["content"].as_str().unwrap_or_default();
    system.starts_with("Summarise the conversation") || system.starts_with("Turn the conversation")
}

/// Summarises as a model does: it knows nothing but what it was given. Every word with a number sign is a fact.
pub fn summary(request: &Recorded) -> String {
    let given = request.last_user();
    let facts: BTreeSet<&str> = given.split_whitespace().filter(|word| word.starts_with('#')).collect();
    let facts: Vec<&str> =
        facts.into_iter().filter(|fact| fact.len() > 2 && !fact.starts_with("##")).collect();
    format!("## Key facts\n{}\n## Current conversation\nThey talked.", facts.join(" "))
}

/// A world with a small window, in which summaries are made like this.
pub async fn world(
    window: u64,
    compact_at: u32,
    summarise: impl Fn(&Recorded) -> Reply + Send + Sync + 'static,
) -> World {
    let world = World::with(|setup| {
        setup.window = Some(window);
        setup.limits.compact_at = compact_at;
    })
    .await;
    answer(&world, summarise);
    world
}

pub fn answer(world: &World, summarise: impl Fn(&Recorded) -> Reply + Send + Sync + 'static) {
    world.model.respond(move |request| match asks_for_summary(request) {
        true => summarise(request),
        false if request.last_user().starts_with("look") && request.results_since_user().is_empty() => {
            Reply::calls([("look", json!({ "length": 300 }))])
        }
        false => Reply::text("An answer of some length. ".repeat(8)),
    });
}

pub fn as_model(request: &Recorded) -> Reply {
    Reply::text(summary(request))
}

impl World {
    pub async fn compact(&self) -> engine::Result<Compacted> {
        let (user, session) = (self.user, self.session);
        self.house.on(|engine| async move { engine.compact_session(user, session).await }).await
    }

    pub async fn newest(&self) -> Option<Compaction> {
        let (key, session) = (self.store.data_key(self.user).await.unwrap(), self.session);
        let read = move |tx: &mut Tx| compactions::latest(tx, &key, session);
        self.store.read(read).await.unwrap()
    }

    pub async fn completed(&self) -> Vec<Event> {
        let is_one = |event: &Event| matches!(event.body, EventBody::CompactionComplete { .. });
        self.log().await.into_iter().filter(is_one).collect()
    }

    /// Says something long, so often.
    pub async fn talk_at_length(&self, times: usize) {
        for number in 0..times {
            let text = format!("question {number} {}", "and so on ".repeat(30));
            let events = self.run(&text).await;
            assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
        }
    }

    async fn stranger(&self) -> UserId {
        let (name, role) = ("Bea".to_owned(), UserRole::Member);
        let person = NewPerson { name, role, password: None, time_zone: None };
        self.engine().people().create_person(person).await.unwrap().id
    }

    /// Untrusted content comes into the conversation.
    pub async fn distrust(&self) {
        let (user, session, now) = (self.user, self.session, self.engine().now());
        let key = self.store.data_key(user).await.unwrap();
        let ids = (MessageId::from_uuid(Uuid::now_v7()), TurnId::from_uuid(Uuid::now_v7()));
        let message = Message {
            content: "words from elsewhere".to_owned(),
            label: Label { integrity: Integrity::Untrusted, ..Label::TRUSTED_PUBLIC },
            ..Message::new(ids.0, ids.1, Role::User, now)
        };
        let write = move |tx: &mut Tx| {
            let numbers = store::sessions::take_seq(tx, user, session, 1, None)?;
            log::append(tx, &key, numbers, now, vec![Entry::Message(message)])
        };
        self.store.write(write).await.unwrap();
    }

    pub async fn summary_calls(&self) -> Vec<(String, u64)> {
        let sql = "SELECT status, attempt FROM model_calls WHERE step = 0 ORDER BY started_at, id";
        self.store.read(move |tx: &mut Tx| tx.all(sql, Vec::new())).await.unwrap()
    }
}

/// What was told in the turn that this request belongs to.
pub fn told(request: &Recorded) -> Vec<String> {
    let content = |message: &Value| message["content"].as_str().unwrap_or_default().to_owned();
    request.messages().iter().map(content).collect()
}

fn weight(request: &Recorded) -> usize {
    request.raw.len() / 4
}

/// STAVROBOT-24
#[tokio::test]
async fn a_conversation_goes_on_with_a_summary_and_keeps_what_matters() {
    let world = world(3_000, 70, as_model).await;
    world.run("remember #the-key-is-under-the-mat please").await;
    for turn in 0.. {
        assert!(turn < 100, "no summary was made");
        world.run(&format!("look {}", "and so on ".repeat(30))).await;
        let requests = world.model.requests();
        let heaviest = requests.iter().map(weight).max().unwrap();
        assert!(heaviest < 3_000, "{heaviest} tokens");
        if world.completed().await.len() >= 5 {
            break;
        }
    }
    world.run("and now?").await;
    let request = world.model.requests().into_iter().rfind(|request| !asks_for_summary(request)).unwrap();
    let told = told(&request);
    assert!(told[1].starts_with(HEADING), "{}", told[1]);
    assert!(told[1].contains("#the-key-is-under-the-mat"));
    assert_eq!(request.messages()[1]["role"], "user");
    assert_eq!(request.messages()[2]["role"], "user", "what follows begins with a person's message");
    let left_out = told[0].contains("were left out");
    assert!(!left_out, "what is summarised is not missing");
    // Everything that was said is still there, and found.
    let messages = world.messages().await;
    assert!(messages[0].content.contains("#the-key-is-under-the-mat"));
    for (number, event) in world.completed().await.iter().enumerate() {
        let EventBody::CompactionComplete { up_to_seq, generation, level, summary_tokens } = event.body
        else {
            panic!("{event:?}")
        };
        assert_eq!((generation, level), (number as u64 + 1, 1));
        assert!(summary_tokens > 0);
        // A turn ends there: what comes next is what a person said.
        let next = messages.iter().find(|message| message.seq > up_to_seq).unwrap();
        assert_eq!(next.role, Role::User);
    }
    world.model.assert_clean();
}

#[tokio::test]
async fn what_a_summary_cost_is_part_of_what_the_session_cost() {
    let world = world(8_000, 0, as_model).await;
    world.talk_at_length(4).await;
    let before = world.session().await.usage;
    let made = world.compact().await.unwrap();
    assert_eq!((made.compacted, made.generation, made.level), (true, Some(1), Some(1)));
    let after = world.session().await.usage;
    assert_eq!(after.input_tokens - before.input_tokens, 100);
    assert_eq!(after.cost_microusd, before.cost_microusd.map(|cost| cost + 100 + 10 * 10));
    assert_eq!(world.summary_calls().await, [("ok".to_owned(), 1)]);
    let asked = world.model.last_request().unwrap();
    assert!(asked.body.get("tools").is_none());
    let given = asked.last_user();
    assert!(given.starts_with("<conversation>\nUser: question 0 and so on"), "{given}");
    assert!(given.contains("\nAssistant: An answer of some length."));
}

#[tokio::test]
async fn there_may_be_nothing_to_compact() {
    let world = world(8_000, 0, as_model).await;
    let nothing = world.compact().await.unwrap();
    assert_eq!((nothing.compacted, nothing.generation), (false, None));
    assert!(nothing.detail.contains("Nothing to summarise"));
    world.talk_at_length(1).await;
    assert!(!world.compact().await.unwrap().compacted, "one turn is kept as it is");
    world.talk_at_length(3).await;
    assert!(world.compact().await.unwrap().compacted);
    world.run("Hm.").await;
    let stranger = world.stranger().await;
    let session = world.session;
    let theirs =
        world.house.on(move |engine| async move { engine.compact_session(stranger, session).await }).await;
    assert!(matches!(theirs, Err(Error::NotFound("session"))), "{theirs:?}");
    world.engine().archive_session(world.user, world.session, true).await.unwrap();
    let archived = world.compact().await;
    assert!(matches!(archived, Err(Error::Conflict { code: "session_archived", .. })), "{archived:?}");
}

/// The worst among what it stands for, also through a second summary.
#[tokio::test]
async fn a_summary_inherits_the_worst_label() {
    let world = world(8_000, 0, as_model).await;
    world.talk_at_length(2).await;
    world.distrust().await;
    world.talk_at_length(2).await;
    world.compact().await.unwrap();
    let first = world.newest().await.unwrap();
    assert_eq!(first.label, Label::WORST);
    world.talk_at_length(3).await;
    world.compact().await.unwrap();
    let second = world.newest().await.unwrap();
    assert_eq!((second.generation, second.label), (2, first.label));
}

/// What is summarised is not read: a turn costs the same before and after, in statements, and the rows are not touched.
#[tokio::test]
async fn a_turn_behind_a_summary_costs_what_every_turn_costs() {
    let world = world(128_000, 0, as_model).await;
    world.fill(1_000).await;
    assert!(world.compact().await.unwrap().compacted);
    // A turn that reads a spoilt row fails.
    let session = world.session;
    let up_to = world.newest().await.unwrap().up_to_seq;
    let spoil = "UPDATE messages SET body = $3 WHERE session_id = $1 AND seq <= $2";
    let spoiled = move |tx: &mut Tx| tx.run(spoil, vec![session.into(), up_to.into(), vec![0_u8].into()]);
    assert!(world.store.write(spoiled).await.unwrap() > 400);
    let (statements, _) = crate::worker::statements::per_turn(&world).await;
    assert!(statements <= 16, "{statements}");
}

#[tokio::test]
async fn a_conversation_that_is_much_longer_than_its_window_is_taken_in_portions() {
    let world = world(3_000, 70, as_model).await;
    world.fill(1_200).await;
    let mut reader = world.follow_from(0).await;
    world.run("remember #me please").await;
    let mut generations = 0;
    while generations < 3 {
        until_type(&mut reader, "compaction_complete").await;
        generations += 1;
    }
    let requests = world.model.requests();
    let asked: Vec<&Recorded> = requests.iter().filter(|request| asks_for_summary(request)).collect();
    assert!(asked.iter().all(|request| weight(request) < 3_000));
    assert!(asked[1].last_user().starts_with("<earlier_summary>\n## Key facts"));
}

/// The same as a tool: it changes nothing but what the agent itself is told, so no approval is needed.
#[tokio::test]
async fn an_agent_may_ask_for_it_in_the_middle_of_a_turn() {
    let world = world(8_000, 0, as_model).await;
    world.talk_at_length(4).await;
    let fields = AgentFields {
        capabilities: Change::Set(vec![CapabilityRef::from("commands")]),
        ..AgentFields::default()
    };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
    world.model.script(Reply::calls([("compact", json!({}))]));
    let events = world.run("make it shorter").await;
    let told_of = shown(&events);
    assert!(told_of.iter().any(|event| event == "tool_result compact Ok"), "{told_of:?}");
    assert_eq!(told_of.last().unwrap(), "turn_ended completed");
    assert_eq!(world.completed().await.len(), 1);
    let told = told(&world.model.last_request().unwrap());
    assert!(told[1].starts_with(HEADING), "the rest of the turn is told the new view");
    assert!(told.iter().any(|words| words == "make it shorter"));
    world.model.assert_clean();
}

#[tokio::test]
async fn the_event_says_what_was_made() {
    let world = world(8_000, 0, as_model).await;
    world.talk_at_length(4).await;
    let mut reader = world.follow(engine::Start::Now).await.unwrap();
    let made = world.compact().await.unwrap();
    let events = until_type(&mut reader, "compaction_complete").await;
    let EnvelopeBody::Durable(EventBody::CompactionComplete { up_to_seq, summary_tokens, generation, level }) =
        events.last().unwrap().body
    else {
        panic!("{events:?}")
    };
    assert_eq!(
        (Some(up_to_seq), Some(summary_tokens), Some(generation), Some(level)),
        (made.up_to_seq, made.summary_tokens, made.generation, made.level)
    );
}

#[tokio::test]
async fn a_turn_that_is_larger_than_what_is_read_at_once_is_summarised_too() {
    let world = world(3_000, 0, as_model).await;
    world.model.respond(|request| match (asks_for_summary(request), request.results_since_user().len()) {
        (true, _) => as_model(request),
        (false, 0) if request.last_user() == "dig" => {
            Reply::calls((0..6).map(|_| ("look", json!({ "length": 15_000 }))))
        }
        _ => Reply::text("Found. #treasure"),
    });
    world.run("dig").await;
    for _ in 0..3 {
        world.run("and then?").await;
    }
    let made = world.compact().await.unwrap();
    assert!(made.compacted, "{made:?}");
    let dug =
        world.messages().await.iter().filter(|message| message.content.contains("xxxx")).map(|m| m.seq).max();
    assert!(world.newest().await.unwrap().up_to_seq > dug.unwrap());
}
