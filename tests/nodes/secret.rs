//! What is said at one node and read at another goes through the database, and its log cannot tell what it was.

use crate::{
    beside,
    house::{next, until_text},
    world::{self, World},
};
use serde_json::json;
use std::{fs, sync::Arc};
use testkit::{model::Reply, postgres::Cluster};
use tokio::sync::Notify;

const SAID: &str = "quetzalcoatlus";
const ANSWERED: &str = "xylophonistin";

#[tokio::test(flavor = "multi_thread")]
async fn a_word_read_at_the_other_node_is_in_no_log_of_the_database() {
    let logged = "-c log_statement=all -c log_min_messages=warning -c log_parameter_max_length=-1";
    let Some(cluster) = Cluster::start_set(logged).unwrap() else { return };
    let url = cluster.database().unwrap();
    let world = World::with_store(&url).await;
    let mut running = Vec::new();
    for program in beside::programs(&world, 2, "") {
        running.push(program.serve().await.unwrap());
    }
    let (first, second) = (running[0].client(&world.key), running[1].client(&world.key));
    let held = Arc::new(Notify::new());
    let pieces = [format!("It is a {ANSWERED}, "), "and that is all.".to_owned()];
    world.model.script(Reply::pieces(pieces).gate_after_pieces(1, held.clone()));
    let agent = world::worker(&first).await;
    let session = world::new_session(&first, &agent).await;
    let mut stream = second.follow(&session, Some("0")).await.unwrap();
    let body = json!({ "content": format!("What is a {SAID}?") });
    let own = first.send_message(&session, "k1", &body).await.unwrap();
    assert_eq!(own.status, 200);
    // Live, before the reply has come to its end.
    until_text(&mut stream, &format!("{ANSWERED}, ")).await;
    held.notify_one();
    while next(&mut stream).await.event != "turn_ended" {}
    drop(own);
    let log = fs::read_to_string(cluster.folder().join("log")).unwrap();
    // The controls: statements are logged with their values, and pieces went through them.
    assert!(log.contains(&session) && log.contains("pg_notify"), "the log says too little");
    for word in [SAID, ANSWERED] {
        assert!(!log.contains(word), "the log of the database has a word that was said: {word}");
    }
}
