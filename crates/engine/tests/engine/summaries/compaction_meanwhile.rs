//! What happens in the conversation while a summary is made: messages, a second summary, a question, a shutdown.

use super::compaction::{HEADING, answer, as_model, told, world};
use crate::world::{World, node, until_type};
use domain::{Answers, EnvelopeBody, EventBody};
use engine::{Compacted, Error};
use std::sync::Arc;
use testkit::model::Reply;
use tokio::sync::Notify;

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
