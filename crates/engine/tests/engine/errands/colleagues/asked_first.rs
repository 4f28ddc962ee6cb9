//! An errand that a person is asked about first.

use super::{Kitchen, is, soup};
use crate::world::until_type;
use domain::{Approval, ApprovalDecision, Permission, RuleScope, Subject, UserRole};
use engine::{Accepted, ApprovalAnswer, NewRule, Principal};
use serde_json::json;
use store::Page;
use testkit::model::Reply;

async fn kitchen(tool: &str) -> Kitchen {
    let kitchen = Kitchen::new().await;
    let world = &kitchen.world;
    let rule = NewRule {
        subject: Subject::User(world.user),
        tool: tool.to_owned(),
        action: Permission::Ask,
        scope: RuleScope::Always,
        arguments: None,
        expires_at: None,
        house: false,
    };
    world.engine().create_rule(&owner(&kitchen), rule).await.unwrap();
    kitchen
}

fn owner(kitchen: &Kitchen) -> Principal {
    Principal::operator(kitchen.world.user, UserRole::Owner)
}

async fn asked(kitchen: &Kitchen) -> (Accepted, Approval) {
    let world = &kitchen.world;
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("Dinner, please").await;
    until_type(&mut reader, "approval_request").await;
    let mut open = world.engine().approvals(world.user, Page::first(10)).await.unwrap().items;
    assert_eq!(open.len(), 1);
    assert_eq!(kitchen.children(world.session).await, [], "nobody has been sent");
    (accepted, open.remove(0))
}

async fn approve(kitchen: &Kitchen, approval: &Approval) {
    let (who, id) = (owner(kitchen), approval.id);
    let answer = ApprovalAnswer {
        decision: ApprovalDecision::Approve,
        scope: RuleScope::Once,
        digest: approval.digest.clone(),
        reason: None,
    };
    let answer =
        kitchen.world.house.on(move |engine| async move { engine.answer_approval(&who, id, answer).await });
    answer.await.unwrap();
}

#[tokio::test]
async fn a_yes_sends_it_once() {
    let kitchen = kitchen("delegate").await;
    super::script(&kitchen.world, "delegate", soup(), "Soup is ready.", None);
    let (accepted, approval) = asked(&kitchen).await;
    approve(&kitchen, &approval).await;
    kitchen.world.ended(accepted).await;
    assert_eq!(kitchen.result().await["answer"], json!("Soup is ready."));
    kitchen.child().await;
    kitchen.world.check(&["Dinner, please"]).await;
}

#[tokio::test]
async fn a_yes_sends_it_once_when_the_turn_has_other_work() {
    let kitchen = kitchen("delegate").await;
    let world = &kitchen.world;
    world.model.respond(move |request| match request.results_since_user().len() {
        _ if !is(request, "You are the butler.") => Reply::text("Soup is ready."),
        0 => Reply::calls([("delegate", soup()), ("touch", json!({ "gate": "work" }))]),
        _ => Reply::text("Done."),
    });
    let (accepted, approval) = asked(&kitchen).await;
    approve(&kitchen, &approval).await;
    let mut reader = world.follow_from(0).await;
    until_type(&mut reader, "errand_ended").await;
    world.tools.open("work");
    world.ended(accepted).await;
    kitchen.child().await;
    assert_eq!(world.tools.runs("touch").len(), 1);
    world.check(&["Dinner, please"]).await;
}

#[tokio::test]
async fn a_yes_to_a_subagent_survives_the_process() {
    let mut kitchen = kitchen("spawn_agent").await;
    let task = json!({ "instructions": "You taste.", "task": "Taste the soup", "tools": [] });
    let gate = std::sync::Arc::new(tokio::sync::Notify::new());
    super::script(&kitchen.world, "spawn_agent", task, "Salt.", Some(gate.clone()));
    let (accepted, approval) = asked(&kitchen).await;
    kitchen.world.crash().await;
    approve(&kitchen, &approval).await;
    let mut reader = kitchen.world.follow_from(0).await;
    until_type(&mut reader, "errand_started").await;
    kitchen.world.crash().await;
    gate.notify_one();
    gate.notify_one();
    kitchen.world.ended(accepted).await;
    assert_eq!(kitchen.result().await["answer"], json!("Salt."));
    kitchen.child().await;
}

#[tokio::test]
async fn what_nobody_approved_is_not_sent() {
    let kitchen = kitchen("delegate").await;
    super::script(&kitchen.world, "delegate", soup(), "Soup is ready.", None);
    let (accepted, approval) = asked(&kitchen).await;
    let (who, id) = (owner(&kitchen), approval.id);
    let (decision, scope) = (ApprovalDecision::Deny, RuleScope::Once);
    let answer = ApprovalAnswer { decision, scope, digest: approval.digest.clone(), reason: None };
    let answer =
        kitchen.world.house.on(move |engine| async move { engine.answer_approval(&who, id, answer).await });
    answer.await.unwrap();
    kitchen.world.ended(accepted).await;
    assert_eq!(kitchen.children(kitchen.world.session).await, []);
}
