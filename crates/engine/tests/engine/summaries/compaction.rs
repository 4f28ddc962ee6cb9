//! Conversations that outgrow their model.

use crate::world::{World, node, shown, until_type};
use domain::{
    Answers, CapabilityRef, EnvelopeBody, Event, EventBody, Integrity, Label, Message, MessageId, Role,
    TurnId, UserId, UserRole,
};
use engine::{AgentFields, Change, Compacted, Error, Fork, NewPerson, PreviewQuestion};
use provider::Wire;
use serde_json::{Value, json};
use std::{collections::BTreeSet, sync::Arc, time::Duration};
use store::{
    Tx, compactions,
    compactions::Compaction,
    log::{self, Entry},
};
use testkit::model::{Recorded, Reply};
use tokio::sync::Notify;
use uuid::Uuid;

const HEADING: &str = "[Summary of earlier conversation]\n";
const FAILED: &str = "[truncated due to compaction failure]";

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
async fn world(
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

fn answer(world: &World, summarise: impl Fn(&Recorded) -> Reply + Send + Sync + 'static) {
    world.model.respond(move |request| match asks_for_summary(request) {
        true => summarise(request),
        false if request.last_user().starts_with("look") && request.results_since_user().is_empty() => {
            Reply::calls([("look", json!({ "length": 300 }))])
        }
        false => Reply::text("An answer of some length. ".repeat(8)),
    });
}

/// A summary with one heading, or with headings in the language of the conversation, is one: nobody is asked twice.
#[tokio::test]
async fn a_summary_in_any_language_is_asked_for_once() {
    for answer in [
        "## Key facts\nThe number is 42.",
        "## Αποφάσεις\n- Ο αριθμός είναι το 42",
        "## 決定事項\n番号は42です。",
    ] {
        let world = world(8_000, 0, move |_| Reply::text(answer)).await;
        for number in 0..6 {
            world.run(&format!("question {number} {}", "about it ".repeat(40))).await;
        }
        let made = world.compact().await.unwrap();
        assert_eq!(made.level, Some(1), "{answer}");
        let asked = world.model.requests().iter().filter(|request| asks_for_summary(request)).count();
        assert_eq!(asked, 1, "{answer}");
        assert_eq!(world.newest().await.unwrap().summary, answer);
    }
}

fn as_model(request: &Recorded) -> Reply {
    Reply::text(summary(request))
}

impl World {
    async fn compact(&self) -> engine::Result<Compacted> {
        let (user, session) = (self.user, self.session);
        self.house.on(|engine| async move { engine.compact_session(user, session).await }).await
    }

    async fn newest(&self) -> Option<Compaction> {
        let (key, session) = (self.store.data_key(self.user).await.unwrap(), self.session);
        let read = move |tx: &mut Tx| compactions::latest(tx, &key, session);
        self.store.read(read).await.unwrap()
    }

    async fn completed(&self) -> Vec<Event> {
        let is_one = |event: &Event| matches!(event.body, EventBody::CompactionComplete { .. });
        self.log().await.into_iter().filter(is_one).collect()
    }

    /// Says something long, so often.
    async fn talk_at_length(&self, times: usize) {
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

    /// Somebody else's words come into the conversation.
    async fn distrust(&self) {
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

    async fn summary_calls(&self) -> Vec<(String, u64)> {
        let sql = "SELECT status, attempt FROM model_calls WHERE step = 0 ORDER BY started_at, id";
        self.store.read(move |tx: &mut Tx| tx.all(sql, Vec::new())).await.unwrap()
    }
}

/// What was told in the turn that this request belongs to.
fn told(request: &Recorded) -> Vec<String> {
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

/// A model that makes no summaries, and what becomes of it: how often it is asked, and what the summary is.
async fn useless(reply: impl Fn(&Recorded) -> Reply + Send + Sync + 'static) -> (World, Compacted, usize) {
    let world = world(8_000, 0, reply).await;
    world.run("remember #the-number-is-42 please").await;
    world.talk_at_length(4).await;
    let before = world.model.requests().len();
    let made = world.compact().await.unwrap();
    let asked = world.model.requests().len() - before;
    (world, made, asked)
}

/// STAVROBOT-36
#[tokio::test]
async fn what_is_no_summary_is_never_stored() {
    type Bad = fn(&Recorded) -> Reply;
    let replies: [(&str, Bad, usize); 8] = [
        ("nothing", |_| Reply::text(""), 2),
        ("blank", |_| Reply::text(" \n\t "), 2),
        ("thoughts alone", |_| Reply::text("").thinking("They talked about a number."), 2),
        ("the whole text again", |request| Reply::text(request.last_user()), 2),
        ("a refusal", |_| Reply::text("I'm sorry, but I can't help with that."), 2),
        ("headings alone", |_| Reply::text("## Key facts\n## Pending\n"), 2),
        // What broke is asked for once more.
        ("an error", |_| Reply::status(500), 2),
        ("garbage", |_| Reply::garbage(), 1),
    ];
    for (what, reply, times) in replies {
        let (world, made, asked) = useless(reply).await;
        assert_eq!((made.compacted, made.level, asked), (true, Some(3), times), "{what}");
        let stored = world.newest().await.unwrap();
        assert!(stored.summary.ends_with(FAILED), "{what}: {}", stored.summary);
        assert!(stored.summary.contains("#the-number-is-42"), "{what}: the beginning is kept");
        assert!(world.summary_calls().await.iter().all(|(status, _)| status != "started"));
        // The conversation goes on.
        world.run("and now?").await;
        assert!(told(&world.model.last_request().unwrap())[1].starts_with(HEADING));
        world.model.assert_clean();
    }
}

#[tokio::test]
async fn a_model_that_hangs_is_not_waited_for_for_ever() {
    let world = World::with(|setup| {
        setup.window = Some(8_000);
        setup.settings.summaries.time = Duration::from_millis(50);
    })
    .await;
    answer(&world, |_| Reply::text("never").gate(Arc::new(Notify::new())));
    world.talk_at_length(4).await;
    assert_eq!(world.compact().await.unwrap().level, Some(3));
    assert_eq!(world.summary_calls().await, [("failed".to_owned(), 1)]);
}

/// STAVROBOT-36
#[tokio::test]
async fn bullets_do_where_sections_do_not_come() {
    let reply = |request: &Recorded| match request.messages()[0]["content"].as_str() {
        Some(system) if system.starts_with("Turn") => {
            Reply::text("Here you are:\n- The number is 42\n- They talked")
        }
        _ => Reply::text("They talked about a number."),
    };
    let (world, made, asked) = useless(reply).await;
    assert_eq!((made.level, asked), (Some(2), 2));
    assert_eq!(world.newest().await.unwrap().summary, "- The number is 42\n- They talked");
    assert_eq!(world.summary_calls().await, [("ok".to_owned(), 1), ("ok".to_owned(), 2)]);
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

#[tokio::test]
async fn what_is_said_meanwhile_is_kept() {
    let gate = Arc::new(Notify::new());
    let held = gate.clone();
    let world = world(8_000, 0, move |request| as_model(request).gate(held.clone())).await;
    world.talk_at_length(4).await;
    let (user, session) = (world.user, world.session);
    let engine = world.engine().clone();
    let compacting = world.house.handle().spawn(async move { engine.compact_session(user, session).await });
    world.model.wait_for(5).await;
    // A turn is not held up, and a second summary is not begun.
    world.run("said meanwhile").await;
    let second = world.compact().await;
    assert!(matches!(second, Err(Error::Conflict { code: "compacting", .. })), "{second:?}");
    gate.notify_one();
    assert!(compacting.await.unwrap().unwrap().compacted);
    world.run("and now?").await;
    let told = told(&world.model.last_request().unwrap());
    assert!(told[1].starts_with(HEADING));
    assert!(told.iter().any(|words| words == "said meanwhile"));
    world.model.assert_clean();
}

#[tokio::test]
async fn of_two_houses_one_publishes_and_both_pay() {
    let gates = [(); 2].map(|()| Arc::new(Notify::new()));
    let world = world(8_000, 0, as_model).await;
    world.talk_at_length(4).await;
    let other = world.house(node(2)).await;
    let before = world.session().await.usage.input_tokens;
    let held = gates.clone();
    world.model.queue(held.map(|gate| Reply::text("## Key facts\n42\n## Pending\nnothing").gate(gate)));
    let (user, session) = (world.user, world.session);
    let begin = |engine: engine::Engine| async move { engine.compact_session(user, session).await };
    let mine = world.house.handle().spawn(begin(world.engine().clone()));
    world.model.wait_for(5).await;
    let theirs = other.handle().spawn(begin(other.engine.clone()));
    world.model.wait_for(6).await;
    gates.iter().for_each(|gate| gate.notify_one());
    let outcomes = [mine.await.unwrap(), theirs.await.unwrap()];
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1, "{outcomes:?}");
    let lost = |outcome: &engine::Result<Compacted>| {
        matches!(outcome, Err(Error::Conflict { code: "compacting", .. }))
    };
    assert!(outcomes.iter().any(lost), "{outcomes:?}");
    assert_eq!(world.completed().await.len(), 1);
    assert_eq!(world.newest().await.unwrap().generation, 1);
    assert_eq!(world.summary_calls().await, [("ok".to_owned(), 1), ("ok".to_owned(), 1)]);
    assert_eq!(world.session().await.usage.input_tokens - before, 200);
    let seqs: Vec<u64> = world.log().await.iter().map(|event| event.seq).collect();
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>(), "the loser left no gap");
}

#[tokio::test]
async fn a_turn_that_waits_for_a_person_is_not_part_of_a_summary() {
    let world = World::with(|setup| {
        setup.window = Some(8_000);
        setup.markup = domain::MarkupSettings::default();
    })
    .await;
    answer(&world, as_model);
    world.talk_at_length(3).await;
    world.model.script(Reply::text("<ask>Red or blue?</ask>"));
    let asked = world.post("paint it").await;
    let mut reader = world.follow_from(asked.after).await;
    let question = until_type(&mut reader, "question_prompt").await.pop().unwrap();
    let EnvelopeBody::Durable(EventBody::QuestionPrompt { question, .. }) = question.body else {
        panic!("{question:?}")
    };
    let made = world.compact().await.unwrap();
    assert!(made.compacted && made.up_to_seq.unwrap() <= asked.after);
    world.reply(Answers::QuestionId(question.id), "red").await.unwrap();
    world.ended(asked).await;
    let told = told(&world.model.last_request().unwrap());
    assert!(told.iter().any(|words| words == "paint it"), "{told:?}");
    world.model.assert_clean();
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

#[tokio::test]
async fn a_fork_sees_no_summary_of_what_it_does_not_have() {
    let mut world = world(8_000, 0, as_model).await;
    world.run("remember #early please").await;
    world.talk_at_length(3).await;
    world.compact().await.unwrap();
    let first = world.newest().await.unwrap();
    world.run("remember #late please").await;
    world.talk_at_length(3).await;
    world.compact().await.unwrap();
    let second = world.newest().await.unwrap();
    assert!(second.summary.contains("#late") && !first.summary.contains("#late"));
    let parent = world.session;
    let messages = world.messages().await;
    let last = |up_to: u64| messages.iter().filter(|message| message.seq <= up_to).map(|m| m.seq).max();
    for (after_seq, expected) in [
        (last(first.up_to_seq - 1), None),
        (last(first.up_to_seq), None),
        (last(first.up_to_seq + 10), Some("#early")),
        (last(second.up_to_seq), Some("#early")),
        (None, Some("#late")),
    ] {
        world.session = parent;
        let (user, fork) = (world.user, Fork { after_seq });
        let fork = world
            .house
            .on(move |engine| async move { engine.fork_session(user, parent, fork, None).await })
            .await
            .unwrap();
        world.session = fork.id;
        let copied = world.messages().await;
        world.run("and now?").await;
        let told = told(&world.model.last_request().unwrap());
        let Some(expected) = expected else {
            assert!(!told[1].starts_with(HEADING), "{after_seq:?}: {}", told[1]);
            continue;
        };
        assert!(told[1].starts_with(HEADING) && told[1].contains(expected), "{after_seq:?}: {}", told[1]);
        assert_eq!(told[1].contains("#late"), expected == "#late");
        let stored = world.newest().await.unwrap();
        let behind: Vec<&Message> = copied.iter().filter(|message| message.seq > stored.up_to_seq).collect();
        assert_eq!(told.len(), 2 + behind.len() + 1, "each message once, in words or in the summary");
        assert_eq!(told[2], behind[0].content);
    }
    world.model.assert_clean();
}

#[tokio::test]
async fn the_preview_shows_the_summary_as_the_model_is_told_it() {
    let world = world(8_000, 0, as_model).await;
    world.talk_at_length(4).await;
    world.compact().await.unwrap();
    let asked = PreviewQuestion {
        text: "and now?".to_owned(),
        session_id: Some(world.session),
        ..PreviewQuestion::default()
    };
    let preview = world.engine().preview_prompt(world.user, world.agent, asked).await.unwrap();
    let history = preview.nodes.iter().find(|node| node.id == "history").unwrap();
    let node = &history.children[0];
    assert_eq!((node.id.as_str(), node.source.join("/").as_str()), ("history.summary", "history/summary"));
    assert!(node.text.starts_with(HEADING) && node.tokens > 0);
    world.run("and now?").await;
    assert_eq!(preview.request.unwrap(), world.model.last_request().unwrap().raw);
}

/// What is summarised is not read: a turn costs the same before and after, in statements, and the rows are not touched.
#[tokio::test]
async fn a_turn_behind_a_summary_costs_what_every_turn_costs() {
    let world = world(128_000, 0, as_model).await;
    world.fill(1_000).await;
    assert!(world.compact().await.unwrap().compacted);
    // Whoever reads a spoilt row fails.
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

#[tokio::test]
async fn a_shutdown_waits_for_no_summary_and_publishes_nothing() {
    let mut world = world(8_000, 0, |request| as_model(request).gate(Arc::new(Notify::new()))).await;
    world.talk_at_length(4).await;
    let (user, session) = (world.user, world.session);
    let engine = world.engine().clone();
    let compacting = world.house.handle().spawn(async move { engine.compact_session(user, session).await });
    world.model.wait_for(5).await;
    world.restart().await;
    assert!(matches!(compacting.await.unwrap(), Err(Error::ShuttingDown)));
    assert_eq!(world.newest().await, None);
    assert!(world.summary_calls().await.iter().all(|(status, _)| status == "failed"));
    answer(&world, as_model);
    assert!(world.compact().await.unwrap().compacted, "and it can be made later");
}

/// The blocks of a request in the order in which a provider keeps them, each with whether it is marked.
fn blocks(request: &Recorded) -> Vec<(Value, bool)> {
    let mut blocks = Vec::new();
    let mut add = |place: &str, block: &Value| {
        let mut block = block.clone();
        let marked = block.as_object_mut().is_some_and(|block| block.remove("cache_control").is_some());
        blocks.push((json!([place, block]), marked));
    };
    let list = |name: &str| request.body[name].as_array().cloned().unwrap_or_default();
    list("tools").iter().for_each(|tool| add("tool", tool));
    list("system").iter().for_each(|block| add("system", block));
    for message in request.messages() {
        let role = message["role"].as_str().unwrap();
        message["content"].as_array().unwrap().iter().for_each(|block| add(role, block));
    }
    blocks
}

/// What was marked is found again, byte for byte, as long as no summary is made; and after it from the next turn on.
#[tokio::test]
async fn the_beginning_that_a_provider_keeps_does_not_change_between_summaries() {
    let world = World::with(|setup| setup.wire = Wire::Anthropic).await;
    let respond = |request: &Recorded| match request.messages()[0].to_string().contains("<conversation>") {
        true => Reply::text("## Key facts\nnone\n## Pending\nnothing"),
        false if request.last_user().starts_with("look") && request.results_since_user().is_empty() => {
            Reply::calls([("look", json!({ "length": 300 }))])
        }
        false => Reply::text("An answer of some length. ".repeat(8)),
    };
    world.model.respond(respond);
    let kept = |before: &Recorded, after: &Recorded| {
        let (before, after) = (blocks(before), blocks(after));
        let end = before.iter().rposition(|(_, marked)| *marked).unwrap() + 1;
        let plain = |blocks: &[(Value, bool)]| {
            blocks.iter().take(end).map(|(block, _)| block.to_string()).collect::<Vec<_>>()
        };
        // A mark stands where the one before ended, so that the provider looks there.
        plain(&before) == plain(&after) && after.get(end - 1).is_some_and(|(_, marked)| *marked)
    };
    let turns = async |count: usize| {
        let first = world.model.requests().len();
        for number in 0..count {
            world.run(&format!("look at number {number}")).await;
        }
        world.model.requests().split_off(first)
    };
    let before = turns(3).await;
    assert_eq!(before.len(), 6);
    assert!(before.windows(2).all(|pair| kept(&pair[0], &pair[1])));
    assert!(world.compact().await.unwrap().compacted);
    let after = turns(3).await;
    assert!(!kept(&before[5], &after[0]), "the control: a summary is another beginning");
    assert!(after.windows(2).all(|pair| kept(&pair[0], &pair[1])));
    world.model.assert_clean();
}

/// The same deed as a tool: it changes nothing but what the agent itself is told, so nobody is asked.
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
