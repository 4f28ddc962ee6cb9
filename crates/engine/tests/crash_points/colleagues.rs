//! Agents that work for each other, cut off wherever that is stored: both finish, once.

use crate::{
    Trap,
    world::{PATIENCE, World, shown, until_type},
};
use domain::{CapabilityRef, Role};
use engine::{AgentFields, Change};
use fail::FailScenario;
use serde_json::json;
use std::sync::Arc;
use store::{Page, Tx, sessions::SessionFilter};
use testkit::model::{Recorded, Reply};
use tokio::sync::Notify;

async fn kitchen() -> World {
    let world = World::new().await;
    let capabilities = Change::Set(["colleagues", "workshop"].map(CapabilityRef::from).to_vec());
    let fields = AgentFields { capabilities, ..AgentFields::default() };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
    let cook = AgentFields {
        name: Change::Set("cook".to_owned()),
        system_prompt: Change::Set("You cook.".to_owned()),
        markup: Change::Set(domain::MarkupSettings::OFF),
        ..AgentFields::default()
    };
    world.engine().create_agent(&world.me(), cook).await.unwrap();
    world
}

/// A message, an errand for a colleague, and one for a subagent that has an effect.
fn answers(request: &Recorded) -> Reply {
    let told = request.messages()[0]["content"].to_string();
    let results = request.results_since_user().len();
    match results {
        0 if told.contains("You are the butler.") => Reply::calls([
            ("send_agent_message", json!({ "agent": "cook", "message": "Guests are coming" })),
            ("delegate", json!({ "agent": "cook", "task": "Make soup" })),
            ("spawn_agent", json!({ "instructions": "Ring.", "task": "Ring the bell", "tools": ["touch"] })),
        ]),
        0 if told.contains("Ring.") => Reply::calls([("touch", json!({}))]),
        _ => Reply::text("Done."),
    }
}

impl World {
    /// Nothing runs and nothing is due, in any session.
    async fn comes_to_rest(&self) {
        let open = "SELECT (SELECT COUNT(*) FROM turns WHERE status <> 'ended') \
                    + (SELECT COUNT(*) FROM errands WHERE due IS NOT NULL)";
        let rest = async {
            loop {
                let left: u64 = self.store.read(move |tx: &mut Tx| tx.one(open, Vec::new())).await.unwrap();
                if left == 0 && self.engine().running_turns() == 0 {
                    return;
                }
                tokio::task::yield_now().await;
            }
        };
        assert!(tokio::time::timeout(PATIENCE, rest).await.is_ok(), "something still goes on, or is due");
    }

    /// What other agents were told, in all sessions below this one.
    async fn told_to_others(&self) -> Vec<String> {
        let filter = SessionFilter { parent_id: Some(self.session), ..SessionFilter::default() };
        let children = self.engine().sessions(self.user, filter, Page::first(10)).await.unwrap().items;
        let mut told = Vec::new();
        for child in children {
            let page = store::messages::MessagePage { before_seq: None, after_seq: None, limit: 100 };
            let messages = self.engine().messages(self.user, child.id, page).await.unwrap().items;
            told.extend(messages.into_iter().filter(|one| one.role == Role::User).map(|one| one.content));
        }
        told.sort();
        told
    }
}

async fn both_finish_once(world: &World, accepted: engine::Accepted) {
    let lines = shown(&world.ended(accepted).await);
    assert_eq!(lines.last().unwrap(), "turn_ended completed", "{lines:?}");
    world.comes_to_rest().await;
    let told = world.told_to_others().await;
    assert_eq!(told, ["Guests are coming", "Make soup", "Ring the bell"], "{:#?}", world.log().await);
    for kind in ["errand_started", "errand_ended"] {
        let count = world.log().await.iter().filter(|event| event.body.type_name() == kind).count();
        assert_eq!(count, 2, "{kind}");
    }
    assert!(world.tools.runs("touch").len() <= 1, "the effect happened twice");
    world.check(&["Dinner"]).await;
}

/// EVERRUNS-40
#[tokio::test]
async fn who_waits_and_who_works_both_finish_once() {
    let scenario = FailScenario::setup();
    for point in [
        "turn_before_commit",
        "turn_after_commit",
        "park_before_commit",
        "park_after_commit",
        "deliver_before_commit",
        "deliver_after_commit",
        "send_before_commit",
        "send_after_commit",
    ] {
        let mut nth = 1;
        loop {
            let mut world = kitchen().await;
            world.model.respond(answers);
            let trap = Trap::set(point, nth);
            let accepted = world.post("Dinner").await;
            let through = async {
                world.ended(accepted).await;
                world.comes_to_rest().await;
            };
            let cut_off = tokio::select! {
                biased;
                () = trap.sprung() => true,
                () = through => false,
            };
            trap.disarm();
            if !cut_off {
                assert!(nth > 1, "nobody was cut off at {point}");
                break;
            }
            world.crash().await;
            both_finish_once(&world, accepted).await;
            println!("{point}: cut off at the {nth}. time, and all is well");
            nth += 1;
        }
    }
    scenario.teardown();
}

#[tokio::test]
async fn a_stop_reaches_who_works_whatever_cuts_it_off() {
    let scenario = FailScenario::setup();
    for point in ["errand_stop_before_commit", "errand_stop_after_commit", "cancel_after_commit"] {
        let mut world = kitchen().await;
        world.model.respond(|request| {
            match request.messages()[0]["content"].to_string().contains("butler") {
                true => Reply::calls([("delegate", json!({ "agent": "cook", "task": "Make soup" }))]),
                false => Reply::text("Never.").gate(Arc::new(Notify::new())),
            }
        });
        let mut reader = world.follow_from(0).await;
        let accepted = world.post("Dinner").await;
        until_type(&mut reader, "errand_started").await;
        world.model.wait_for(2).await;
        let trap = Trap::set(point, 1);
        let (user, session) = (world.user, world.session);
        // It may be cut off itself.
        let _ = world.try_on(move |engine| async move { engine.abort(user, session, None).await }).await;
        trap.sprung().await;
        trap.disarm();
        drop(reader);
        world.crash().await;
        assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended cancelled", "{point}");
        world.comes_to_rest().await;
        let ended = "SELECT COUNT(*) FROM turns WHERE outcome = 'cancelled'";
        let ended: u64 = world.store.read(move |tx: &mut Tx| tx.one(ended, Vec::new())).await.unwrap();
        assert_eq!(ended, 2, "{point}: who waited and who worked");
        world.check(&["Dinner"]).await;
    }
    scenario.teardown();
}
