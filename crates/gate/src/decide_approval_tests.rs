//! What a yes and a no come to.

use super::*;

#[test]
fn attack_14_a_yes_holds_for_the_call_and_the_arguments_that_were_shown() {
    let yes = approval(ApprovalStatus::Approved, json!({ "command": "ls" }));
    let answered = |answer: Approval| Scene { answer: Some(answer), ..scene() };
    assert!(answered(yes.clone()).runs(), "the control");
    let changed = Scene { arguments: json!({ "command": "rm -rf /" }), ..answered(yes.clone()) };
    assert!(!changed.runs(), "other arguments");
    let other_call = Approval { call_id: call(2), ..yes.clone() };
    assert!(!answered(other_call).runs(), "the yes of another call");
    let forged =
        Approval { digest: digest("bash", agent(1), session(2), call(1), &yes.arguments), ..yes.clone() };
    assert!(!answered(forged).runs(), "the yes of another session");
    let revoked = answered(yes.clone()).with(rule(Subject::User(user()), Permission::Deny));
    assert_eq!(revoked.decide(), Verdict::Deny(Why::Forbidden), "what was forbidden meanwhile");
    for status in [ApprovalStatus::Denied, ApprovalStatus::Expired] {
        let no = answered(Approval { status, ..yes.clone() });
        assert!(matches!(no.decide(), Verdict::Deny(_)), "{status:?}");
        let meanwhile = no.with(rule(Subject::User(user()), Permission::Allow));
        assert!(matches!(meanwhile.decide(), Verdict::Deny(_)), "a no stays a no: {status:?}");
    }
}

#[test]
fn attack_15_a_flood_of_requests_is_cut_off() {
    let open: Vec<Approval> = (0..ASKED_AT_ONCE)
        .map(|number| approval(ApprovalStatus::Pending, json!({ "command": number })))
        .collect();
    let few = Scene { asked: open[1..].to_vec(), ..scene() };
    assert!(matches!(few.decide(), Verdict::Ask { .. }), "the control");
    let flooded = Scene { asked: open.clone(), ..scene() };
    assert_eq!(flooded.decide(), Verdict::Deny(Why::TooManyAsked));
    let same = Scene { arguments: json!({ "command": 3 }), asked: open, ..scene() };
    assert!(matches!(same.decide(), Verdict::Ask { .. }), "what is asked already is shared");
    let nagging = approval(ApprovalStatus::Denied, json!({ "command": "ls" }));
    let again = Scene { asked: vec![nagging], ..scene() };
    assert_eq!(again.decide(), Verdict::Deny(Why::SaidBefore));
}
