//! Turns of which too little can be read to go on: they end, once, and nothing else suffers.

use crate::world::{PATIENCE, World, shown};
use domain::{MessageKind, TurnId};
use serde_json::json;
use std::sync::Arc;
use store::Tx;
use testkit::model::Reply;
use tokio::sync::Notify;

/// Spoils a column of the turn, or of its calls.
async fn spoil(world: &World, table: &str, column: &str, id_column: &str, turn: TurnId) {
    let sql = format!("UPDATE {table} SET {column} = $1 WHERE {id_column} = $2");
    let write = move |tx: &mut Tx| tx.run(&sql, store::args![vec![7_u8; 80], turn]);
    assert!(world.store.write(write).await.unwrap() > 0, "there was nothing to spoil");
}

fn failed(told: &[String]) -> usize {
    told.iter().filter(|line| line.as_str() == "turn_ended failed turn_unreadable").count()
}

#[tokio::test]
async fn a_turn_whose_state_cannot_be_read_fails_once_and_what_waits_goes_on() {
    let mut world = World::new().await;
    world.model.script(Reply::pieces(["Once"]).stall_after_pieces(1));
    let accepted = world.post("first").await;
    let second = world.post("second").await;
    world.model.wait_for(1).await;
    world.house.kill().await;
    spoil(&world, "turns", "state", "id", accepted.turn_id).await;
    world.model.respond(|request| Reply::text(format!("Answer to {}", request.last_user())));
    world.house = world.house(world.house.node).await;
    let told = shown(&world.ended(accepted).await);
    assert_eq!(failed(&told), 1, "{told:?}");
    assert_eq!(shown(&world.ended(second).await).last().unwrap(), "turn_ended completed");
    // Nobody takes it up a second time.
    let length = world.log().await.len();
    world.crash().await;
    assert_eq!(world.log().await.len(), length);
    let said = world.messages().await;
    assert_eq!(said[0].content, "first", "the words of the person are kept");
    assert_eq!(said[1].meta.kind, Some(MessageKind::Error));
    assert!(said[1].content.contains("cannot be read"), "{}", said[1].content);
    world.check(&["first", "second"]).await;
}

#[tokio::test]
async fn its_calls_get_their_results_and_it_can_be_retried() {
    for (table, column, id_column) in [("turns", "state", "id"), ("calls", "body", "turn_id")] {
        let mut world = World::new().await;
        world.model.script(Reply::calls([
            ("touch", json!({ "gate": "never" })),
            ("look", json!({ "gate": "never" })),
        ]));
        let accepted = world.post("Work").await;
        world.tools.started(2).await;
        world.house.kill().await;
        spoil(&world, table, column, id_column, accepted.turn_id).await;
        world.house = world.house(world.house.node).await;
        let told = shown(&world.ended(accepted).await);
        assert_eq!(failed(&told), 1, "{told:?}");
        assert_eq!(world.tools.runs("touch").len(), 1, "what had begun is not run again");
        world.model.script(Reply::text("I see."));
        world.retry().await.unwrap();
        let told = shown(&world.ended(accepted).await);
        assert_eq!(told.last().unwrap(), "turn_ended completed", "{told:?}");
        let results = world.model.last_request().unwrap().results_since_user();
        assert!(results[0].contains("outcome unknown"), "{results:?}");
        assert!(results[1].contains("not finished"), "{results:?}");
        world.model.assert_clean();
    }
}

#[tokio::test]
async fn a_turn_that_can_be_read_is_taken_up_as_ever() {
    let mut world = World::new().await;
    world.model.script(Reply::text("Never.").gate(Arc::new(Notify::new())));
    let accepted = world.post("Work").await;
    world.model.wait_for(1).await;
    world.model.script(Reply::text("Done."));
    world.crash().await;
    assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended completed");
    world.check(&["Work"]).await;
}

/// No word can be stored for a person whose own key is damaged. Their turns end all the same, and what they hold is given back.
#[tokio::test]
async fn turns_of_a_person_whose_key_is_damaged_end_and_are_not_tried_again() {
    for mut world in World::of_both_kinds().await {
        world.model.respond(|request| match request.last_user().as_str() {
            "first" => Reply::calls([("touch", json!({ "gate": "never" }))]),
            _ => Reply::text("It goes on."),
        });
        world.post("first").await;
        world.tools.started(1).await;
        world.post("second").await;
        world.house.kill().await;
        let before = key_of(&world).await;
        put_key(&world, vec![7; 77]).await;
        world.house = world.house(world.house.node).await;
        let ended = "SELECT COUNT(*) FROM turns WHERE status = 'ended' AND outcome = 'failed'";
        until_counted(&world, ended, 2).await;
        for (left, sql) in [
            (
                "an active session",
                "SELECT COUNT(*) FROM sessions WHERE active_turn IS NOT NULL OR pending > 0",
            ),
            ("an open call", "SELECT COUNT(*) FROM calls WHERE status IN ('pending', 'waiting', 'running')"),
            ("an open request", "SELECT COUNT(*) FROM model_calls WHERE status = 'started'"),
        ] {
            assert_eq!(count(&world, sql).await, 0, "{left} is left");
        }
        assert_eq!(
            count(&world, "SELECT COUNT(*) FROM calls WHERE status = 'unknown'").await,
            1,
            "it had begun"
        );
        assert_eq!(world.model.request_count(), 1, "no model is asked for what cannot be stored");
        // With the key that there was, the conversation goes on.
        world.house.kill().await;
        put_key(&world, before).await;
        world.house = world.house(world.house.node).await;
        let third = world.post("third").await;
        assert_eq!(shown(&world.ended(third).await).last().unwrap(), "turn_ended completed");
    }
}

async fn count(world: &World, sql: &'static str) -> u64 {
    let found: (u64,) = world.store.read(move |tx: &mut Tx| tx.one(sql, store::args![])).await.unwrap();
    found.0
}

/// Nothing tells of it: what could be told cannot be sealed.
async fn until_counted(world: &World, sql: &'static str, wanted: u64) {
    let counting = async {
        while count(world, sql).await != wanted {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    assert!(tokio::time::timeout(PATIENCE, counting).await.is_ok(), "{sql} never gives {wanted}");
}

async fn key_of(world: &World) -> Vec<u8> {
    let (sql, user) = ("SELECT data_key FROM users WHERE id = $1", world.user);
    world.store.read(move |tx: &mut Tx| tx.one::<Vec<u8>>(sql, store::args![user])).await.unwrap()
}

async fn put_key(world: &World, key: Vec<u8>) {
    let (sql, user) = ("UPDATE users SET data_key = $1 WHERE id = $2", world.user);
    world.store.write(move |tx: &mut Tx| tx.run(sql, store::args![key, user])).await.unwrap();
}
