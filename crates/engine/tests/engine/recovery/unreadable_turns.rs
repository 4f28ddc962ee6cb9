//! Turns of which too little can be read to go on: they end, once, and nothing else suffers.

use crate::world::{World, shown};
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
