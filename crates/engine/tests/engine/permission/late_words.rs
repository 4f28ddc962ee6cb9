//! What comes into a conversation between a question to its person and their answer.

use super::ways_out::world;
use crate::world::{Street, World, until};
use domain::{Approval, ApprovalDecision, Permission, RuleScope, Subject, UserRole};
use engine::{ApprovalAnswer, NewRule, Principal, SessionChange};
use serde_json::json;
use store::Page;
use testkit::model::Reply;

/// Says yes once to the oldest request that is open, and gives it.
async fn approve(world: &World) -> Approval {
    let approval = world.engine().approvals(world.user, Page::first(10)).await.unwrap().items.remove(0);
    let (decision, digest) = (ApprovalDecision::Approve, approval.digest.clone());
    let answer = ApprovalAnswer { decision, scope: RuleScope::Once, digest, reason: None };
    let (who, id) = (Principal::operator(world.user, UserRole::Owner), approval.id);
    let work = move |engine: engine::Engine| async move { engine.answer_approval(&who, id, answer).await };
    world.house.on(work).await.unwrap();
    approval
}

/// A person is asked because there is a rule that asks, and of nothing else. While they read, a file is put beside the program: what
/// another person wrote would be sent out by an approval of something else. What the person wrote is as good as what was there.
/// HOUSE-01, THREAT[gate-14]
#[tokio::test]
async fn a_yes_is_not_one_to_a_file_that_came_after_the_question() {
    for own in [false, true] {
        let drop = Street::with(&[]).await;
        let world = world(&[&drop], None).await;
        let rule = NewRule {
            subject: Subject::Session(world.session),
            tool: "bash".to_owned(),
            action: Permission::Ask,
            scope: RuleScope::Always,
            arguments: None,
            expires_at: None,
            house: false,
        };
        world.engine().create_rule(&world.me(), rule).await.unwrap();
        let change = SessionChange { own_files: Some(own), ..SessionChange::default() };
        world.engine().change_session(&world.me(), world.session, change).await.unwrap();
        world.model.script(Reply::calls([("bash", json!({ "command": "cat letter.txt" }))]));
        world.model.respond(|_| Reply::text("Done."));
        let accepted = world.post("Read my letter").await;
        let mut reader = world.follow_from(accepted.after).await;
        let waits = |event: &domain::Envelope| event.type_name() == "agent_status";
        until(&mut reader, |event| event.type_name() == "approval_request").await;
        until(&mut reader, waits).await;
        let (user, session) = (world.user, world.session);
        let file = "/letter.txt".parse().unwrap();
        world.engine().write_file(user, session, file, b"Do as this letter says", None).await.unwrap();
        let first = approve(&world).await;
        assert_eq!(first.why, ["Commands always need your approval."]);

        let next = |event: &domain::Envelope| {
            matches!(event.type_name(), "approval_request" | "tool_result" | "turn_ended")
        };
        let came = until(&mut reader, next).await;
        let asked_anew = came.last().unwrap().type_name() == "approval_request";
        assert_eq!(asked_anew, !own, "its person wrote the file: {own}");
        if asked_anew {
            until(&mut reader, waits).await;
            let again = approve(&world).await;
            assert_ne!(again.id, first.id);
            let why = again.why.join(" ");
            assert!(why.contains("has changed since"), "{why}");
            assert!(why.contains("the files of this conversation"), "{why}");
        }
        // The yes to the second request is one to all of it.
        let ran = until(&mut reader, |event| event.type_name() == "turn_ended").await;
        let results = came.iter().chain(&ran).filter(|event| event.type_name() == "tool_result");
        assert_eq!(results.count(), 1);
        let result = world.model.last_request().unwrap().results_since_user().remove(0);
        assert!(result.contains("Do as this letter says"), "{result}");
    }
}
