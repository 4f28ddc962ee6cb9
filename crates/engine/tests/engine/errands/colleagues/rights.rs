//! A subagent is never more than who made it.

use super::{Kitchen, call, change_agent, is, script, soup};
use crate::world::until_type;
use domain::{SessionKind, UserRole};
use engine::{AgentFields, Change, NewPerson};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::model::Reply;
use tokio::sync::Notify;

fn helper(tools: Value) -> Value {
    json!({ "instructions": "You fetch things.", "task": "Fetch", "tools": tools, "name": "runner" })
}

/// The butler spawns; the subagent calls `touch`, then says what came of it.
fn touching(kitchen: &Kitchen, tools: Value) {
    kitchen.world.model.respond(move |request| {
        let results = request.results_since_user();
        match (is(request, "You are a subagent"), results.first()) {
            (true, None) => call("touch", json!({ "say": "hello" })),
            (true, Some(result)) => Reply::text(format!("It said: {result}")),
            (false, None) => call("spawn_agent", helper(tools.clone())),
            (false, Some(_)) => Reply::text("Done."),
        }
    });
}

#[tokio::test]
async fn a_subagent_knows_its_instructions_and_has_the_tools_it_was_given() {
    let kitchen = Kitchen::new().await;
    let world = &kitchen.world;
    touching(&kitchen, json!(["touch", "add"]));
    world.run("Go").await;
    let asked = world.model.requests().into_iter().find(|one| is(one, "You are a subagent")).unwrap();
    let mut tools = asked.tool_names();
    tools.sort_unstable();
    assert_eq!(tools, ["add", "touch"]);
    let told = asked.messages()[0]["content"].to_string();
    assert!(told.contains("You fetch things.") && !told.contains("You are the butler."), "{told}");
    assert!(!told.contains("You are not alone"), "what it cannot do it is not told: {told}");
    assert_eq!(world.tools.runs("touch").len(), 1);
    let child = kitchen.child().await;
    assert_eq!((child.kind, child.name.as_deref()), (SessionKind::Subagent, Some("runner")));
    assert!(kitchen.result().await["answer"].as_str().unwrap().contains("hello"));
    world.check(&["Go"]).await;
}

/// EVERRUNS-41
#[tokio::test]
async fn a_subagent_cannot_call_what_it_was_not_given_although_its_maker_may() {
    let kitchen = Kitchen::new().await;
    let world = &kitchen.world;
    touching(&kitchen, json!(["look"]));
    world.run("Go").await;
    assert_eq!(world.tools.runs("touch").len(), 0);
    let answer = kitchen.result().await["answer"].as_str().unwrap().to_owned();
    assert!(answer.contains("there is no tool \\\"touch\\\""), "{answer}");
    // The control: its maker may.
    script(world, "touch", json!({}), "", None);
    world.run("Yourself").await;
    assert_eq!(world.tools.runs("touch").len(), 1);
}

#[tokio::test]
async fn nobody_gives_what_they_have_not() {
    let kitchen = Kitchen::new().await;
    let world = &kitchen.world;
    let allowed = ["spawn_agent", "look", "add"].map(str::to_owned).to_vec();
    change_agent(world, AgentFields { allowed_tools: Change::Set(allowed), ..AgentFields::default() }).await;
    for wanted in [json!(["touch"]), json!(["*"]), json!(["look", "Touch"]), json!(["execute_sql"])] {
        touching(&kitchen, wanted.clone());
        world.run("Go").await;
        let error = kitchen.result().await["error"].as_str().unwrap().to_owned();
        assert!(error.starts_with("you cannot give tools that you have not: "), "{wanted}: {error}");
        assert!(error.ends_with("you have: spawn_agent, add, look"), "{wanted}: {error}");
    }
    assert_eq!(kitchen.children(world.session).await.len(), 0, "nothing is left of what was refused");
    assert_eq!(world.tools.runs("touch").len(), 0);
    // The control: with the tool it is given.
    change_agent(world, AgentFields { allowed_tools: Change::Reset, ..AgentFields::default() }).await;
    touching(&kitchen, json!(["touch"]));
    world.run("Go").await;
    assert_eq!(world.tools.runs("touch").len(), 1);
}

