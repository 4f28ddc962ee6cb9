//! What a model writes instead of a summary, and what becomes of the conversation then.

use super::compaction::{HEADING, answer, asks_for_summary, told, world};
use crate::world::World;
use engine::Compacted;
use std::{sync::Arc, time::Duration};
use testkit::model::{Recorded, Reply};
use tokio::sync::Notify;

const FAILED: &str = "[truncated due to compaction failure]";

/// A summary with one heading, or with headings in the language of the conversation, is one: the model is asked once.
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
