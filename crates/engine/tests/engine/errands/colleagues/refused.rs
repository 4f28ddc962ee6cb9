//! Errands that the transaction refuses although everything looked well before: the call fails in words, and nothing that runs
//! beside it is lost.

use super::{Kitchen, agent, is, script, soup};
use crate::world::{Setup, shown, until};
use domain::{Permission, RuleScope, Subject};
use engine::NewRule;
use serde_json::{Value, json};
use std::sync::Arc;
use store::Tx;
use testkit::model::Reply;
use tokio::sync::Notify;

/// A person closes the conversation in the moment in which an errand is stored.
const CLOSED: (&str, &str) = (
    "UPDATE sessions SET archived = 1 WHERE id = NEW.session_id;",
    "CREATE TRIGGER meanwhile BEFORE INSERT ON errands",
);
/// Another node stores one more errand for the same message.
const ONE_MORE: (&str, &str) = (
    "INSERT INTO errands (turn_id, session_id, user_id, root_turn, parent_session, parent_turn, parent_call, status, \
     depth_left, hops_left, created_at) VALUES ('beside', NEW.session_id, NEW.user_id, NEW.root_turn, NEW.parent_session, \
     'beside', 'beside', 'sent', 0, 0, NEW.created_at);",
    "CREATE TRIGGER meanwhile AFTER INSERT ON errands",
);

/// Lets this happen in the transaction of every errand.
async fn meanwhile(kitchen: &Kitchen, (deed, when): (&str, &str)) {
    let other = "WHEN (NEW.parent_call <> 'beside')";
    let sql = match kitchen.world.site.url.starts_with("sqlite:") {
        true => vec![format!("{when} {other} BEGIN {deed} END")],
        false => vec![
            format!(
                "CREATE FUNCTION meanwhile() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN {} RETURN NEW; END'",
                deed.replace('\'', "''")
            ),
            format!("{when} FOR EACH ROW {other} EXECUTE FUNCTION meanwhile()"),
        ],
    };
    for sql in sql {
        kitchen.world.store.write(move |tx: &mut Tx| tx.run(&sql, Vec::new())).await.unwrap();
    }
}

/// The butler touches something, which takes a while, and gives errands. Gives what came of these.
async fn beside_work(kitchen: &Kitchen, errands: &[Value]) -> Vec<String> {
    let (world, errands) = (&kitchen.world, errands.to_vec());
    world.model.respond(move |request| match request.results_since_user().len() {
        _ if !is(request, "You are the butler.") => Reply::text("Soup is ready."),
        0 => {
            let errands = errands.iter().map(|errand| ("delegate", errand.clone()));
            Reply::calls([("touch", json!({ "gate": "work" }))].into_iter().chain(errands))
        }
        _ => Reply::text("Done."),
    });
    let mut reader = world.follow_from(world.session().await.last_seq).await;
    let accepted = world.post("Both").await;
    // Only then has the errand been refused for sure.
    until(&mut reader, |event| matches!(event.type_name(), "tool_result" | "turn_ended")).await;
    world.tools.open("work");
    let lines = shown(&world.ended(accepted).await);
    assert_eq!(lines.last().unwrap(), "turn_ended completed", "{lines:?}");
    let touched = world.tools.runs("touch");
    assert!(touched.len() == 1 && touched[0].done, "{touched:?}");
    assert!(lines.contains(&"tool_result touch Ok".to_owned()), "{lines:?}");
    let attempt = move |tx: &mut Tx| store::turns::attempt(tx, accepted.turn_id);
    assert_eq!(world.store.read(attempt).await.unwrap(), Some(1), "no other worker had to take the turn up");
    let mut results = world.model.last_request().unwrap().results_since_user();
    results.remove(0);
    results
}

fn error(result: &str) -> String {
    serde_json::from_str::<Value>(result).unwrap()["error"].as_str().unwrap_or_default().to_owned()
}

async fn kitchens(change: impl Fn(&mut Setup)) -> Vec<Kitchen> {
    let mut kitchens = vec![Kitchen::with(&change).await];
    if let Some(url) = crate::world::postgres().await {
        let on_postgres = |setup: &mut Setup| {
            change(setup);
            setup.url = Some(url);
        };
        kitchens.push(Kitchen::with(on_postgres).await);
    }
    kitchens
}