/// What the maker may is asked again at each call: with `late`, the owner takes the tool back while the subagent writes.
async fn taken_back(late: bool) -> (usize, String) {
    let kitchen = Kitchen::new().await;
    let world = &kitchen.world;
    let gate = Arc::new(Notify::new());
    let held = gate.clone();
    world.model.respond(move |request| {
        let results = request.results_since_user();
        match (is(request, "You are a subagent"), results.first()) {
            (true, None) => call("touch", json!({})).gate(held.clone()),
            (true, Some(result)) => Reply::text(format!("It said: {result}")),
            (false, None) => call("spawn_agent", helper(json!(["touch"]))),
            (false, Some(_)) => Reply::text("Done."),
        }
    });
    let accepted = world.post("Go").await;
    world.model.wait_for(2).await;
    if late {
        let allowed = ["spawn_agent", "look"].map(str::to_owned).to_vec();
        change_agent(world, AgentFields { allowed_tools: Change::Set(allowed), ..AgentFields::default() })
            .await;
    }
    gate.notify_one();
    world.ended(accepted).await;
    let answer = kitchen.result().await["answer"].as_str().unwrap().to_owned();
    (world.tools.runs("touch").len(), answer)
}

#[tokio::test]
async fn what_is_taken_from_the_maker_is_taken_from_the_subagent_at_once() {
    let (runs, answer) = taken_back(true).await;
    assert_eq!(runs, 0);
    assert!(
        answer.contains("touch is not allowed: the agent or person that you work for may not use it"),
        "{answer}"
    );
    let (runs, _) = taken_back(false).await;
    assert_eq!(runs, 1, "the control");
}

#[tokio::test]
async fn a_copy_of_a_subagents_session_is_as_narrow() {
    let kitchen = Kitchen::new().await;
    let world = &kitchen.world;
    touching(&kitchen, json!(["look"]));
    world.run("Go").await;
    let (user, child) = (world.user, kitchen.child().await.id);
    let fork = world.house.on(move |engine| async move {
        engine.fork_session(user, child, engine::Fork::default(), None).await
    });
    let fork = fork.await.unwrap();
    let message = engine::NewMessage { session_id: fork.id, ..world.message("Touch it") };
    let accepted = world.send(message).await.unwrap();
    let reader = world.engine().follow_turn(user, fork.id, accepted.turn_id, accepted.after).await.unwrap();
    crate::world::rest(reader).await;
    assert_eq!(world.tools.runs("touch").len(), 0);
    assert_eq!(world.model.last_request().unwrap().tool_names(), ["look"]);
}

#[tokio::test]
async fn whom_it_cannot_ask_an_agent_is_told_by_name() {
    let kitchen = Kitchen::new().await;
    let world = &kitchen.world;
    let person =
        NewPerson { name: "Eve".to_owned(), role: UserRole::Member, password: None, time_zone: None };
    let eve = world.engine().people().create_person(person).await.unwrap().id;
    let spy = super::agent(world, eve, "spy", "You spy.").await;
    let ask = async |agent: String| {
        script(world, "delegate", json!({ "agent": agent, "task": "x" }), "Done.", None);
        world.run("Go").await;
        kitchen.result().await["error"].as_str().unwrap_or_default().to_owned()
    };
    for unknown in ["cok".to_owned(), "spy".to_owned(), spy.to_string(), "c".repeat(10_000)] {
        let error = ask(unknown.clone()).await;
        let named = ["cook, main", "main, cook"].map(|names| format!("not found; there are: {names}"));
        assert!(named.iter().any(|words| error.ends_with(words)), "{unknown}: {error}");
        assert!(error.len() < 300, "{error}");
    }
    for oneself in ["butler".to_owned(), "Butler".to_owned(), world.agent.to_string()] {
        let error = ask(oneself).await;
        assert!(error.contains("that is you yourself"), "{error}");
    }
    assert_eq!(kitchen.children(world.session).await.len(), 0);
    // The control: it is found in any case, and by its id.
    assert_eq!(ask("COOK".to_owned()).await, "");
    assert_eq!(ask(kitchen.cook.to_string()).await, "");
    // Only those that the settings name.
    let setting = json!({ "agents": ["main"] }).as_object().unwrap().clone();
    let colleagues = domain::CapabilityRef { id: "colleagues".to_owned(), settings: setting };
    change_agent(
        world,
        AgentFields { capabilities: Change::Set(vec![colleagues]), ..AgentFields::default() },
    )
    .await;
    assert!(ask("cook".to_owned()).await.contains("not found; there are: main"));
}

