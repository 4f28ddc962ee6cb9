//! A call that waits for a yes, cut off at every point on its road.

use crate::{
    Trap,
    world::{World, shown, until_type},
};
use domain::{ApprovalDecision, Budget, CapabilityRef, RuleScope, SessionStatus, UserRole};
use engine::{AgentFields, ApprovalAnswer, Change, Principal};
use fail::FailScenario;
use serde_json::json;
use store::Page;
use testkit::model::Reply;

async fn world() -> World {
    let world = World::new().await;
    let capabilities = ["workshop", "doors"].map(CapabilityRef::from).to_vec();
    let fields = AgentFields { capabilities: Change::Set(capabilities), ..AgentFields::default() };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
    world.model.respond(|request| match request.results_since_user().len() {
        0 => Reply::calls([("knock", json!({ "say": "once" }))]),
        _ => Reply::text("Done."),
    });
    world
}

/// Says yes to whatever waits.
async fn approve(world: &World) -> usize {
    let open = world.engine().approvals(world.user, Page::first(10)).await.unwrap().items;
    let mut counted = 0;
    for approval in open {
        let who = Principal::operator(world.user, UserRole::Owner);
        let (decision, scope) = (ApprovalDecision::Approve, RuleScope::Once);
        let answer = ApprovalAnswer { decision, scope, digest: approval.digest.clone(), reason: None };
        let work = move |engine: engine::Engine| async move {
            engine.answer_approval(&who, approval.id, answer).await
        };
        counted += usize::from(world.try_on(work).await.is_ok());
    }
    counted
}

/// Waits until the turn waits for its person, or has ended.
async fn at_rest(world: &World) -> SessionStatus {
    let mut reader = world.follow_from(0).await;
    loop {
        let status = world.session().await.status;
        if status != SessionStatus::Working {
            return status;
        }
        until_type(&mut reader, "agent_status").await;
    }
}

#[tokio::test]
async fn c9_c10_a_yes_is_kept_or_was_never_acknowledged_and_its_call_runs_once() {
    let scenario = FailScenario::setup();
    let points = [
        ("approval_before_commit", 1),
        ("approval_after_commit", 0),
        ("begin_before_commit", 0),
        ("begin_after_commit", 0),
        ("tool_before_run", 0),
        ("tool_after_run", 0),
    ];
    for (point, still_open) in points {
        let mut world = world().await;
        let accepted = world.post("work").await;
        assert_eq!(at_rest(&world).await, SessionStatus::InputRequired);
        let trap = Trap::set(point, 1);
        approve(&world).await;
        trap.sprung().await;
        trap.disarm();
        world.crash().await;
        let open = world.engine().approvals(world.user, Page::first(10)).await.unwrap().total;
        assert_eq!(open, still_open, "{point}");
        approve(&world).await;
        let told = shown(&world.ended(accepted).await);
        assert_eq!(told.last().unwrap(), "turn_ended completed", "{point}: {told:?}");
        let runs = world.tools.runs("knock").len();
        match point {
            "begin_after_commit" | "tool_before_run" => assert!(runs <= 1, "{point}"),
            _ => assert_eq!(runs, 1, "{point}"),
        }
        world.check(&["work"]).await;
    }
    scenario.teardown();
}

#[tokio::test]
async fn a_request_is_announced_once_wherever_its_asking_is_cut_off() {
    let scenario = FailScenario::setup();
    for point in ["park_before_commit", "park_after_commit"] {
        let mut world = world().await;
        let trap = Trap::set(point, 1);
        let accepted = world.post("work").await;
        trap.sprung().await;
        trap.disarm();
        world.crash().await;
        assert_eq!(at_rest(&world).await, SessionStatus::InputRequired);
        assert_eq!(approve(&world).await, 1, "{point}");
        let told = shown(&world.ended(accepted).await);
        let announced = told.iter().filter(|line| line.starts_with("approval_request")).count();
        assert_eq!(announced, 1, "{point}: {told:?}");
        assert_eq!(world.tools.runs("knock").len(), 1, "{point}");
        world.check(&["work"]).await;
    }
    scenario.teardown();
}

/// Nobody knows what the model costs, and the agent has a budget.
async fn unpriced() -> World {
    let mut world = World::new().await;
    world.model.models_reply(
        Reply::raw(r#"{"object":"list","data":[{"id":"scripted"}]}"#).content_type("application/json"),
    );
    world.restart().await;
    let budget = Budget { per_turn_microusd: Some(1_000_000), per_day_microusd: None };
    let fields = AgentFields { budget: Change::Set(budget), ..AgentFields::default() };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
    world.model.respond(|_| Reply::text("Done."));
    world
}

#[tokio::test]
async fn whether_a_model_may_be_used_is_asked_once_wherever_its_asking_is_cut_off() {
    let scenario = FailScenario::setup();
    for point in ["park_before_commit", "park_after_commit"] {
        let mut world = unpriced().await;
        let trap = Trap::set(point, 1);
        let accepted = world.post("work").await;
        trap.sprung().await;
        trap.disarm();
        world.crash().await;
        assert_eq!(at_rest(&world).await, SessionStatus::InputRequired);
        assert_eq!(approve(&world).await, 1, "{point}");
        let told = shown(&world.ended(accepted).await);
        let announced = told.iter().filter(|line| line.starts_with("approval_request")).count();
        assert_eq!((announced, world.model.requests().len()), (1, 1), "{point}: {told:?}");
        world.check(&["work"]).await;
    }
    scenario.teardown();
}

#[tokio::test]
async fn a_yes_to_a_model_is_kept_or_was_never_acknowledged() {
    let scenario = FailScenario::setup();
    let points = [
        ("approval_before_commit", 1),
        ("approval_after_commit", 0),
        ("turn_before_commit", 0),
        ("turn_after_commit", 0),
        ("reserve_before_commit", 0),
        ("reserve_after_commit", 0),
    ];
    for (point, still_open) in points {
        let mut world = unpriced().await;
        let accepted = world.post("work").await;
        assert_eq!(at_rest(&world).await, SessionStatus::InputRequired);
        let trap = Trap::set(point, 1);
        approve(&world).await;
        trap.sprung().await;
        trap.disarm();
        world.crash().await;
        let open = world.engine().approvals(world.user, Page::first(10)).await.unwrap().total;
        assert_eq!(open, still_open, "{point}");
        approve(&world).await;
        let told = shown(&world.ended(accepted).await);
        assert_eq!(told.last().unwrap(), "turn_ended completed", "{point}: {told:?}");
        let announced = told.iter().filter(|line| line.starts_with("approval_request")).count();
        assert_eq!((announced, world.model.requests().len()), (1, 1), "{point}: {told:?}");
        world.check(&["work"]).await;
    }
    scenario.teardown();
}