/// The control: the same calls, and nothing happens meanwhile.
#[tokio::test]
async fn an_errand_is_given_beside_other_work() {
    for kitchen in kitchens(|_| {}).await {
        let world = &kitchen.world;
        world.model.respond(|request| match request.results_since_user().len() {
            _ if !is(request, "You are the butler.") => Reply::text("Soup is ready."),
            0 => Reply::calls([("touch", json!({})), ("delegate", soup())]),
            _ => Reply::text("Done."),
        });
        world.run("Both").await;
        let results = world.model.last_request().unwrap().results_since_user();
        assert!(results[1].contains("Soup is ready."), "{results:?}");
    }
}

#[tokio::test]
async fn a_full_queue_of_the_other_agent_fails_the_call_alone() {
    for kitchen in kitchens(|setup| setup.settings.turn.queue = 1).await {
        let message = json!({ "agent": "cook", "message": "Hello" });
        let never = Arc::new(Notify::new());
        script(&kitchen.world, "send_agent_message", message, "Never.", Some(never));
        // One that the cook works on, and one that waits.
        kitchen.world.run("One").await;
        kitchen.world.run("Two").await;
        let words = error(&beside_work(&kitchen, &[soup()]).await[0]);
        assert_eq!(words, "too many messages are queued for this agent; try again later");
    }
}

#[tokio::test]
async fn an_archived_conversation_fails_the_call_alone() {
    for at_the_last_moment in [false, true] {
        for kitchen in kitchens(|_| {}).await {
            let world = &kitchen.world;
            script(world, "delegate", soup(), "Soup is ready.", None);
            world.run("Dinner").await;
            let child = kitchen.child().await.id;
            if at_the_last_moment {
                meanwhile(&kitchen, CLOSED).await;
            } else {
                world.engine().archive_session(world.user, child, true).await.unwrap();
            }
            let again = json!({ "session_id": child, "task": "More" });
            let words = error(&beside_work(&kitchen, &[again]).await[0]);
            assert!(words.contains("archived"), "{words}");
        }
    }
}

/// As a message to an agent says it, for which its sender does not wait.
#[tokio::test]
async fn a_message_into_a_conversation_that_was_just_archived_fails_in_words() {
    for kitchen in kitchens(|_| {}).await {
        let message = json!({ "agent": "cook", "message": "Hello" });
        script(&kitchen.world, "send_agent_message", message, "Good.", None);
        kitchen.world.run("One").await;
        kitchen.at_rest().await;
        meanwhile(&kitchen, CLOSED).await;
        kitchen.world.run("Two").await;
        let words = kitchen.result().await["error"].as_str().unwrap_or_default().to_owned();
        assert!(words.contains("archived"), "{words}");
    }
}

#[tokio::test]
async fn one_errand_too_many_fails_the_call_alone() {
    for kitchen in kitchens(|setup| setup.settings.errands.most = 1).await {
        meanwhile(&kitchen, ONE_MORE).await;
        let words = error(&beside_work(&kitchen, &[soup()]).await[0]);
        assert_eq!(words, "one message has already led to as many tasks for other agents as it may");
    }
}

/// Two errands were decided on by a rule that permits one.
#[tokio::test]
async fn a_rule_for_one_call_that_is_used_up_fails_the_second_call_alone() {
    for kitchen in kitchens(|_| {}).await {
        let world = &kitchen.world;
        agent(world, world.user, "gardener", "You garden.").await;
        let session = Subject::Session(world.session);
        for (subject, action, scope) in [
            (Subject::User(world.user), Permission::Ask, RuleScope::Always),
            (session, Permission::Allow, RuleScope::Once),
        ] {
            let rule = NewRule {
                subject,
                tool: "delegate".to_owned(),
                action,
                scope,
                arguments: None,
                expires_at: None,
                house: false,
            };
            world.engine().create_rule(&world.me(), rule).await.unwrap();
        }
        let results = beside_work(&kitchen, &[soup(), json!({ "agent": "gardener", "task": "Weed" })]).await;
        assert!(results[0].contains("Soup is ready."), "{results:?}");
        assert!(results[1].contains("the approval for one call was used by another call"), "{results:?}");
    }
}
