//! The master key is changed at one node: the others take it while they work, and start again with it.

use crate::several::{Nodes, new_session, said};
use serde_json::json;
use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use testkit::model::Reply;

fn key(nodes: &Nodes, place: usize) -> String {
    fs::read_to_string(nodes.programs[place].data().join("master.key")).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_node_takes_a_new_master_key_while_people_work() {
    let Some(nodes) = Nodes::new(3).await else { return };
    let running = nodes.serve_all().await;
    nodes.beat_for(3, 2).await;
    nodes.model.respond(|request| Reply::text(format!("You said: {}", request.last_user())));
    let before = key(&nodes, 0);
    // People talk, and come, at the other nodes.
    let over = Arc::new(AtomicBool::new(false));
    let owner = testkit::client::Client::signed_in(&running[1].base, "ada", "correct horse");
    let owner = owner.await.unwrap().unwrap();
    let mut at_work = Vec::new();
    for place in [1, 2] {
        let (client, over) = (running[place].client(&nodes.key), over.clone());
        let owner = owner.at(&running[place].base);
        at_work.push(tokio::spawn(async move {
            let session = new_session(&client).await;
            let mut said = 0;
            while !over.load(Ordering::Relaxed) || said < 3 {
                let path = format!("/v1/sessions/{session}/messages");
                let body = json!({ "content": format!("message {said}") });
                let answer = client.post(&path, &body).await.unwrap().expect(200);
                assert_eq!(answer["outcome"], "completed", "{answer}");
                let person = json!({ "name": format!("person {place} {said}"), "role": "guest" });
                owner.post("/v1/users", &person).await.unwrap().expect(201);
                said += 1;
            }
            said
        }));
    }
    for version in [2, 3] {
        let done = nodes.programs[0].must(&["key", "rotate", "--json"], "").await;
        assert_eq!(serde_json::from_str::<serde_json::Value>(&done).unwrap()["version"], version);
    }
    over.store(true, Ordering::Relaxed);
    for task in at_work {
        assert!(task.await.unwrap() >= 3);
    }
    assert_ne!(key(&nodes, 0), before);
    for place in [1, 2] {
        assert_eq!(key(&nodes, place), key(&nodes, 0));
        assert!(!nodes.programs[place].data().join("master.key.next").exists());
    }
    assert_eq!(nodes.ask("SELECT COUNT(*) FROM handed_keys"), "0");
    assert_eq!(nodes.ask("SELECT DISTINCT key_version FROM users"), "3", "nobody has a retired key");
    // A node that starts again needs nothing but its own files.
    let session = new_session(&running[1].client(&nodes.key)).await;
    for node in running {
        node.terminate().await.unwrap();
    }
    let again = nodes.serve(2).await;
    nodes.say(&again.client(&nodes.key), &session, "And now?").await;
    nodes.until("SELECT COUNT(*) FROM turns WHERE status <> 'ended'", "0").await;
    assert_eq!(said(&again.client(&nodes.key), &session).await, ["And now?", "You said: And now?"]);
}

/// One of the nodes cannot write the new key into a file, so it is refused; it must not be left behind in the database.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_was_not_taken_is_handed_on_no_longer() {
    let Some(nodes) = Nodes::new(2).await else { return };
    let running = nodes.serve_all().await;
    nodes.beat_for(2, 2).await;
    let before = key(&nodes, 0);
    let in_the_way = nodes.programs[1].data().join("master.key.next");
    fs::create_dir(&in_the_way).unwrap();
    let refused = nodes.programs[0].run(&["key", "rotate"], "").await.unwrap();
    let words = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && words.contains("has not taken the new master key"), "{words}");
    assert_eq!(nodes.ask("SELECT COUNT(*) FROM handed_keys"), "0");
    assert_eq!((key(&nodes, 0), key(&nodes, 1)), (before.clone(), before.clone()));
    // The control: when it can write, it takes the same key.
    fs::remove_dir(in_the_way).unwrap();
    nodes.programs[0].must(&["key", "rotate"], "").await;
    assert_ne!(key(&nodes, 0), before);
    assert_eq!(key(&nodes, 1), key(&nodes, 0));
    assert_eq!(nodes.ask("SELECT COUNT(*) FROM handed_keys"), "0");
    for node in &running {
        node.client(&nodes.key).get("/v1/me").await.unwrap().expect(200);
    }
}

