//! Titles: made from the first turn, in the background, once.

use crate::world::{World, until_type};
use domain::{EnvelopeBody, EventBody};
use engine::{Change, SessionChange, Start};
use serde_json::json;
use std::sync::Arc;
use store::Tx;
use testkit::model::Reply;
use tokio::sync::Notify;

/// A world in which the model answers `Soup.`, and this when it is asked for a title.
async fn world(title: impl Fn() -> Reply + Send + Sync + 'static) -> World {
    let world = World::with(|setup| setup.settings.summaries.titles = true).await;
    answer(&world, title);
    world
}

fn answer(world: &World, title: impl Fn() -> Reply + Send + Sync + 'static) {
    world.model.respond(move |request| match request.last_user().starts_with("Write a title") {
        true => title(),
        false => Reply::text("Soup."),
    });
}

/// A title that does not come before the gate opens.
fn gated(gate: &Arc<Notify>) -> impl Fn() -> Reply + Send + Sync + 'static {
    let gate = gate.clone();
    move || Reply::pieces(["Dinner", " plans"]).gate_after_pieces(1, gate.clone())
}

impl World {
    /// Waits until the session says that it has a name, and gives the name.
    async fn named(&self) -> String {
        let mut reader = self.follow_from(0).await;
        let events = until_type(&mut reader, "session_updated").await;
        match events.last().map(|envelope| &envelope.body) {
            Some(EnvelopeBody::Durable(EventBody::SessionUpdated(what))) => {
                what["name"].as_str().unwrap().to_owned()
            }
            other => panic!("{other:?}"),
        }
    }

    async fn rename(&self, name: &str) {
        let change = SessionChange { name: Change::Set(name.to_owned()), ..SessionChange::default() };
        self.engine().change_session(&self.me(), self.session, change).await.unwrap();
    }

    /// Waits until the model has been asked for a title.
    async fn title_asked(&self) {
        self.model.wait_for(2).await;
    }

    /// The requests for titles, by their states.
    async fn title_calls(&self) -> Vec<String> {
        let sql = "SELECT status FROM model_calls WHERE step = 0 ORDER BY status";
        self.store.read(move |tx: &mut Tx| tx.all(sql, Vec::new())).await.unwrap()
    }
}

#[tokio::test]
async fn the_first_turn_gives_a_session_its_title() {
    let world = world(|| Reply::text("\"Dinner plans.\"")).await;
    world.run("What is for dinner?").await;
    assert_eq!(world.named().await, "Dinner plans");
    let session = world.session().await;
    assert_eq!(session.name.as_deref(), Some("Dinner plans"));
    let asked = world.model.last_request().unwrap();
    assert!(asked.last_user().contains("What is for dinner?") && asked.last_user().contains("Soup."));
    assert_eq!(asked.body["max_tokens"], 200);
    assert!(asked.body.get("tools").is_none());
    assert_eq!(world.title_calls().await, ["ok"]);
    // What the title cost is part of what the session cost.
    let spent = "SELECT CAST(SUM(input_tokens) AS BIGINT) FROM model_calls";
    let spent: u64 = world.store.read(move |tx: &mut Tx| tx.one(spent, Vec::new())).await.unwrap();
    assert_eq!(session.usage.input_tokens, spent);
    world.run("And with it?").await;
    assert_eq!(world.title_calls().await, ["ok"], "it is asked for once");
    world.model.assert_clean();
}

#[tokio::test]
async fn the_first_words_do_when_the_model_does_not() {
    let useless: [fn() -> Reply; 3] =
        [|| Reply::status(500), || Reply::text("  "), || Reply::pieces(["cut ", "off"]).cut_after_pieces(1)];
    for reply in useless {
        let world = world(reply).await;
        world.run("What is for dinner?").await;
        assert_eq!(world.named().await, "What is for dinner?");
    }
}

#[tokio::test]
async fn a_persons_name_stays() {
    let gate = Arc::new(Notify::new());
    let world = world(gated(&gate)).await;
    world.run("What is for dinner?").await;
    world.title_asked().await;
    world.rename("Mine").await;
    // The next turn does not wait for the title.
    world.run("And with it?").await;
    gate.notify_one();
    while world.title_calls().await != ["ok"] {
        tokio::task::yield_now().await;
    }
    assert_eq!(world.session().await.name.as_deref(), Some("Mine"));
}

#[tokio::test]
async fn a_title_that_a_crash_cut_off_is_made_at_the_next_start() {
    let mut world = world(gated(&Arc::new(Notify::new()))).await;
    world.run("What is for dinner?").await;
    world.title_asked().await;
    answer(&world, || Reply::text("Dinner plans"));
    world.crash().await;
    assert_eq!(world.named().await, "Dinner plans");
    assert_eq!(world.title_calls().await, ["failed", "ok"]);
}

#[tokio::test]
async fn a_shutdown_waits_for_no_title() {
    let mut world = world(gated(&Arc::new(Notify::new()))).await;
    world.run("What is for dinner?").await;
    world.title_asked().await;
    world.house.shutdown(crate::world::PATIENCE).await;
    world.house = world.house(world.house.node).await;
    assert_eq!(world.session().await.name.as_deref(), Some("What is for dinner?"));
}

#[tokio::test]
async fn the_demo_model_costs_nothing() {
    let world = world(|| Reply::status(500)).await;
    let demo = engine::AgentFields { model: Change::Set("demo".to_owned()), ..Default::default() };
    world.engine().change_agent(&world.me(), world.agent, demo).await.unwrap();
    world.run("What is for dinner?").await;
    assert_eq!(world.named().await, "What is for dinner?");
    assert!(world.title_calls().await.is_empty());
}

#[tokio::test]
async fn reading_is_seen_by_others_and_moves_nothing_in_the_list() {
    let world = World::new().await;
    world.model.script(Reply::text("Soup."));
    world.run("What is for dinner?").await;
    let before = world.session().await;
    let last = before.last_message.clone().unwrap();
    assert!(last.seq > before.read_seq, "unread");
    world.clock.advance(1_000);
    let mut reader = world.follow(Start::Now).await.unwrap();
    let change = SessionChange { read_seq: Some(before.last_seq), ..SessionChange::default() };
    let after = world.engine().change_session(&world.me(), world.session, change).await.unwrap();
    assert!(last.seq <= after.read_seq, "read");
    assert_eq!(after.updated_at, before.updated_at);
    let told = until_type(&mut reader, "session_updated").await;
    let body = EventBody::SessionUpdated(json!({ "read_seq": before.last_seq }));
    assert_eq!(told.last().unwrap().body, EnvelopeBody::Durable(body));
}
