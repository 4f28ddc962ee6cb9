//! What others see of a summary: forks, the preview, and the beginning of a prompt that a provider keeps.

use super::compaction::{HEADING, as_model, told, world};
use crate::world::World;
use domain::Message;
use engine::{Fork, PreviewQuestion};
use provider::Wire;
use serde_json::{Value, json};
use testkit::model::{Recorded, Reply};

#[tokio::test]
async fn a_fork_sees_no_summary_of_what_it_does_not_have() {
    let mut world = world(8_000, 0, as_model).await;
    world.run("remember #early please").await;
    world.talk_at_length(3).await;
    world.compact().await.unwrap();
    let first = world.newest().await.unwrap();
    world.run("remember #late please").await;
    world.talk_at_length(3).await;
    world.compact().await.unwrap();
    let second = world.newest().await.unwrap();
    assert!(second.summary.contains("#late") && !first.summary.contains("#late"));
    let parent = world.session;
    let messages = world.messages().await;
    let last = |up_to: u64| messages.iter().filter(|message| message.seq <= up_to).map(|m| m.seq).max();
    for (after_seq, expected) in [
        (last(first.up_to_seq - 1), None),
        (last(first.up_to_seq), None),
        (last(first.up_to_seq + 10), Some("#early")),
        (last(second.up_to_seq), Some("#early")),
        (None, Some("#late")),
    ] {
        world.session = parent;
        let (user, fork) = (world.user, Fork { after_seq });
        let fork = world
            .house
            .on(move |engine| async move { engine.fork_session(user, parent, fork, None).await })
            .await
            .unwrap();
        world.session = fork.id;
        let copied = world.messages().await;
        world.run("and now?").await;
        let told = told(&world.model.last_request().unwrap());
        let Some(expected) = expected else {
            assert!(!told[1].starts_with(HEADING), "{after_seq:?}: {}", told[1]);
            continue;
        };
        assert!(told[1].starts_with(HEADING) && told[1].contains(expected), "{after_seq:?}: {}", told[1]);
        assert_eq!(told[1].contains("#late"), expected == "#late");
        let stored = world.newest().await.unwrap();
        let behind: Vec<&Message> = copied.iter().filter(|message| message.seq > stored.up_to_seq).collect();
        assert_eq!(told.len(), 2 + behind.len() + 1, "each message once, in words or in the summary");
        assert_eq!(told[2], behind[0].content);
    }
    world.model.assert_clean();
}

#[tokio::test]
async fn the_preview_shows_the_summary_as_the_model_is_told_it() {
    let world = world(8_000, 0, as_model).await;
    world.talk_at_length(4).await;
    world.compact().await.unwrap();
    let asked = PreviewQuestion {
        text: "and now?".to_owned(),
        session_id: Some(world.session),
        ..PreviewQuestion::default()
    };
    let preview = world.engine().preview_prompt(world.user, world.agent, asked).await.unwrap();
    let history = preview.nodes.iter().find(|node| node.id == "history").unwrap();
    let node = &history.children[0];
    assert_eq!((node.id.as_str(), node.source.join("/").as_str()), ("history.summary", "history/summary"));
    assert!(node.text.starts_with(HEADING) && node.tokens > 0);
    world.run("and now?").await;
    assert_eq!(preview.request.unwrap(), world.model.last_request().unwrap().raw);
}

/// The blocks of a request in the order in which a provider keeps them, each with whether it is marked.
fn blocks(request: &Recorded) -> Vec<(Value, bool)> {
    let mut blocks = Vec::new();
    let mut add = |place: &str, block: &Value| {
        let mut block = block.clone();
        let marked = block.as_object_mut().is_some_and(|block| block.remove("cache_control").is_some());
        blocks.push((json!([place, block]), marked));
    };
    let list = |name: &str| request.body[name].as_array().cloned().unwrap_or_default();
    list("tools").iter().for_each(|tool| add("tool", tool));
    list("system").iter().for_each(|block| add("system", block));
    for message in request.messages() {
        let role = message["role"].as_str().unwrap();
        message["content"].as_array().unwrap().iter().for_each(|block| add(role, block));
    }
    blocks
}

/// What was marked is found again, byte for byte, as long as no summary is made; and after it from the next turn on.
#[tokio::test]
async fn the_beginning_that_a_provider_keeps_does_not_change_between_summaries() {
    let world = World::with(|setup| setup.wire = Wire::Anthropic).await;
    let respond = |request: &Recorded| match request.messages()[0].to_string().contains("<conversation>") {
        true => Reply::text("## Key facts\nnone\n## Pending\nnothing"),
        false if request.last_user().starts_with("look") && request.results_since_user().is_empty() => {
            Reply::calls([("look", json!({ "length": 300 }))])
        }
        false => Reply::text("An answer of some length. ".repeat(8)),
    };
    world.model.respond(respond);
    let kept = |before: &Recorded, after: &Recorded| {
        let (before, after) = (blocks(before), blocks(after));
        let end = before.iter().rposition(|(_, marked)| *marked).unwrap() + 1;
        let plain = |blocks: &[(Value, bool)]| {
            blocks.iter().take(end).map(|(block, _)| block.to_string()).collect::<Vec<_>>()
        };
        // A mark stands where the one before ended, so that the provider looks there.
        plain(&before) == plain(&after) && after.get(end - 1).is_some_and(|(_, marked)| *marked)
    };
    let turns = async |count: usize| {
        let first = world.model.requests().len();
        for number in 0..count {
            world.run(&format!("look at number {number}")).await;
        }
        world.model.requests().split_off(first)
    };
    let before = turns(3).await;
    assert_eq!(before.len(), 6);
    assert!(before.windows(2).all(|pair| kept(&pair[0], &pair[1])));
    assert!(world.compact().await.unwrap().compacted);
    let after = turns(3).await;
    assert!(!kept(&before[5], &after[0]), "the control: a summary is another beginning");
    assert!(after.windows(2).all(|pair| kept(&pair[0], &pair[1])));
    world.model.assert_clean();
}
