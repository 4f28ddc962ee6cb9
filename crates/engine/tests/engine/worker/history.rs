//! What of a long conversation the model is told.

use crate::world::{World, shown};
use serde_json::{Value, json};
use testkit::model::{Recorded, Reply};

const LEFT_OUT: &str = "Earlier parts of this conversation were left out";

fn roles(request: &Recorded) -> Vec<String> {
    request.messages().iter().map(|message| message["role"].as_str().unwrap().to_owned()).collect()
}

fn says_left_out(request: &Recorded) -> bool {
    request.messages()[0]["content"].as_str().unwrap().contains(LEFT_OUT)
}

#[tokio::test]
async fn the_oldest_whole_turns_are_left_out_and_the_prompt_says_so() {
    let world = World::with(|setup| setup.window = Some(2_000)).await;
    world.model.respond(|request| match request.results_since_user().len() {
        0 => Reply::calls([("look", json!({ "length": 400 }))]),
        _ => Reply::text("Answer. ".repeat(40)),
    });
    for number in 0..12 {
        world.run(&format!("question {number}")).await;
        let request = world.model.last_request().unwrap();
        let roles = roles(&request);
        assert_eq!(roles[1], "user", "a turn begins with its person's message: {roles:?}");
        assert_eq!(roles[roles.len() - 3..], ["user", "assistant", "tool"], "the current turn is there");
        let all = 1 + 4 * number + 3;
        assert_eq!(says_left_out(&request), roles.len() < all, "said exactly when it is so");
    }
    let request = world.model.last_request().unwrap();
    assert!(roles(&request).len() < 40, "most of it was left out");
    assert!(
        request.messages().iter().any(|message| message["content"] == json!("question 10")),
        "the newest fit"
    );
    let said: Vec<String> = (0..12).map(|number| format!("question {number}")).collect();
    world.check(&said.iter().map(String::as_str).collect::<Vec<_>>()).await;
}

#[tokio::test]
async fn a_turn_that_does_not_fit_is_sent_all_the_same() {
    let world = World::with(|setup| setup.window = Some(2_000)).await;
    world.model.queue([Reply::text("Before."), Reply::calls([("look", json!({}))]), Reply::text("Read.")]);
    world.run("Before").await;
    // Longer than everything that is read of a conversation for a window of this size.
    let long = "x".repeat(1 << 20);
    let events = world.run(&long).await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
    for request in &world.model.requests()[1..] {
        assert_eq!(request.messages()[1]["content"].as_str().map(str::len), Some(1 << 20));
        assert!(says_left_out(request));
    }
    assert_eq!(roles(&world.model.last_request().unwrap()), ["system", "user", "assistant", "tool"]);
    world.check(&["Before", &long]).await;
}

#[tokio::test]
async fn a_message_that_is_too_long_for_the_next_turn_is_cut_there() {
    let world = World::with(|setup| setup.window = Some(2_200)).await;
    world.model.respond(|_| Reply::text("Hm."));
    world.run(&"x".repeat(50_000)).await;
    world.run("Short").await;
    let request = world.model.last_request().unwrap();
    assert_eq!(roles(&request), ["system", "user", "assistant", "user"]);
    let cut = request.messages()[1]["content"].as_str().unwrap();
    assert_eq!((cut.len(), cut.ends_with("x\n[truncated]")), (4_000, true));
    assert_eq!(request.messages()[3]["content"], json!("Short"));
    assert!(!says_left_out(&request), "it says so itself");
}

#[tokio::test]
async fn everything_fits_into_a_large_window() {
    let world = World::new().await;
    world.fill(400).await;
    world.model.script(Reply::text("Yes."));
    world.run("All of it?").await;
    let request = world.model.last_request().unwrap();
    assert_eq!(request.messages().len(), 402);
    assert!(!says_left_out(&request));
    let contents: Vec<&Value> =
        request.messages()[1..401].iter().map(|message| &message["content"]).collect();
    let expected: Vec<Value> = (0..400).map(|number| json!(format!("past message {number}"))).collect();
    assert!(contents.into_iter().eq(expected.iter()), "in order");
}

#[tokio::test]
async fn a_capability_that_disappeared_is_said_and_not_skipped_in_silence() {
    let world = World::new().await;
    let (agent, key) = (world.agent, world.store.data_key(world.user).await.unwrap());
    let mut changed = world.engine().agent(world.user, agent).await.unwrap();
    changed.capabilities.push("telepathy".into());
    world.store.write(move |tx| store::agents::update(tx, &key, &changed)).await.unwrap();
    world.model.script(Reply::text("Hello."));
    let events = world.run("Hello").await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
    let request = world.model.last_request().unwrap();
    let system = request.messages()[0]["content"].as_str().unwrap();
    assert!(system.contains("not available at the moment (telepathy)"), "{system}");
}
