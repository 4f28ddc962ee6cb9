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

/// Nothing of a stranger was there when the person read that commands ask always.
#[test]
fn attack_14_a_yes_holds_for_the_label_that_was_shown() {
    let yes = approval(ApprovalStatus::Approved, json!({ "command": "ls" }));
    let answered = |shown: Option<Label>, label: Label| {
        let answer = Some(Approval { label: shown, ..yes.clone() });
        Scene { label, answer, ..scene() }
    };
    assert!(answered(Some(Label::TRUSTED_PRIVATE), Label::TRUSTED_PRIVATE).runs(), "the control");
    assert!(answered(Some(Label::WORST), Label::WORST).runs(), "both were shown");
    assert!(answered(Some(Label::WORST), Label::TRUSTED_PRIVATE).runs(), "worse was shown");
    assert!(answered(None, Label::TRUSTED_PRIVATE).runs(), "of an earlier version, and nothing to show");
    let asks = Verdict::Ask { why: vec![Why::Asks(AskedBy::Tool), Why::RuleOfTwo], scopes: Scopes::OnceOnly };
    for shown in
        [None, Some(Label::TRUSTED_PRIVATE), Some(Label::UNTRUSTED_PUBLIC), Some(Label::UNTRUSTED_COMMON)]
    {
        let late = answered(shown, Label::WORST);
        assert_eq!(late.decide(), asks, "{shown:?}");
        assert!(
            Scene { sink: Sink::Inside, ..late.clone() }.runs(),
            "what stays inside tells no one: {shown:?}"
        );
        let no = Approval { status: ApprovalStatus::Denied, ..late.answer.clone().unwrap() };
        let denied = Scene { answer: Some(no), ..late };
        assert!(matches!(denied.decide(), Verdict::Deny(Why::Said(_))), "a no stays a no: {shown:?}");
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

#[test]
fn who_is_asked_is_told_who_wants_it() {
    let free = || Scene { permission: Permission::Allow, ..scene() };
    let ask = || rule(Subject::User(user()), Permission::Ask);
    let of_house = |rule: Rule| Rule { user_id: None, ..rule };
    let by_agent = || {
        let mut scene = free();
        scene.parties[0].words =
            vec![ToolRule { tool: "bash".to_owned(), action: Permission::Ask, arguments: None }];
        scene
    };
    for (scene, by, words) in [
        (scene(), AskedBy::Tool, "Commands always need your approval."),
        (scene().with(ask()), AskedBy::Tool, "Commands always need your approval."),
        (free().with(ask()), AskedBy::Person, "A rule of yours asks before this tool is used."),
        (
            free().with(of_house(ask())),
            AskedBy::Server,
            "A rule of this server asks before this tool is used.",
        ),
        (by_agent(), AskedBy::Agent, "The settings of this agent ask before this tool is used."),
    ] {
        let Verdict::Ask { why, .. } = scene.decide() else { panic!("{by:?}") };
        assert_eq!(why, [Why::Asks(by)]);
        assert_eq!(why[0].to_person("bash", Some(domain::Workplace::Sandbox)), words);
    }
    let every = free().with(rule(Subject::User(user()), Permission::AskEveryTime));
    let Verdict::Ask { why, .. } = every.decide() else { panic!() };
    assert_eq!(why[0].to_string(), "A rule of yours asks every time this tool is used.");
    assert_eq!(why[0].to_person("session", Some(domain::Workplace::Server)), why[0].to_string());
}

#[test]
fn a_command_that_asks_every_time_says_what_it_is_about() {
    let why = Why::AsksEveryTime(AskedBy::Tool);
    let server = Some(domain::Workplace::Server);
    for (tool, place, words) in [
        ("session", server, "What an agent does with your conversations needs your approval every time."),
        ("clear", server, "What an agent does with your conversations needs your approval every time."),
        ("agent", server, "What an agent does with the settings of agents needs your approval every time."),
        ("ability", server, "What an agent does with your abilities needs your approval every time."),
        ("compact", server, "This tool needs your approval every time."),
        // A tool of a plugin may have any name.
        ("session", None, "This tool needs your approval every time."),
        ("agent", Some(domain::Workplace::Network), "This tool needs your approval every time."),
    ] {
        assert_eq!(why.to_person(tool, place), words, "{tool} {place:?}");
    }
}

/// THREAT[time-01]
#[test]
fn what_others_want_done_later_is_asked_each_time() {
    let allowed = Scene { permission: Permission::Allow, sink: Sink::Inside, acts_later: true, ..scene() };
    let asks = |why: Vec<Why>| Verdict::Ask { why, scopes: Scopes::OnceOnly };
    for label in [Label::WORST, Label::UNTRUSTED_PUBLIC, Label::UNTRUSTED_COMMON] {
        let others = Scene { label, ..allowed.clone() };
        assert_eq!(others.decide(), asks(vec![Why::ActsLater]), "{label:?}");
        let ruled = others.clone().with(rule(Subject::Session(session(1)), Permission::Allow));
        assert_eq!(ruled.decide(), asks(vec![Why::ActsLater]), "{label:?}");
        let by_itself = Scene { permission: Permission::Ask, ..others.clone() };
        assert_eq!(by_itself.decide(), asks(vec![Why::Asks(AskedBy::Tool), Why::ActsLater]), "{label:?}");
        assert!(Scene { acts_later: false, ..others.clone() }.runs(), "the control");
        // An approval holds for the label that was shown.
        let answered = |shown: Label| {
            let yes = approval(ApprovalStatus::Approved, json!({ "command": "ls" }));
            Scene { answer: Some(Approval { label: Some(shown), ..yes }), ..others.clone() }
        };
        assert!(answered(Label::WORST).runs());
        assert!(!answered(Label::TRUSTED_PRIVATE).runs());
    }
    for label in [Label::TRUSTED_PUBLIC, Label::TRUSTED_PRIVATE] {
        assert!(Scene { label, ..allowed.clone() }.runs(), "{label:?}");
    }
}
