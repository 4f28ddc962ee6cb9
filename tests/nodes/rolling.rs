//! Nodes that are restarted one after the other while people talk.

use crate::several::{Nodes, new_session, said};
use std::time::Duration;
use testkit::model::Reply;

const SESSIONS: usize = 8;
/// So many that the last node still works when the others have been restarted.
const MESSAGES: usize = 12;

/// However its turns move from node to node, a session has one at a time, and every message has its answer, in order.
#[tokio::test(flavor = "multi_thread")]
async fn a_rolling_restart_never_has_two_turns_of_a_session() {
    let Some(nodes) = Nodes::new(3).await else { return };
    nodes.model.one_at_a_time();
    nodes.model.respond(|request| {
        // As long as a restart is not over before it began.
        Reply::text(format!("Heard {}", request.last_user())).delay(Duration::from_millis(900))
    });
    let mut running: Vec<_> = nodes.serve_all().await.into_iter().map(Some).collect();
    let mut sessions = Vec::new();
    for number in 0..SESSIONS {
        let client = running[number % 3].as_ref().unwrap().client(&nodes.key);
        let session = new_session(&client).await;
        for message in 0..MESSAGES {
            // At another node each time: what waits is started by any of them.
            let client = running[(number + message) % 3].as_ref().unwrap().client(&nodes.key);
            nodes.say(&client, &session, &format!("message {message} of session {number}")).await;
        }
        sessions.push(session);
    }
    nodes.hang_up();
    for (place, held) in running.iter_mut().enumerate() {
        nodes.until_it_works(place).await;
        let node = held.take().unwrap();
        match place {
            1 => node.kill().await.unwrap(),
            _ => assert_eq!(node.terminate().await.unwrap(), Some(0)),
        }
        *held = Some(nodes.serve(place).await);
    }
    nodes.until("SELECT COUNT(*) FROM turns WHERE status <> 'ended'", "0").await;
    let outcomes = nodes.ask("SELECT outcome, COUNT(*) FROM turns GROUP BY outcome");
    assert_eq!(outcomes, format!("completed|{}", SESSIONS * MESSAGES));
    assert_eq!(nodes.ask("SELECT MAX(attempt) > 1 FROM turns"), "t", "no turn was hit");
    let client = running[0].as_ref().unwrap().client(&nodes.key);
    for (number, session) in sessions.iter().enumerate() {
        let words = |message: usize| format!("message {message} of session {number}");
        let expected: Vec<String> =
            (0..MESSAGES).flat_map(|message| [words(message), format!("Heard {}", words(message))]).collect();
        assert_eq!(said(&client, session).await, expected);
    }
}
