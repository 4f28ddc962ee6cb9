//! What holds for any rules and parties.

use super::*;
use proptest::prelude::*;

fn any_permission() -> impl Strategy<Value = Permission> {
    prop_oneof![
        Just(Permission::Allow),
        Just(Permission::Ask),
        Just(Permission::AskEveryTime),
        Just(Permission::Deny)
    ]
}

fn any_rule() -> impl Strategy<Value = Rule> {
    let subject = prop_oneof![
        Just(Subject::Everybody),
        Just(Subject::User(user())),
        Just(Subject::User(UserId::from_uuid(Uuid::from_u128(9)))),
        Just(Subject::Agent(agent(1))),
        Just(Subject::Agent(agent(2))),
        Just(Subject::Session(session(1))),
        Just(Subject::Session(session(2))),
    ];
    let tool = prop_oneof![Just("*"), Just("bash"), Just("fetch"), Just("bash.list")];
    let arguments = prop_oneof![
        Just(None),
        Just(Some(RuleArguments::Exact(json!({ "command": "ls" })))),
        Just(Some(RuleArguments::Exact(json!({ "command": "rm" })))),
        Just(Some(RuleArguments::Template(json!({ "command": "*" })))),
    ];
    (subject, tool, any_permission(), arguments, any::<bool>(), any::<bool>()).prop_map(
        |(subject, tool, action, arguments, once, of_house)| Rule {
            tool: tool.to_owned(),
            arguments,
            scope: if once { RuleScope::Once } else { RuleScope::Always },
            user_id: (!of_house).then(user),
            ..rule(subject, action)
        },
    )
}

fn any_party(number: u128) -> impl Strategy<Value = Holder> {
    let words = proptest::collection::vec(
        (any_permission(), prop_oneof![Just("*"), Just("bash"), Just("fetch")])
            .prop_map(|(action, tool)| ToolRule { tool: tool.to_owned(), action, arguments: None }),
        0..3,
    );
    let allowed = prop_oneof![Just(&["*"][..]), Just(&["bash"][..]), Just(&["fetch"][..]), Just(&[][..])];
    (words, allowed).prop_map(move |(words, allowed)| Holder {
        agent: agent(number),
        tools: granted(allowed),
        permission: Permission::Allow,
        words,
    })
}

fn any_label() -> impl Strategy<Value = Label> {
    prop_oneof![
        Just(Label::TRUSTED_PUBLIC),
        Just(Label::TRUSTED_COMMON),
        Just(Label::TRUSTED_PRIVATE),
        Just(Label::UNTRUSTED_PUBLIC),
        Just(Label::UNTRUSTED_COMMON),
        Just(Label::WORST),
    ]
}

fn any_sink() -> impl Strategy<Value = Sink> {
    prop_oneof![
        Just(Sink::Nowhere),
        Just(Sink::Inside),
        Just(Sink::Site),
        Just(Sink::Service),
        Just(Sink::Outside)
    ]
}

fn any_scene() -> impl Strategy<Value = Scene> {
    let command = prop_oneof![Just("ls"), Just("rm"), Just("ls; rm")];
    let rules = proptest::collection::vec(any_rule(), 0..6);
    (any_permission(), any_party(1), any_party(2), rules, command).prop_map(
        |(permission, own, parent, rules, command)| Scene {
            permission,
            parties: vec![own, parent],
            sessions: vec![session(1), session(2)],
            rules,
            arguments: json!({ "command": command }),
            ..scene()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_096))]

    #[test]
    fn what_runs_is_permitted_by_somebody(scene in any_scene()) {
        if scene.runs() {
            let permits = |rule: &Rule| rule.action == Permission::Allow
                && (rule.tool == "*" || rule.tool == "bash")
                && rule.arguments.as_ref().is_none_or(|arguments| match arguments {
                    RuleArguments::Exact(exact) => *exact == scene.arguments,
                    RuleArguments::Template(template) => *template == scene.arguments,
                    RuleArguments::Host(_) => false,
                });
            let by_tool = scene.permission == Permission::Allow;
            prop_assert!(by_tool || scene.permission == Permission::Ask && scene.rules.iter().any(permits));
            prop_assert!(scene.parties.iter().all(|party| party.tools.grants("bash", None)));
        }
    }

    #[test]
    fn who_works_for_somebody_has_no_more_than_they_do(scene in any_scene()) {
        // A rule that names the inner session itself is a person's word about it, and about it alone.
        let rules: Vec<Rule> =
            scene.rules.iter().filter(|rule| rule.subject != Subject::Session(session(1))).cloned().collect();
        let child = Scene { rules: rules.clone(), ..scene.clone() };
        let parties = vec![scene.parties[1].clone()];
        let parent = Scene { parties, sessions: vec![session(2)], rules, ..scene };
        if child.runs() {
            prop_assert!(parent.runs());
        }
    }

    #[test]
    fn a_yes_lets_out_no_worse_than_was_shown(
        scene in any_scene(),
        label in any_label(),
        sink in any_sink(),
        shown in proptest::option::of(any_label()),
    ) {
        let asked = Scene { label, sink, ..scene };
        let answer = Approval { label: shown, ..approval(ApprovalStatus::Approved, asked.arguments.clone()) };
        let answered = Scene { answer: Some(answer), ..asked.clone() };
        let covered = shown.is_some_and(|shown| shown.join(label) == shown);
        match asked.decide() {
            // A question about the rule of two is answered only by a person who was shown no less.
            Verdict::Ask { why, .. } => {
                prop_assert_eq!(answered.runs(), covered || !why.contains(&Why::RuleOfTwo));
            }
            // A yes changes nothing where no question was open.
            other => prop_assert_eq!(answered.decide(), other),
        }
    }

    #[test]
    fn what_is_forbidden_everywhere_never_runs(scene in any_scene()) {
        let forbidden = scene.with(house(rule(Subject::Everybody, Permission::Deny)));
        let exceptions = forbidden.rules.iter().any(|rule| {
            rule.user_id.is_none() && rule.action != Permission::Deny && rule.subject != Subject::Everybody
                || rule.user_id.is_none() && (rule.arguments.is_some() || rule.tool.contains('.'))
        });
        prop_assert!(exceptions || !forbidden.runs());
    }
}