#[tokio::test]
async fn a_shared_agent_works_for_whoever_it_is_shared_with_in_their_own_sessions() {
    let kitchen = Kitchen::new().await;
    let world = &kitchen.world;
    let person =
        NewPerson { name: "Eve".to_owned(), role: UserRole::Member, password: None, time_zone: None };
    let eve = world.engine().people().create_person(person).await.unwrap().id;
    let baker = super::agent(world, eve, "baker", "You bake.").await;
    let share = AgentFields {
        shared_with: Change::Set(vec![domain::Share::User(world.user)]),
        ..AgentFields::default()
    };
    world
        .engine()
        .change_agent(&engine::Principal::operator(eve, UserRole::Member), baker, share)
        .await
        .unwrap();
    // THREAT[agent-06]: nobody asked for it, so it is nobody.
    script(world, "delegate", json!({ "agent": "baker", "task": "Bread" }), "Bread.", None);
    world.run("Go").await;
    let refused = kitchen.result().await.to_string();
    assert!(refused.contains("not found") && !refused.contains("Bread."), "{refused}");
    world.engine().accept_agent(&world.me(), baker).await.unwrap();
    script(world, "delegate", json!({ "agent": "baker", "task": "Bread" }), "Bread.", None);
    world.run("Go").await;
    let child = kitchen.child().await;
    assert_eq!((child.user_id, child.agent_id), (world.user, baker));
    assert_eq!(kitchen.result().await["answer"], "Bread.");
}

#[tokio::test]
async fn bad_arguments_are_told_and_leave_nothing() {
    let kitchen = Kitchen::new().await;
    let world = &kitchen.world;
    let huge = "x".repeat(20_000);
    for (name, arguments) in [
        ("spawn_agent", json!({ "instructions": huge, "task": "x" })),
        ("spawn_agent", json!({ "instructions": "x" })),
        ("spawn_agent", json!({ "instructions": "x", "task": "x", "model": "nobody/nothing" })),
        ("spawn_agent", json!({ "instructions": "x", "task": "x", "rights": "all" })),
        ("delegate", json!({ "agent": "cook", "task": "" })),
        ("delegate", json!({ "task": "x" })),
    ] {
        script(world, name, arguments.clone(), "", None);
        world.run("Go").await;
        assert!(kitchen.result().await["error"].is_string(), "{name} {arguments}");
    }
    assert_eq!(kitchen.children(world.session).await.len(), 0);
    world.model.assert_clean();
}

#[tokio::test]
async fn a_session_takes_what_others_did_for_it_along_when_it_goes() {
    let kitchen = Kitchen::new().await;
    let world = &kitchen.world;
    let gate = Arc::new(Notify::new());
    script(world, "delegate", soup(), "Soup.", Some(gate.clone()));
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("Go").await;
    until_type(&mut reader, "errand_started").await;
    world.model.wait_for(2).await;
    let busy = world.engine().delete_session(world.user, world.session).await;
    assert!(matches!(busy, Err(engine::Error::Conflict { code: "session_busy", .. })), "{busy:?}");
    gate.notify_one();
    world.ended(accepted).await;
    kitchen.at_rest().await;
    let child = kitchen.child().await;
    world.engine().archive_session(world.user, world.session, true).await.unwrap();
    assert!(kitchen.child().await.archived);
    world.engine().delete_session(world.user, world.session).await.unwrap();
    assert!(world.engine().session(world.user, child.id).await.is_err());
    let left = "SELECT COUNT(*) FROM errands";
    let left: u64 = world.store.read(move |tx| tx.one(left, Vec::new())).await.unwrap();
    assert_eq!(left, 0);
}
