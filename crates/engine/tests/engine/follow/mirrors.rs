//! Two nodes on one PostgreSQL: what readers at the other node are shown, and what it costs.

use crate::{
    worker::statements::per_turn,
    world::{House, World, node, postgres, shown, texts, until_text, until_type},
};
use domain::Cursor;
use engine::{Reader, Start};
use std::{sync::Arc, time::Duration};
use testkit::model::Reply;
use tokio::sync::Notify;

/// A world, and a second engine on its database. `None` where there is no PostgreSQL.
async fn two_nodes() -> Option<(World, House)> {
    let url = postgres().await?;
    let world = World::with(|setup| setup.url = Some(url)).await;
    let other = world.house(node(2)).await;
    Some((world, other))
}

async fn follow(world: &World, house: &House, start: Start) -> Reader {
    let (user, session) = (world.user, world.session);
    house.on(|engine| async move { engine.follow(user, session, start).await }).await.unwrap()
}

/// Returns when a reader at the other node has seen live text of a turn: the nodes know each other then.
async fn acquaint(world: &World, other: &House) {
    let held = Arc::new(Notify::new());
    world.model.script(Reply::pieces(["one ", "two"]).gate_after_pieces(1, held.clone()));
    let mut reader = follow(world, other, Start::Now).await;
    world.post("hello").await;
    until_text(&mut reader, "one ").await;
    held.notify_one();
    until_type(&mut reader, "turn_ended").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plain_turn_costs_the_same_beside_another_node() {
    let Some((world, other)) = two_nodes().await else { return };
    acquaint(&world, &other).await;
    world.model.respond(|request| Reply::text(format!("You said: {}", request.last_user())));
    let _reader = follow(&world, &other, Start::Now).await;
    let (statements, commits) = per_turn(&world).await;
    assert!(statements <= 14, "{statements} statements");
    assert!(commits <= 2, "{commits} commits");
}

/// What is written goes to another node only while that one has readers, and then packed.
#[tokio::test(flavor = "multi_thread")]
async fn live_text_goes_where_it_is_wanted() {
    const PIECES: usize = 300;
    let Some((world, other)) = two_nodes().await else { return };
    acquaint(&world, &other).await;
    let reply = |_: &testkit::model::Recorded| {
        Reply::pieces((0..PIECES).map(|piece| format!("piece {piece} "))).pace(Duration::from_millis(3))
    };
    world.model.respond(reply);
    let mut reader = follow(&world, &other, Start::Now).await;
    let before = world.house.store.counts().node_statements;
    world.run("read elsewhere").await;
    let seen = until_type(&mut reader, "turn_ended").await;
    let read = world.house.store.counts().node_statements - before;
    let whole: String = (0..PIECES).map(|piece| format!("piece {piece} ")).collect();
    assert!(whole.starts_with(&texts(&seen)), "{:?}", texts(&seen));
    assert_eq!(shown(&seen).last().unwrap(), "turn_ended completed");
    println!("{PIECES} pieces that are read elsewhere: {read} statements of the bus");
    assert!(read < PIECES as u64, "{read} statements: nothing was packed");
    assert!(texts(&seen).len() > whole.len() / 2, "most of it came live");
}

/// From every place of a message that is written at one node, the other shows the rest of it.
#[tokio::test(flavor = "multi_thread")]
async fn every_cursor_of_one_node_goes_on_at_the_other() {
    let Some((world, other)) = two_nodes().await else { return };
    acquaint(&world, &other).await;
    let held = Arc::new(Notify::new());
    let words = "Äpfel, <b>Birnen</b> und Ölzweige";
    let pieces: Vec<String> = words.chars().map(String::from).collect();
    let count = pieces.len();
    world.model.script(Reply::pieces(pieces).gate_after_pieces(count, held.clone()));
    let mut here = world.follow(Start::Now).await.unwrap();
    world.post("fruit").await;
    let mut said = String::new();
    let mut cursor = Cursor { seq: 0, offset: 0 };
    while said != words {
        let frame = here.next().await.unwrap().unwrap();
        said.push_str(&texts(&[frame.envelope().unwrap()]));
        cursor = frame.cursor();
    }
    for (place, _) in words.char_indices().skip(1) {
        let from = Cursor { offset: place as u64, ..cursor };
        let mut there = follow(&world, &other, Start::After(from)).await;
        let rest = until_text(&mut there, &words[place..]).await;
        assert_eq!(words[..place].to_owned() + &texts(&rest), words, "from {from:?}");
    }
    held.notify_one();
    until_type(&mut here, "turn_ended").await;
}
