//! A run that is cut off: without a trace its outcome is unknown, with one its result is told; it never runs twice.

use crate::{
    Trap,
    world::{World, outside},
};
use domain::{CapabilityRef, Permission, RuleScope, Subject, UserRole};
use engine::{AgentFields, Change, NewRule, Principal};
use fail::FailScenario;
use serde_json::json;
use testkit::model::Reply;

async fn with_cage() -> World {
    let world = World::with(|setup| setup.settings.outside = outside(&[])).await;
    let capabilities = Change::Set(vec![CapabilityRef::from("sandbox")]);
    let fields = AgentFields { capabilities, ..AgentFields::default() };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
    let rule = NewRule {
        subject: Subject::User(world.user),
        tool: "bash".to_owned(),
        action: Permission::Allow,
        scope: RuleScope::Always,
        arguments: None,
        expires_at: None,
        house: false,
    };
    world.engine().create_rule(&Principal::operator(world.user, UserRole::Owner), rule).await.unwrap();
    world
}

#[tokio::test]
async fn files_and_result_of_a_run_stay_together() {
    let scenario = FailScenario::setup();
    for (point, nth, is_kept) in [
        ("begin_before_commit", 1, true),
        ("run_before_commit", 1, false),
        ("run_after_commit", 1, true),
        ("tool_after_run", 1, true),
        ("turn_before_commit", 2, true),
    ] {
        let mut world = with_cage().await;
        world.model.respond(|request| match request.results_since_user().len() {
            0 => Reply::text("").then_calls([("bash", json!({ "command": "echo x >> made; echo said" }))]),
            _ => Reply::text("Done."),
        });
        let trap = Trap::set(point, nth);
        let accepted = world.post("run").await;
        trap.sprung().await;
        trap.disarm();
        world.crash().await;
        world.ended(accepted).await;
        let told = world.model.last_request().unwrap().results_since_user();
        let found = world.engine().file(world.user, world.session, "/made".parse().unwrap()).await;
        match is_kept {
            true => {
                assert!(told[0].contains(r#""stdout":"said\n""#), "{point}: {told:?}");
                assert_eq!(found.unwrap().content, b"x\n", "{point}: it ran twice, or not at all");
            }
            false => {
                assert!(told[0].contains("unknown"), "{point}: {told:?}");
                assert!(found.is_err(), "{point}: a file without its result");
            }
        }
        world.check(&["run"]).await;
    }
    scenario.teardown();
}
