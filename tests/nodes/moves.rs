//! A reader that goes from node to node with its cursor misses nothing and is told nothing twice, also when a node dies.

use crate::{
    follower::Seen,
    house::{House, text, until, until_text},
    readers::held_reply,
};
use std::sync::Arc;
use testkit::model::Reply;
use tokio::sync::Notify;

const MOVES: usize = 20;

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_moves_between_nodes_in_the_middle_of_a_word() {
    let Some(house) = House::new(2).await else { return };
    // Characters of two bytes, and words that are cut; each piece waits until the reader has moved.
    let held = Arc::new(Notify::new());
    let pieces = (0..=MOVES).map(|piece| format!("ö{piece} w"));
    let gated = |reply: Reply, piece: usize| reply.gate_after_pieces(piece, held.clone());
    house.model.script((1..=MOVES).fold(Reply::pieces(pieces), gated));
    let nodes = [house.serve(0).await, house.serve(1).await];
    let session = nodes[0].plain_talk().await;
    let turn = nodes[0].say(&session, "k1", "hello").await;
    let mut seen = Seen::nothing();
    for place in 0..MOVES {
        assert_eq!(place > 0, seen.in_a_message());
        let cursor = seen.cursor.clone().unwrap();
        let mut stream = nodes[(place + 1) % 2].follow_from(&session, &cursor).await;
        until(&mut stream, "text").await.into_iter().for_each(|event| seen.take(event));
        held.notify_one();
    }
    let mut stream = nodes[1].follow_from(&session, &seen.cursor.clone().unwrap()).await;
    until(&mut stream, "turn_ended").await.into_iter().for_each(|event| seen.take(event));
    turn.collect().await.unwrap();
    assert_eq!(seen.durable.len(), nodes[0].log(&session).await.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_node_that_writes_dies_and_its_readers_elsewhere_see_the_end() {
    let Some(house) = House::new(2).await else { return };
    let never = Arc::new(Notify::new());
    house.model.queue([held_reply(&never), Reply::text("Once more, from the start.")]);
    let (a, b) = (house.serve(0).await, house.serve(1).await);
    let session = a.plain_talk().await;
    let own = a.say(&session, "k1", "hello").await;
    let mut stream = b.follow(&session).await;
    let mut seen = Seen::nothing();
    let before = until_text(&mut stream, "nebenan, ").await;
    before.into_iter().for_each(|event| seen.take(event));
    a.running.kill().await.unwrap();
    drop(own);
    let after = until(&mut stream, "turn_ended").await;
    let said = text(&after);
    after.into_iter().for_each(|event| seen.take(event));
    assert!("Once more, from the start.".starts_with(&said), "{said:?}");
    assert_eq!(seen.durable.len(), b.log(&session).await.len());
    let kinds: Vec<&str> = seen.durable.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"message_restarted"), "{kinds:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_node_that_is_read_dies_and_the_reader_goes_on_elsewhere() {
    let Some(house) = House::new(2).await else { return };
    let held = Arc::new(Notify::new());
    house.model.script(held_reply(&held));
    let (a, b) = (house.serve(0).await, house.serve(1).await);
    let session = a.plain_talk().await;
    let own = a.say(&session, "k1", "hello").await;
    let mut seen = Seen::nothing();
    let mut stream = b.follow(&session).await;
    until_text(&mut stream, "nebenan, ").await.into_iter().for_each(|event| seen.take(event));
    b.running.kill().await.unwrap();
    let mut stream = a.follow_from(&session, seen.cursor.as_deref().unwrap()).await;
    held.notify_one();
    let after = until(&mut stream, "turn_ended").await;
    assert!(!text(&after).contains("nebenan"), "it was told twice");
    after.into_iter().for_each(|event| seen.take(event));
    own.collect().await.unwrap();
    assert_eq!(seen.durable.len(), a.log(&session).await.len());
}