/// The node that changes the key dies when the key is the current one, and starts again.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_died_with_a_key_in_its_hand_puts_it_away() {
    let Some(nodes) = Nodes::new(2).await else { return };
    let other = nodes.serve(1).await;
    let dying = nodes.programs[0].clone().env("CRASH_AT", "rotation_promoted:1").serve().await.unwrap();
    nodes.beat_for(2, 2).await;
    let before = key(&nodes, 0);
    assert!(!nodes.programs[0].run(&["key", "rotate"], "").await.unwrap().status.success());
    dying.wait().await.unwrap();
    assert_ne!(key(&nodes, 0), before, "it is the current one");
    assert_eq!(nodes.ask("SELECT COUNT(*) FROM handed_keys"), "1", "the control");
    let again = nodes.serve(0).await;
    nodes.until("SELECT COUNT(*) FROM handed_keys", "0").await;
    assert_eq!(key(&nodes, 1), key(&nodes, 0));
    for node in [&again, &other] {
        node.client(&nodes.key).get("/v1/me").await.unwrap().expect(200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_in_the_environment_of_another_node_is_told_of() {
    let Some(mut nodes) = Nodes::new(2).await else { return };
    let before = key(&nodes, 0);
    let file = nodes.programs[1].data().join("master.key");
    nodes.programs[1] = nodes.programs[1].clone().env("MAJORDOMO_MASTER_KEY", before.trim());
    fs::remove_file(file).unwrap();
    let running = nodes.serve_all().await;
    nodes.beat_for(2, 2).await;
    let refused = nodes.programs[0].run(&["key", "rotate"], "").await.unwrap();
    let words = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && words.contains("MAJORDOMO_MASTER_KEY"), "{words}");
    assert_eq!(key(&nodes, 0), before);
    for node in &running {
        node.client(&nodes.key).get("/v1/me").await.unwrap().expect(200);
    }
    // The control: without that node it works.
    for node in running.into_iter().rev().take(1) {
        node.terminate().await.unwrap();
    }
    nodes.programs[0].must(&["key", "rotate"], "").await;
    assert_ne!(key(&nodes, 0), before);
}

/// It stood still while the key was changed, for so long that it counted as dead and was not waited for. What it cannot open it leaves to the
/// others, in words, and saves nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_lacks_the_new_key_says_when_to_come_back() {
    let Some(nodes) = Nodes::new(2).await else { return };
    let (first, second) = (nodes.serve(0).await, nodes.serve(1).await);
    nodes.beat_for(2, 2).await;
    second.signal("STOP").await.unwrap();
    let dead = "SELECT COUNT(*) FROM nodes WHERE lease_until < EXTRACT(EPOCH FROM clock_timestamp()) * 1000";
    nodes.until(dead, "1").await;
    nodes.programs[0].must(&["key", "rotate"], "").await;
    second.signal("CONT").await.unwrap();
    nodes.beat_for(2, 2).await;
    let (has, lacks) = (first.client(&nodes.key), second.client(&nodes.key));
    let session = new_session(&has).await;
    let path = format!("/v1/sessions/{session}/messages");
    let hello = json!({ "content": "Hello" });
    let refused = [
        lacks.post(&path, &hello).await.unwrap(),
        lacks.get(&format!("/v1/sessions/{session}")).await.unwrap(),
    ];
    for answer in refused {
        let said = (answer.status, answer.body["code"].as_str(), answer.retry_after.is_some());
        assert_eq!(said, (503, Some("unavailable"), true), "{}", answer.body);
    }
    assert_eq!(lacks.get("/readyz").await.unwrap().status, 503, "a proxy is told");
    assert_eq!(nodes.ask("SELECT COUNT(*) FROM turns"), "0", "it saved what it could not answer");
    // The other one has the key, and so has this one once it is given it.
    nodes.model.respond(|_| Reply::text("Hello."));
    assert_eq!(has.post(&path, &hello).await.unwrap().expect(200)["reply"], "Hello.");
    second.terminate().await.unwrap();
    let keys = [0, 1].map(|place| nodes.programs[place].data().join("master.key"));
    fs::copy(&keys[0], &keys[1]).unwrap();
    let again = nodes.serve(1).await;
    let answer = again.client(&nodes.key).post(&path, &hello).await.unwrap().expect(200);
    assert_eq!(answer["reply"], "Hello.");
}
