//! Commands as an agent has them: what looks is allowed, what changes something is not its to decide.

use crate::world::{World, shown};
use domain::{CapabilityRef, MarkupMode, MarkupSettings, Part, ResultStatus};
use engine::{AgentFields, Change};
use serde_json::{Value, json};
use testkit::model::Reply;

async fn world() -> World {
    let world = World::new().await;
    let capabilities = Change::Set(vec![CapabilityRef::from("commands")]);
    let markup = Change::Set(MarkupSettings { mode: MarkupMode::On, assertions: false });
    let fields = AgentFields { capabilities, markup, ..AgentFields::default() };
    world.engine().change_agent(world.user, world.agent, fields).await.unwrap();
    world
}

async fn results(world: &World) -> Vec<(String, ResultStatus, String)> {
    let result = |part: Part| match part {
        Part::Result { name, status, content, .. } => Some((name, status, content)),
        _ => None,
    };
    world.messages().await.into_iter().flat_map(|message| message.parts).filter_map(result).collect()
}

/// HERO-72
#[tokio::test]
async fn an_agent_is_helped_and_may_not_command() {
    let world = world().await;
    world.model.queue([
        Reply::calls([
            ("help", json!({ "filter": "^session$", "category": "commands" })),
            ("session", json!({ "action": "create", "name": "Mine" })),
            ("agent", json!({ "action": "configure", "agent": "main", "settings": { "model": null } })),
            ("clear", json!({})),
        ]),
        Reply::text("I see."),
    ]);
    let events = world.run("Try everything").await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
    let mut results = results(&world).await;
    // What is denied needs nobody to run it, and is settled first.
    results
        .sort_by_key(|(name, ..)| ["help", "session", "agent", "clear"].iter().position(|one| one == name));
    let told: Vec<(&str, ResultStatus)> =
        results.iter().map(|(name, status, _)| (name.as_str(), *status)).collect();
    let denied = ResultStatus::Denied;
    assert_eq!(told, [("help", ResultStatus::Ok), ("session", denied), ("agent", denied), ("clear", denied)]);
    let help: Value = serde_json::from_str(&results[0].2).unwrap();
    assert_eq!(help["data"]["commands"][0]["name"], "session");
    assert!(results[1].2.contains("approval"), "{}", results[1].2);
    let sessions =
        world.engine().sessions(world.user, Default::default(), store::Page::first(10)).await.unwrap();
    assert_eq!(sessions.total, 1, "nothing was made");
}

/// HERO-73
#[tokio::test]
async fn a_command_answers_to_both_of_its_names() {
    let world = world().await;
    let text = "@system(command_session, {action: 'list'})\n@system(command_dance, {})\n@system(help, {category: 'commands'})\n";
    world.model.queue([Reply::text(text), Reply::text("I see.")]);
    world.run("Try").await;
    let results = results(&world).await;
    assert_eq!((results[0].0.as_str(), results[0].1), ("session", ResultStatus::Denied), "{results:?}");
    assert!(results[0].2.contains("approval"), "{results:?}");
    assert!(results[1].2.contains("Unknown function: command_dance"), "{results:?}");
    assert_eq!((results[2].0.as_str(), results[2].1), ("help", ResultStatus::Ok), "{results:?}");
}
